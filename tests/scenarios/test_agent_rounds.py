"""When agents act by their written policies: nothing about that tells which one is guilty."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import pairwise
from statistics import fmean

from chaosops.scenarios.agent_policies import DeployPolicy, DrawnController
from chaosops.scenarios.incident import Incident
from tests.env.situations import sources

SEEDS = range(40)


@cache
def drawn() -> tuple[Incident, ...]:
    drawings = [source.drawing for source in sources() if source.drawing is not None]
    return tuple(drawing.draw(seed) for drawing in drawings for seed in SEEDS)


def near_the_page(agent: DrawnController) -> int:
    return sum(-20 <= one.at <= 0 for one in agent.rounds)


def test_every_innocent_agent_is_at_work_around_the_onset_one_to_three_times() -> None:
    counts = defaultdict(list)
    for incident in drawn():
        for agent in incident.drawn.controllers:
            if agent.place is None and not isinstance(agent.standing, DeployPolicy):
                counts[agent.standing.kind].append(near_the_page(agent))
    for kind, found in counts.items():
        assert set(found) <= {0, 1, 2, 3}, kind
        assert 1.5 <= fmean(found) <= 2.1, kind


def test_the_guilty_one_has_fewer_rounds_since_its_defect_shows_acts_of_its_own() -> None:
    guilty = [
        near_the_page(agent)
        for incident in drawn()
        for agent in incident.drawn.controllers
        if agent.place is not None and not isinstance(agent.standing, DeployPolicy)
    ]
    assert max(guilty) <= 2
    assert fmean(guilty) <= 1.0


def test_innocent_agents_begin_at_the_service_of_the_cause_more_often_than_elsewhere() -> None:
    at_place = [
        one.services[0] == incident.drawn.place
        for incident in drawn()
        for agent in incident.drawn.controllers
        for one in agent.rounds
        if agent.place is None and incident.drawn.place in one.services
    ]
    assert 0.55 <= fmean(at_place) <= 0.75


def test_rounds_are_as_far_apart_as_the_policy_says() -> None:
    for incident in drawn():
        for agent in incident.drawn.controllers:
            if agent.standing.kind not in {"autoscaler", "health_checker", "deploy_bot"}:
                apart = agent.standing.model_dump()["minutes_between"]
                for one, later in pairwise(agent.rounds):
                    assert later.at - one.at >= apart


def test_a_certificate_that_is_about_to_fail_is_not_renewed_in_a_round() -> None:
    found = [
        one.services
        for incident in drawn()
        if any(effect.part == "certificate" for effect in incident.drawn.cause.effects)
        for agent in incident.drawn.controllers
        if agent.standing.kind == "certificate_renewer"
        for one in agent.rounds
        if incident.drawn.place in one.services
    ]
    assert found == []


def test_rounds_are_the_same_whenever_a_seed_is_drawn() -> None:
    for source in sources()[:3]:
        assert source.drawing is not None
        first, again = source.drawing.draw(7), source.drawing.draw(7)
        assert first.drawn.controllers == again.drawn.controllers
