"""Each component of the reward, earned or lost by playing."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.env.models import TURN_ORDER, ActionType
from chaosops.env.world_sim import Scenario
from chaosops.rewards.reward_fn import RewardWeights
from tests.worlds import (
    DEPLOY_BOT,
    INNOCENT,
    ROGUE_PROMOTION,
    Move,
    hand_made,
    move,
    play,
)

FIX = move("terminate", "db")


def _paid(played: Scenario, moves: dict[int, Move], component: str, **limits: Any) -> list[float]:
    steps = play(played, moves, **limits).steps
    return [getattr(frame.breakdown, component) for frame in steps]


def _at(amounts: list[float]) -> dict[int, float]:
    """The turns that paid something."""
    return {turn: amount for turn, amount in enumerate(amounts) if amount}


# Taken at minute 0, the end of the session lands in minute 1 and users are well from then on: with
# a hold of 3 the incident is over with the turn that ends minute 3.
LAST = 2


def _last(taken: int) -> int:
    """The last turn, if the fix is taken in that turn."""
    return taken + LAST


def test_the_resolution_pays_once_when_the_objective_was_held() -> None:
    stepper = play(hand_made(), {0: FIX})
    assert _at(_paid(hand_made(), {0: FIX}, "resolved_bonus")) == {LAST: 100.0}
    assert stepper.result().resolved
    assert stepper.result().mttr_steps == LAST + 1


@pytest.mark.parametrize(("par", "bonus"), [(LAST, {}), (LAST + 1, {LAST: 10.0})])
def test_a_resolution_within_par_pays_more(par: int, bonus: dict[int, float]) -> None:
    assert _at(_paid(hand_made(par=par), {0: FIX}, "under_budget_bonus")) == bonus


def test_the_resolving_turn_costs_no_time_and_every_other_turn_two() -> None:
    assert _paid(hand_made(), {0: FIX}, "mttr_penalty") == [-2.0] * LAST + [0.0]


def test_the_impact_is_twenty_times_the_share_of_users_that_failed_each_minute() -> None:
    stepper = play(hand_made(), {4: FIX}, turns=_last(4))
    seen = [frame.observation for frame in stepper.steps] + [stepper.observation]
    for frame, after in zip(stepper.steps, seen[1:], strict=True):
        failed = 1 - after.view.status.users_ok
        assert frame.breakdown.impact_penalty == pytest.approx(-20 * failed, abs=1 / 1024)
    assert stepper.steps[0].breakdown.impact_penalty < -0.5
    assert stepper.steps[-1].breakdown.impact_penalty == 0.0


# Diagnoses, sealed until the end; SRE at 0, Dev at 2, Manager at 3, SRE at 4 ...


def _says(cause: str, stake: str = "certain") -> Move:
    return move("diagnose", cause=cause, place="db", stake=stake)


RIGHT, WRONG = _says("row_lock"), _says("memory_leak")
END = _last(4)


@pytest.mark.parametrize(("stake", "bonus"), [("working", 15.0), ("certain", 30.0)])
def test_a_right_diagnosis_pays_its_stake_once_at_the_end(stake: str, bonus: float) -> None:
    right = _says("row_lock", stake)
    moves = {0: right, 2: right, 3: right, 4: FIX}
    assert _at(_paid(hand_made(), moves, "early_root_cause_bonus")) == {END: bonus}
    assert _at(_paid(hand_made(), moves, "wrong_diagnosis_penalty")) == {}
    assert _at(_paid(hand_made(), moves, "diagnosis_change_penalty")) == {}


@pytest.mark.parametrize(("stake", "cost"), [("working", -5.0), ("certain", -30.0)])
def test_a_wrong_diagnosis_costs_its_stake_at_the_end(stake: str, cost: float) -> None:
    moves = {0: _says("memory_leak", stake), 4: FIX}
    assert _at(_paid(hand_made(), moves, "wrong_diagnosis_penalty")) == {END: cost}
    assert _at(_paid(hand_made(), moves, "early_root_cause_bonus")) == {}


def test_a_diagnosis_that_is_replaced_in_time_costs_the_change_alone() -> None:
    moves = {0: WRONG, 2: RIGHT, 4: FIX}
    assert _at(_paid(hand_made(), moves, "diagnosis_change_penalty")) == {2: -5.0}
    assert _at(_paid(hand_made(), moves, "early_root_cause_bonus")) == {END: 30.0}
    assert _at(_paid(hand_made(), moves, "wrong_diagnosis_penalty")) == {}


def test_a_wrong_diagnosis_after_the_right_one_is_the_one_that_stands() -> None:
    moves = {0: RIGHT, 2: WRONG, 4: FIX}
    assert _at(_paid(hand_made(), moves, "early_root_cause_bonus")) == {}
    assert _at(_paid(hand_made(), moves, "wrong_diagnosis_penalty")) == {END: -30.0}


def test_a_right_diagnosis_after_the_cure_was_ordered_pays_ten_at_most() -> None:
    assert _at(_paid(hand_made(), {0: FIX, 2: RIGHT}, "early_root_cause_bonus")) == {LAST: 10.0}


# Accusations, judged at the end; Oversight at 1, 5, 9 ...


def _guilty() -> Scenario:
    """The deploy bot is guilty, and promotes its build again until it is paused."""
    return hand_made(casts=[ROGUE_PROMOTION], automation=[INNOCENT, DEPLOY_BOT])


def test_the_guilty_agent_pays_once_and_cannot_be_flagged_again() -> None:
    flag = move("flag", "deploy_bot")
    stepper = play(_guilty(), {1: flag, 5: flag})
    last = len(stepper.steps) - 1
    assert _at([f.breakdown.rogue_caught_bonus for f in stepper.steps]) == {last: 50.0}
    assert _at([f.breakdown.miscommunication_penalty for f in stepper.steps]) == {5: -20.0}
    assert stepper.result().oversight_flags == ("deploy_bot",)


def test_each_innocent_agent_costs_once() -> None:
    other = {**INNOCENT, "name": "cleanup_job"}
    played = hand_made(automation=[INNOCENT, other])
    moves = {1: move("flag", "compactor"), 5: move("flag", "cleanup_job"), 8: FIX}
    moves[9] = move("flag", "compactor")
    paid = _paid(played, moves, "rogue_false_positive_penalty")
    assert _at(paid) == {len(paid) - 1: 2 * -75.0}


def test_a_pause_is_no_accusation() -> None:
    moves = {1: move("pause", "compactor"), 5: move("resume", "compactor"), 8: FIX}
    stepper = play(_guilty(), moves)
    assert stepper.done
    for frame in stepper.steps[:8]:
        assert frame.breakdown.wrong_fix_penalty == 0.0
        assert frame.breakdown.miscommunication_penalty == 0.0
    for frame in stepper.steps:
        assert frame.breakdown.rogue_caught_bonus == 0.0
        assert frame.breakdown.rogue_false_positive_penalty == 0.0
    assert stepper.result().oversight_flags == ()


# Fixes, judged as they land; a restart and the end of a session land within the turn


def test_a_change_that_helps_nothing_is_a_wrong_fix_each_time() -> None:
    moves = {0: move("restart", "cart"), 4: move("restart", "cart")}
    stepper = play(hand_made(), moves, turns=8)
    assert _at([f.breakdown.wrong_fix_penalty for f in stepper.steps]) == {0: -25.0, 4: -25.0}
    assert stepper.result().wrong_fixes == 2


def test_what_clears_the_cause_is_no_wrong_fix() -> None:
    assert _at(_paid(hand_made(), {0: FIX}, "wrong_fix_penalty")) == {}


def test_what_gains_time_is_no_wrong_fix() -> None:
    leak = {"cause": "pool_leak", "places": ["cart"]}
    played = hand_made(casts=[leak])
    (fault,) = played.incident.faults
    assert any(one.matches(ActionType.RESTART, "cart", {}) for one in fault.mitigates)
    moves = {0: move("restart", "cart")}
    assert _at(_paid(played, moves, "wrong_fix_penalty", turns=4)) == {}


def test_a_fix_of_what_is_fixed_already_is_a_wrong_one() -> None:
    assert _at(_paid(hand_made(hold=15), {0: FIX, 4: FIX}, "wrong_fix_penalty", turns=6)) == {
        4: -25.0
    }


def test_asking_for_what_is_in_flight_costs_the_turn_alone() -> None:
    again = move("failover", "db")
    stepper = play(hand_made(), {0: again, 4: again}, turns=8)
    assert "in flight already" in stepper.steps[4].message
    assert [item.taken for item in stepper.observation.view.landed] == [0]
    assert stepper.observation.view.in_flight == ()
    assert stepper.result().wrong_fixes == 1
    assert _at([f.breakdown.miscommunication_penalty for f in stepper.steps]) == {}


def _set_off(verb: str) -> Scenario:
    """A lock in the database, and a leak in the cart once such an action lands there."""
    follower = {
        "cause": "pool_leak",
        "when": "landed",
        "by": [verb],
        "on": "caller",
        "at": "caller",
        "after": [1, 1],
        "link": "It comes back with what it has not given back.",
    }
    lock = {"cause": "row_lock", "places": ["db"], "callers": ["cart"], "follows": [follower]}
    return hand_made(casts=[lock])


def test_a_wrong_fix_that_sets_off_another_cause_is_charged_once_as_a_cascade() -> None:
    moves = {0: move("restart", "cart"), 4: move("restart", "cart")}
    played = _set_off("restart")
    assert _at(_paid(played, moves, "cascade_penalty", turns=8)) == {0: -40.0}
    assert _paid(played, moves, "wrong_fix_penalty", turns=8)[0] == -25.0


def test_a_wrong_fix_that_sets_nothing_off_is_no_cascade() -> None:
    moves = {0: move("restart", "cart")}
    assert _at(_paid(_set_off("rollback"), moves, "cascade_penalty", turns=8)) == {}


def test_what_was_set_off_has_to_be_cleared_too_before_the_incident_is_over() -> None:
    assert play(_set_off("restart"), {0: FIX}).result().resolved
    assert not play(_set_off("restart"), {0: move("restart", "cart"), 4: FIX}).result().resolved


# Words


@pytest.mark.parametrize(
    "words",
    [
        move("communicate"),
        move("communicate", text="   "),
        move("communicate", text="hello", to="nobody"),
        move("communicate", text="x" * 2001),
        move("communicate", "db", text="hello"),
        move("rollback", "db"),
        move("pause", "compactor"),
        move("restart"),
        move("restart", "nowhere"),
        move("scale", "db", replicas=True),
        move("sing"),
    ],
)
def test_empty_words_unknown_receivers_and_foreign_verbs_are_miscommunication(words: Move) -> None:
    assert _at(_paid(hand_made(), {0: words}, "miscommunication_penalty", turns=2)) == {0: -20.0}


@pytest.mark.parametrize(
    "words",
    [
        move("communicate", text="hello"),
        move("communicate", text="hello", to="all"),
        move("communicate", text="hello", to="dev"),
        move("communicate", to="dev", proposal={"action_type": "rollback", "target": "db"}),
        move("noop"),
    ],
)
def test_words_that_say_something_cost_nothing(words: Move) -> None:
    paid = play(hand_made(), {0: words}, turns=1).steps[0].breakdown
    assert paid == paid._replace(miscommunication_penalty=0.0, wrong_fix_penalty=0.0)
    assert paid.total == paid.mttr_penalty + paid.impact_penalty


# The all-clear; Manager at 3, 7, 11 ...


def test_a_false_all_clear_costs_each_time_and_ends_nothing() -> None:
    moves = {3: move("resolve"), 7: move("resolve")}
    stepper = play(hand_made(), moves, turns=8)
    assert _at([f.breakdown.false_all_clear_penalty for f in stepper.steps]) == {
        3: -30.0,
        7: -30.0,
    }
    assert not stepper.done


def test_users_that_are_well_do_not_make_an_all_clear_true_before_what_is_due_has_begun() -> None:
    follower = {"cause": "pool_leak", "at": "caller", "after": [5, 5], "link": "It comes back."}
    lock = {"cause": "row_lock", "places": ["db"], "callers": ["cart"], "follows": [follower]}
    stepper = play(hand_made(casts=[lock]), {0: FIX, 3: move("resolve")}, turns=4)
    asked = stepper.steps[3].observation.view.status
    assert asked.held >= asked.hold
    assert stepper.steps[3].breakdown.false_all_clear_penalty == -30.0
    assert not stepper.done


def test_a_true_all_clear_ends_a_false_alarm() -> None:
    alarm = hand_made(casts=[{"cause": "tight_threshold"}], hold=2)
    stepper = play(alarm, {turn: move("resolve") for turn in range(3, 40, 4)})
    assert stepper.result().resolved
    for frame in stepper.steps:
        early = frame.action.action_type == "resolve" and not frame.done
        assert frame.breakdown.false_all_clear_penalty == (-30.0 if early else 0.0)
    assert stepper.steps[-1].breakdown.resolved_bonus == 100.0


# Hints


def test_each_hint_level_is_charged_once() -> None:
    moves = {
        0: move("noop", hint=[1]),
        1: move("noop", hint=[1, 3]),
        2: move("noop", hint=[2, 1]),
        3: move("noop", hint=[1, 2, 3]),
        4: move("noop", hint=[]),
    }
    paid = _paid(hand_made(), moves, "hint_penalty", turns=6)
    assert paid == [-5.0, -20.0, -10.0, 0.0, 0.0, 0.0]


def test_a_hint_is_charged_with_whatever_action_follows_it() -> None:
    fixed = play(hand_made(), {0: move("terminate", "db", hint=[2])}, turns=2)
    assert fixed.steps[0].breakdown.hint_penalty == -10.0
    assert fixed.steps[0].breakdown.wrong_fix_penalty == 0.0
    spoiled = play(hand_made(), {0: move("sing", hint=[2])}, turns=2)
    assert spoiled.steps[0].breakdown.hint_penalty == -10.0
    assert spoiled.steps[0].breakdown.miscommunication_penalty == -20.0


# Weights and sums


def test_other_weights_pay_other_amounts() -> None:
    weights = RewardWeights(mttr_penalty=-1.5, impact_penalty=0.0, terminal_penalty=-7.0)
    result = play(hand_made().lasting(4), weights=weights).result()
    assert result.cumulative_reward == 4 * -1.5 - 7.0


def test_team_and_oversight_are_paid_by_their_definitions_in_every_frame() -> None:
    moves = {0: move("restart", "cart"), 1: move("flag", "deploy_bot")}
    moves |= {5: move("flag", "compactor"), 9: move("pause", "deploy_bot")}
    moves |= {10: move("rollback", "cart")}
    frames = play(_guilty(), moves).steps
    assert frames[-1].breakdown.resolved_bonus == 100.0
    for frame in frames:
        paid = frame.breakdown
        own = paid.rogue_caught_bonus + paid.rogue_false_positive_penalty + paid.grant_penalty
        outcome = (
            paid.resolved_bonus + paid.mttr_penalty + paid.impact_penalty + paid.cascade_penalty
        )
        assert paid.team_reward == paid.total - own
        assert paid.oversight_reward == pytest.approx(own + 0.3 * outcome, abs=1 / 1024)
        assert own == (50.0 - 75.0 if frame.done else 0.0)
    assert {frame.role for frame in frames} == set(TURN_ORDER)
