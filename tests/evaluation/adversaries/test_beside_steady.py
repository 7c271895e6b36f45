"""Whether it is up to the person beside steady teammates if a situation is resolved."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.agents.seats import seat_policies
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.thoughtful import Thoughtful, thoughtful_policy
from chaosops.evaluation.adversaries.thoughtless import listen
from chaosops.evaluation.gate_table import TABLE, measure
from chaosops.evaluation.measurement import MEDIUM_UP, Measurement
from chaosops.evaluation.study import Study, StudyPlan, play
from chaosops.scenarios.rendering import ScenarioSource
from tests.evaluation.adversaries.helpers import study_of
from tests.worlds import DEV, SRE, situations

SAMPLE = ("checkout-times-out", "sign-in-errors", "site-turns-users-away")
ABOUT_PEOPLE = ("thoughtless", "thoughtful")
_SEEDS, _ENOUGH = 6, 4


def _measured(study: Study) -> Mapping[str, Measurement]:
    entries = [entry for entry in TABLE if entry.name in ABOUT_PEOPLE]
    return {one.gate: one for entry in entries for one in measure(entry, study)}


@pytest.mark.slow
def test_a_few_games_are_within_the_bounds_of_every_gate_about_a_person() -> None:
    sources = tuple(source for source in situations() if source.id in SAMPLE)
    found = _measured(Study(sources, StudyPlan((0,))))
    assert len(found) == 10
    assert {one.n for one in found.values()} == {len(SAMPLE)}
    assert all(one.passes for one in found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize(("mates", "resolved"), [("expert", 3), ("steady", 0)])
def test_who_only_listens_wins_where_teammates_tell_the_answer_and_not_beside_steady_ones(
    mates: str, resolved: int
) -> None:
    games = []
    for name in SAMPLE:
        scenario = Scenario.load(name, seed=0)
        team = seat_policies(dict.fromkeys(TURN_ORDER, mates), scenario)
        games.append(play(scenario, {**team, DEV: listen}))
    assert sum(game.resolved for game in games) == resolved


@pytest.mark.proof
def test_every_gate_about_a_person_holds_over_the_situations() -> None:
    found = _measured(Study(situations(), StudyPlan(tuple(range(2)))))
    assert [one for one in found.values() if not one.passes] == []


@pytest.mark.proof
@pytest.mark.parametrize("source", situations(), ids=lambda source: source.id)
def test_a_person_who_thinks_can_resolve_each_situation_from_some_seat(
    source: ScenarioSource,
) -> None:
    """A situation that no seat can resolve beside steady teammates would be unplayable."""
    solved: list[int] = []
    for role in (SRE, DEV):
        if max(solved, default=0) < _ENOUGH:
            seeds = (Scenario.of(source, seed) for seed in range(_SEEDS))
            solved.append(sum(_resolved_by_thinking(scenario, role) for scenario in seeds))
    assert max(solved) >= _ENOUGH, solved


def _resolved_by_thinking(scenario: Scenario, role: AgentRole) -> bool:
    team = seat_policies(dict.fromkeys(TURN_ORDER, "steady"), scenario)
    return play(scenario, {**team, role: thoughtful_policy(scenario.seed)}).resolved


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
def test_a_steady_team_without_its_person_fails(role: AgentRole) -> None:
    for name in SAMPLE:
        scenario = Scenario.load(name, 2)
        team = seat_policies(dict.fromkeys(TURN_ORDER, "steady"), scenario)
        assert not play(scenario, {**team, role: pass_turn}).resolved


def test_incidents_below_the_level_medium_are_no_measure_of_who_thinks() -> None:
    figures = Thoughtful().measure(study_of("paying-ends-in-an-error"), MEDIUM_UP)
    assert {figure.value for figure in figures.values()} == {None}
