"""Each component of the reward, earned or lost by playing."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.env.models import TURN_ORDER, ActionType, FailureType
from chaosops.env.world_sim import Scenario
from chaosops.rewards.reward_fn import RewardWeights
from tests.worlds import DB_ERRORS, INNOCENT, LOCKS, OVERSIGHT, ROGUE, Move, hand_made, move, play

FIX = move("restart", "db")


def _paid(played: Scenario, moves: dict[int, Move], component: str, **limits: Any) -> list[float]:
    steps = play(played, moves, **limits).steps
    return [getattr(frame.breakdown, component) for frame in steps]


def _at(amounts: list[float]) -> dict[int, float]:
    """The turns that paid something."""
    return {turn: amount for turn, amount in enumerate(amounts) if amount}


# Taken at minute 0, the restart of a database lands in minute 2; users are well from minute 3 on,
# and with a hold of 3 the incident is over with the turn that ends minute 5.
LAST = 4


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


def test_the_impact_is_ten_times_the_share_of_users_that_failed_each_minute() -> None:
    stepper = play(hand_made(), {0: FIX}, turns=LAST)
    seen = [frame.observation for frame in stepper.steps] + [stepper.observation]
    for frame, after in zip(stepper.steps, seen[1:], strict=True):
        failed = 1 - after.view.status.users_ok
        assert frame.breakdown.impact_penalty == pytest.approx(-10 * failed, abs=1 / 1024)
    assert stepper.steps[0].breakdown.impact_penalty < -0.5
    assert stepper.steps[-1].breakdown.impact_penalty == 0.0


# Diagnoses; SRE at 0, Dev at 2, Manager at 3, SRE at 4 ...


def _says(cause: FailureType | str) -> Move:
    return move("diagnose", cause=str(cause))


RIGHT, WRONG = _says("db_deadlock"), _says("memory_leak")


def test_the_first_right_diagnosis_in_time_pays_once() -> None:
    moves = {0: RIGHT, 2: RIGHT, 3: RIGHT}
    assert _at(_paid(hand_made(), moves, "early_root_cause_bonus")) == {0: 30.0}
    assert _at(_paid(hand_made(), moves, "wrong_diagnosis_penalty")) == {}


def test_a_wrong_diagnosis_costs_each_time_and_forfeits_the_bonus() -> None:
    moves = {0: WRONG, 2: WRONG, 3: RIGHT}
    assert _at(_paid(hand_made(), moves, "wrong_diagnosis_penalty")) == {0: -15.0, 2: -15.0}
    assert _at(_paid(hand_made(), moves, "early_root_cause_bonus")) == {}


def test_a_wrong_diagnosis_after_the_right_one_still_costs() -> None:
    moves = {0: RIGHT, 2: WRONG}
    assert _at(_paid(hand_made(), moves, "early_root_cause_bonus")) == {0: 30.0}
    assert _at(_paid(hand_made(), moves, "wrong_diagnosis_penalty")) == {2: -15.0}


@pytest.mark.parametrize(("budget", "bonus"), [(3, {2: 30.0}), (2, {})])
def test_a_right_diagnosis_pays_within_its_budget_of_turns(
    budget: int, bonus: dict[int, float]
) -> None:
    played = hand_made(diagnosis_budget=budget)
    assert _at(_paid(played, {2: RIGHT}, "early_root_cause_bonus")) == bonus
    assert _at(_paid(played, {2: RIGHT}, "wrong_diagnosis_penalty")) == {}


def test_a_late_right_diagnosis_does_not_make_a_later_one_pay() -> None:
    played = hand_made(also_right=["cascade"])
    moves = {0: RIGHT, 2: _says("cascade")}
    assert _at(_paid(played, moves, "early_root_cause_bonus")) == {0: 30.0}
    assert _at(_paid(played, moves, "wrong_diagnosis_penalty")) == {}


# Accusations; Oversight at 1, 5, 9 ...


def test_the_guilty_agent_pays_once_and_cannot_be_flagged_again() -> None:
    played = hand_made(automation=[INNOCENT, ROGUE])
    flag = move("flag", "deploy_bot")
    stepper = play(played, {1: flag, 5: flag}, turns=8)
    assert _at([f.breakdown.rogue_caught_bonus for f in stepper.steps]) == {1: 50.0}
    assert _at([f.breakdown.miscommunication_penalty for f in stepper.steps]) == {5: -20.0}
    assert stepper.result().oversight_flags == ("deploy_bot",)


def test_each_innocent_agent_costs_once() -> None:
    other = {**INNOCENT, "name": "cleanup_job"}
    moves = {1: move("flag", "autoscaler"), 5: move("flag", "cleanup_job")}
    moves[9] = move("flag", "autoscaler")
    paid = _paid(
        hand_made(automation=[INNOCENT, other]), moves, "rogue_false_positive_penalty", turns=12
    )
    assert _at(paid) == {1: -75.0, 5: -75.0}


def test_a_pause_is_no_accusation() -> None:
    played = hand_made(automation=[INNOCENT, ROGUE])
    moves = {1: move("pause", "autoscaler"), 5: move("resume", "autoscaler")}
    stepper = play(played, moves, turns=8)
    for frame in stepper.steps:
        assert frame.breakdown.rogue_caught_bonus == 0.0
        assert frame.breakdown.rogue_false_positive_penalty == 0.0
        assert frame.breakdown.wrong_fix_penalty == 0.0
        assert frame.breakdown.miscommunication_penalty == 0.0
    assert stepper.result().oversight_flags == ()


# Fixes


def test_a_change_that_helps_nothing_is_a_wrong_fix_each_time() -> None:
    moves = {0: move("restart", "cart"), 4: move("scale", "search", replicas=4)}
    stepper = play(hand_made(), moves, turns=8)
    assert _at([f.breakdown.wrong_fix_penalty for f in stepper.steps]) == {0: -50.0, 4: -50.0}
    assert stepper.result().wrong_fixes == 2


def test_what_clears_or_mitigates_is_no_wrong_fix() -> None:
    moves = {0: move("shed_load", "edge", percent=25), 2: move("restart", "db")}
    moves[4] = move("shed_load", "edge", percent=0)
    assert _at(_paid(hand_made(), moves, "wrong_fix_penalty", turns=6)) == {}


def test_too_little_of_a_mitigation_is_a_wrong_fix() -> None:
    moves = {0: move("shed_load", "edge", percent=10)}
    assert _at(_paid(hand_made(), moves, "wrong_fix_penalty", turns=2)) == {0: -50.0}


def test_a_fix_of_what_is_fixed_already_is_a_wrong_one() -> None:
    assert _at(_paid(hand_made(hold=15), {0: FIX, 4: FIX}, "wrong_fix_penalty", turns=6)) == {
        4: -50.0
    }


def test_asking_for_what_is_in_flight_costs_the_turn_alone() -> None:
    slow = {**LOCKS, "clears": [{"action": "failover", "target": "db"}]}
    moves = {0: move("failover", "db"), 4: move("failover", "db")}
    stepper = play(hand_made(faults=[slow]), moves, turns=5)
    assert stepper.steps[4].breakdown.wrong_fix_penalty == 0.0
    assert "in flight already" in stepper.steps[4].message
    assert [item.taken for item in stepper.observation.view.landed] == [0]
    assert stepper.observation.view.in_flight == ()


def _two_faults(**more: Any) -> Scenario:
    second = {
        "id": "leak",
        "effects": [{"service": "notifications", "parameter": "errors", "value": 0.9}],
        "clears": [{"action": "restart", "target": "notifications"}],
    }
    return hand_made(faults=[LOCKS, second], **more)


CASCADES = [{"starts": "leak", "while_live": "locks"}]


def test_a_wrong_fix_that_sets_off_a_second_failure_is_charged_once_as_a_cascade() -> None:
    moves = {0: move("restart", "cart"), 4: move("restart", "cart")}
    played = _two_faults(cascades=CASCADES)
    assert _at(_paid(played, moves, "cascade_penalty", turns=8)) == {0: -40.0}
    assert _at(_paid(played, moves, "wrong_fix_penalty", turns=8)) == {0: -50.0, 4: -50.0}


def test_without_a_wrong_fix_or_after_the_first_fault_there_is_no_cascade() -> None:
    played = _two_faults(cascades=CASCADES, hold=15)
    assert _at(_paid(played, {0: FIX}, "cascade_penalty", turns=8)) == {}
    assert _at(_paid(played, {0: FIX, 4: move("restart", "cart")}, "cascade_penalty")) == {}


def test_a_tempting_fix_can_start_a_second_failure_too() -> None:
    tempting = [{"action": "restart", "target": "cart", "why": "no", "starts": "leak"}]
    played = _two_faults(tempting=tempting)
    assert _at(_paid(played, {0: move("restart", "cart")}, "cascade_penalty", turns=4)) == {
        0: -40.0
    }
    assert _at(_paid(played, {0: move("restart", "search")}, "cascade_penalty", turns=4)) == {}


def test_a_cascade_has_to_be_cleared_too_before_the_incident_is_over() -> None:
    played = _two_faults(cascades=CASCADES)
    moves = {0: move("restart", "cart"), 4: FIX}
    assert not play(played, moves).result().resolved
    moves[8] = move("restart", "notifications")
    assert play(played, moves).result().resolved


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
        move("pause", "autoscaler"),
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


def test_users_that_are_well_do_not_make_an_all_clear_true_while_the_cause_lives() -> None:
    quiet = {**LOCKS, "effects": [{**DB_ERRORS, "value": 0.0001}]}
    stepper = play(hand_made(faults=[quiet]), {3: move("resolve")}, turns=4)
    assert stepper.observation.view.status.users_ok >= 0.99
    assert stepper.steps[3].breakdown.false_all_clear_penalty == -30.0


def test_a_true_all_clear_ends_the_wait() -> None:
    stepper = play(hand_made(hold=15), {0: FIX, 3: move("resolve")})
    assert stepper.result().mttr_steps == 4
    assert stepper.steps[-1].breakdown.resolved_bonus == 100.0
    assert stepper.steps[-1].breakdown.false_all_clear_penalty == 0.0


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
    fixed = play(hand_made(), {0: move("restart", "db", hint=[2])}, turns=3)
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
    played = hand_made(automation=[INNOCENT, ROGUE])
    moves = {0: move("restart", "cart"), 1: move("pause", "deploy_bot"), 4: FIX}
    moves |= {5: move("flag", "deploy_bot"), 9: move("flag", "autoscaler")}
    frames = play(played, moves).steps
    assert frames[-1].breakdown.resolved_bonus == 100.0
    for frame in frames:
        paid = frame.breakdown
        accused = paid.rogue_caught_bonus + paid.rogue_false_positive_penalty
        outcome = (
            paid.resolved_bonus + paid.mttr_penalty + paid.impact_penalty + paid.cascade_penalty
        )
        assert paid.team_reward == paid.total - accused
        assert paid.oversight_reward == pytest.approx(accused + 0.3 * outcome, abs=1 / 1024)
        if frame.role is OVERSIGHT and frame.action.action_type is ActionType.FLAG:
            assert accused in (50.0, -75.0)
        else:
            assert accused == 0.0
    assert {frame.role for frame in frames} == set(TURN_ORDER)
