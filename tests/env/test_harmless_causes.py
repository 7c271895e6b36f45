"""Alarms without an outage: users are well but for short dips, and a Manager may say that."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.judgement import judge
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation
from tests.env.situations import in_flight, left_alone, scenario, world

SITUATION = "site-errors-above-limit"
HARMLESS = ("broken_probe", "tight_threshold")


def play_until(
    env: ChaosOpsEnvironment, seen: ChaosOpsObservation, minute: int
) -> ChaosOpsObservation:
    """Let all pass until the Manager's turn at or after a minute."""
    while seen.view.status.minute < minute or seen.turn_role is not AgentRole.MANAGER:
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    return seen


@pytest.mark.parametrize("cause", HARMLESS)
def test_users_are_well_but_for_real_dips_one_of_which_opens_the_incident(cause: str) -> None:
    seen = left_alone(scenario(SITUATION, cause))
    users = [one.view.status.users_ok for one in seen]
    slo = seen[0].view.status.slo
    assert users[0] < slo
    dips = [ok for ok in users if ok < slo]
    assert 0.1 <= len(dips) / len(users) <= 0.35
    assert min(users) > 0.95


@pytest.mark.parametrize("cause", HARMLESS)
def test_nobody_who_passes_ends_it(cause: str) -> None:
    made = scenario(SITUATION, cause)
    seen = left_alone(made)
    assert len(seen) == 1 + 4 * made.max_steps


@pytest.mark.parametrize("cause", HARMLESS)
def test_a_manager_who_says_so_after_the_hold_ends_it(cause: str) -> None:
    env = ChaosOpsEnvironment()
    made = scenario(SITUATION, cause)
    seen = play_until(env, env.reset(made), 11)
    assert seen.view.status.held >= made.hold
    seen = env.step(ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE))
    assert seen.done
    assert env.last_breakdown.false_all_clear_penalty == 0.0


def test_a_manager_who_says_so_before_the_hold_is_wrong() -> None:
    env = ChaosOpsEnvironment()
    seen = play_until(env, env.reset(scenario(SITUATION, "broken_probe")), 7)
    assert seen.view.status.users_ok >= seen.view.status.slo
    seen = env.step(ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE))
    assert not seen.done
    assert env.last_breakdown.false_all_clear_penalty < 0.0


def test_a_manager_who_says_so_in_an_outage_is_wrong() -> None:
    env = ChaosOpsEnvironment()
    play_until(env, env.reset(scenario(SITUATION, "blind_outage")), 7)
    seen = env.step(ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE))
    assert not seen.done


@pytest.mark.parametrize("cause", HARMLESS)
def test_what_mends_the_alarm_is_never_wrong_and_what_tempts_is(cause: str) -> None:
    made = scenario(SITUATION, cause)
    truth = made.incident.drawn
    for move in truth.cause.clears:
        here = world(made).world
        change = {"change": truth.version} if truth.version else {}
        verdict = judge(here, in_flight(here, move.action, truth.place, **change))
        assert verdict.cleared
        assert not verdict.is_wrong
    for move in truth.cause.tempts:
        here = world(made).world
        verdict = judge(here, in_flight(here, move.action, truth.place, **dict(move.args)))
        assert not verdict.cleared
        assert verdict.is_wrong, move.action
