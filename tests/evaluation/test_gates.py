from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chaosops.agents.policies import Policy, oracle_policy, pass_turn
from chaosops.agents.runner import run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.env.world_sim import Scenario
from chaosops.evaluation import gates
from chaosops.evaluation.shortcuts import Shortcut
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.schema import Move, Tempting
from tests.worlds import hand_made, play


def passing(_seed: int) -> Policy:
    return pass_turn


def nobody(_scenario: Scenario) -> Policy:
    return pass_turn


@pytest.mark.proof
def test_a_sound_incident_is_proven() -> None:
    report = gates.prove(open_scenario("paying-ends-in-an-error"), range(3), shortcut_seeds=(0,))
    assert report.passed, str(report)
    assert str(report).startswith("paying-ends-in-an-error: proven on 3 seeds\npass  ")


@pytest.mark.slow
def test_the_same_incident_and_seeds_give_the_same_report() -> None:
    source = hand_made().source
    once, again = (gates.prove(source, (4, 5), shortcut_seeds=()) for _ in range(2))
    assert once == again


def test_no_seeds_prove_nothing() -> None:
    with pytest.raises(ValueError, match="at least one seed"):
        gates.prove(open_scenario("paying-ends-in-an-error"), ())


def test_a_best_line_that_does_not_resolve_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "oracle_policy", nobody)
    gate = gates.oracle_resolves([hand_made()])
    assert not gate.passed
    assert gate.words == "seed 0: not resolved"


def test_a_best_line_with_a_fix_that_helps_nothing_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It restarts the service that only waits, before it ends the session that holds the lock."""

    def clumsy(played: Scenario) -> Policy:
        line = oracle_policy(played)

        def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
            if observation.step == 0:
                return ChaosOpsAction(role, ActionType.RESTART, "cart")
            return line(observation, role)

        return policy

    monkeypatch.setattr(gates, "oracle_policy", clumsy)
    gate = gates.oracle_resolves([hand_made()])
    assert not gate.passed
    assert gate.words == "seed 0: a step of it counts as a wrong fix"


def _with(played: Scenario, **parts: Any) -> Scenario:
    """The scenario with other parts of its incident."""
    return replace(played, incident=played.incident.model_copy(update=parts))


@pytest.mark.slow
def test_a_tempting_fix_that_helps_is_found() -> None:
    assert gates.tempting_fixes_bite([hand_made()]).passed
    tempting = Tempting(action=ActionType.TERMINATE, target="db", why="It is what helps.")
    gate = gates.tempting_fixes_bite([_with(hand_made(), tempting=(tempting,))])
    assert not gate.passed
    assert gate.words == "seed 0: terminate db helps"


@pytest.mark.slow
def test_a_mitigation_that_does_not_help_is_found() -> None:
    """A restart frees the connections of the service that leaks them, and of no other."""
    played = hand_made(casts=[{"cause": "pool_leak", "places": ["cart"]}])
    assert gates.mitigations_help([played]).passed
    (leak,) = played.incident.faults
    elsewhere = Move(action=ActionType.RESTART, target="notifications")
    fault = leak.model_copy(update={"mitigates": (elsewhere,)})
    gate = gates.mitigations_help([_with(played, faults=(fault,))])
    assert not gate.passed
    assert gate.words == "seed 0: restart notifications counts as a wrong fix"


def test_a_par_that_the_best_line_misses_is_found() -> None:
    assert gates.bonuses_can_be_had([hand_made()]).passed
    hard = hand_made(par=1)
    seats = dict.fromkeys(TURN_ORDER, oracle_policy(hard))
    line = run_episode(ChaosOpsEnvironment(), hard, seats)
    gate = gates.bonuses_can_be_had([hard])
    assert gate.words == f"seed 0: par, the best line takes {line.final_step}"


def test_a_best_line_without_a_right_diagnosis_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(played: Scenario) -> Policy:
        line = oracle_policy(played)

        def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
            action = line(observation, role)
            is_named = action.action_type is ActionType.DIAGNOSE
            return pass_turn(observation, role) if is_named else action

        return policy

    monkeypatch.setattr(gates, "oracle_policy", silent)
    gate = gates.bonuses_can_be_had([hand_made()])
    assert gate.words == "seed 0: the bonus of the diagnosis"


def test_openings_that_are_alike_are_found() -> None:
    scenario = Scenario.load("paying-ends-in-an-error", 3)
    gate = gates.openings_differ([scenario, scenario])
    assert not gate.passed
    assert gate.words == "seeds 3 and 3 open alike"


@pytest.mark.slow
def test_openings_that_differ_in_traffic_alone_are_alike() -> None:
    drawn = Scenario.load("paying-ends-in-an-error", 3)
    scenarios = [replace(drawn, seed=seed) for seed in range(5)]
    assert len({repr(ChaosOpsEnvironment().reset(each)) for each in scenarios}) == 5
    gate = gates.openings_differ(scenarios)
    assert not gate.passed
    assert gate.words == (
        "seeds 0 and 1 open alike; seeds 0 and 2 open alike; seeds 0 and 3 open alike; and 1 more"
    )


def test_an_incident_the_expert_cannot_solve_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "expert_policy", passing)
    left_alone = play(hand_made()).result().final_step
    gate = gates.expert_resolves([hand_made()])
    assert not gate.passed
    assert gate.words == f"seed 0: not resolved in {left_alone} turns"


def test_a_shortcut_that_reaches_the_expert_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def idle(_scenario: Scenario) -> list[Shortcut]:
        return [Shortcut("do nothing", {})]

    monkeypatch.setattr(gates, "expert_policy", passing)
    monkeypatch.setattr(gates, "shortcuts", idle)
    gate = gates.shortcuts_fall_short([hand_made()])
    assert not gate.passed
    assert gate.words.startswith("seed 0: 'do nothing' scores ")


def test_an_expert_above_the_best_line_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "oracle_policy", nobody)
    assert not gates.oracle_leads([hand_made()]).passed


def test_a_score_is_cut_short_only_below_the_bar() -> None:
    env, scenario = ChaosOpsEnvironment(), Scenario.load("paying-ends-in-an-error")
    whole = gates.score_at_most(env, scenario, {}, -1e9)
    cut = gates.score_at_most(env, scenario, {}, 100.0)
    assert whole < cut < 100.0
