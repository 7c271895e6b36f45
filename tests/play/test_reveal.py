"""What a debrief reveals first, and what would have told the twins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chaosops.agents.policies import Policy, expert_policy, pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Diagnosis,
    Stake,
)
from chaosops.env.topology_context import TopologyContext
from chaosops.env.world_sim import Scenario
from chaosops.play.debrief import ledger
from chaosops.play.formatting import in_words
from chaosops.play.reveal import revealed, twins_told
from chaosops.play.verdicts import told_verdict
from chaosops.scenarios.fitting import sites
from tests.worlds import some_ids

WORLD = Scenario.load("checkout-times-out", seed=7)


def _end(policy: Policy) -> tuple[dict[str, str], dict[str, str]]:
    """What is revealed after a game in which every seat plays by a policy, and of the twins."""
    stepper = Stepper(ChaosOpsEnvironment(), WORLD)
    while not stepper.done:
        stepper.take(policy(stepper.observation, stepper.role))
    last = stepper.observation
    facts = ledger(WORLD, stepper.steps, last)
    return dict(revealed(WORLD, last.view, facts)), dict(twins_told(WORLD, stepper.steps))


def test_who_named_nothing_and_looked_nowhere_is_told_so() -> None:
    told, twins = _end(pass_turn)
    assert told["The team said"] == "nothing: no diagnosis was made."
    assert told["It was"] == "row lock."
    assert told["What decides"].startswith("runtime of db: ")
    assert told["What decides"].endswith("Nobody looked there.")
    assert {*twins} == {
        "Its twin deadlock",
        "Its twin DDL lock",
        "Its twin pool leak",
        "Its twin plan flip",
        "Its twin slow disk",
    }
    assert all(text.endswith("Nobody took a look at runtime.") for text in twins.values())


def test_a_right_diagnosis_is_told_with_its_place_and_stake_and_who_looked_when() -> None:
    expert = expert_policy(1)
    told, twins = _end(expert)
    assert told["The team said"].startswith("row lock at db, certain (")
    assert told["The team said"].endswith("): right.")
    assert in_words(WORLD.failure_type) in told["It was"]
    assert " looked there at " in told["What decides"]
    assert not [text for text in twins.values() if "Nobody took a look" in text]


def test_a_right_cause_at_another_place_is_told_apart() -> None:
    expert = expert_policy(1)

    def misplaced(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        action = expert(observation, role)
        if action.action_type is not ActionType.DIAGNOSE:
            return action
        return replace(action, args={**action.args, "place": "queue"})

    told, _ = _end(misplaced)
    assert told["The team said"].startswith("row lock at queue, ")
    assert told["The team said"].endswith(": right, but it was elsewhere.")


def test_every_page_about_a_game_tells_a_right_cause_at_another_place_alike() -> None:
    made = Diagnosis(0, AgentRole.SRE, WORLD.failure_type, True, "db", Stake.CERTAIN)
    place = WORLD.incident.drawn.place
    assert told_verdict(made._replace(place=place), WORLD) == "right"
    assert told_verdict(made._replace(place="queue"), WORLD) == "right, but it was elsewhere"
    assert told_verdict(made._replace(place=""), WORLD) == "right, without its place"
    assert told_verdict(made._replace(right=False), WORLD) == "wrong"
    assert told_verdict(made._replace(place="queue"), None) == "right"


@pytest.mark.slow
def test_the_places_that_are_paid_for_are_those_that_the_debrief_calls_right() -> None:
    for name in some_ids():
        for seed in range(4):
            world = Scenario.load(name, seed)
            incident, context = world.incident, TopologyContext.of(world, None)
            services = context.blueprint.services
            paid = {services[site].name for site in context.truth(incident).casts[0].sites()}
            assert paid == sites(incident.drawn)
