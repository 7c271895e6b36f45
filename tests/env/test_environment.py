"""How an incident ends, and what is said on the way."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from chaosops.agents.policies import random_policy
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, ChaosOpsAction, FailureType
from chaosops.env.world_sim import Scenario
from tests.sampling import sampled_sources
from tests.worlds import (
    DEPLOY_BOT,
    DEV,
    INNOCENT,
    MANAGER,
    ROGUE_PROMOTION,
    SRE,
    Move,
    built_in,
    hand_made,
    move,
    play,
    scenario,
    view_of,
)

FIX = move("terminate", "db")
RESOLVE = move("resolve")
ROGUE: dict[str, Any] = {"casts": [ROGUE_PROMOTION], "automation": [INNOCENT, DEPLOY_BOT]}
FALSE_ALARM: dict[str, Any] = {"casts": [{"cause": "tight_threshold", "places": ["edge"]}]}


def _ended(played: Scenario, moves: dict[int, Move]) -> int:
    """The turn after which it was resolved, or -1."""
    return play(played, moves).result().mttr_steps


def _cure(played: Scenario) -> Move:
    """What clears the cause that was drawn."""
    cure = played.incident.faults[0].clears[0]
    return move(cure.action.value, cure.target, **cure.arguments())


@pytest.mark.parametrize("hold", [2, 3, 5, 9])
def test_it_is_resolved_when_the_objective_was_held_for_the_hold_time(hold: int) -> None:
    stepper = play(hand_made(hold=hold), {0: FIX})
    # The session is gone in minute 1, which is the first good one.
    assert stepper.result().mttr_steps == hold
    assert stepper.observation.view.status.held == hold
    assert stepper.observation.done


def test_the_right_action_alone_resolves_nothing_while_users_are_hurt() -> None:
    played = hand_made(par=60)
    shed, back = (move("shed_load", "edge", percent=percent) for percent in (25, 0))
    assert _ended(played, {0: shed, 4: FIX}) == -1
    # The load is back in minute 9, which is the first good one.
    assert _ended(played, {0: shed, 4: FIX, 8: back}) == 8 + played.hold


def test_users_that_are_well_resolve_nothing_while_the_cause_lives() -> None:
    alarm = hand_made(hold=2, **FALSE_ALARM)
    left = play(alarm)
    assert max(step.observation.view.status.held for step in left.steps) > alarm.hold
    assert not left.result().resolved
    assert _ended(alarm, {2: _cure(alarm)}) > 2


def test_a_rogue_has_to_be_paused_and_a_flag_is_not_enough() -> None:
    played = hand_made(**ROGUE)
    fix = _cure(played)
    assert _ended(played, {2: fix}) == -1
    assert _ended(played, {1: move("flag", "deploy_bot"), 2: fix}) == -1
    assert _ended(played, {1: move("pause", "compactor"), 2: fix}) == -1
    # The rollback lands in minute 5, which is the first good one.
    assert _ended(played, {1: move("pause", "deploy_bot"), 2: fix}) == 4 + played.hold
    # It is undone in minute 7, and the second one lands in minute 13.
    again = {2: fix, 9: move("pause", "deploy_bot"), 10: fix}
    assert _ended(played, again) == 12 + played.hold


@pytest.mark.parametrize("turn", [3, 7])
def test_the_manager_cannot_end_the_wait(turn: int) -> None:
    played = hand_made(hold=15)
    stepper = play(played, {0: FIX, turn: RESOLVE})
    assert stepper.steps[turn].breakdown.false_all_clear_penalty == -30.0
    assert stepper.result().mttr_steps == played.hold


@pytest.mark.parametrize(
    "moves", [{3: RESOLVE}, {2: move("rollback", "cart"), 3: RESOLVE}, {3: FIX}]
)
def test_an_all_clear_that_is_false_ends_nothing(moves: dict[int, Move]) -> None:
    assert _ended(hand_made(), moves) == -1


def test_a_false_alarm_pages_until_the_manager_declares_it_over() -> None:
    alarm = hand_made(**FALSE_ALARM)
    assert _ended(alarm, {}) == -1
    assert _ended(alarm, {7: RESOLVE}) == 8
    said = move("diagnose", cause="false_alarm", place="edge", stake="certain")
    diagnosed = play(alarm, {0: said, 7: RESOLVE})
    assert diagnosed.steps[-1].breakdown.early_root_cause_bonus == 30.0
    fixed = play(alarm, {0: move("restart", "db"), 7: RESOLVE})
    # A restart of the database lands after two minutes.
    assert [step.breakdown.wrong_fix_penalty for step in fixed.steps[:3]] == [0.0, -25.0, 0.0]


@pytest.mark.parametrize("source", sampled_sources(built_in()))
def test_no_single_action_resolves_an_incident_in_its_own_minute(source: Any) -> None:
    played = Scenario.of(source, 1)
    solution = played.incident.solution
    turn_of = {SRE: 0, DEV: 2, MANAGER: 3}
    for step in solution:
        turn = turn_of.get(step.role, 1)
        chosen = move(step.action.value, step.target, **step.arguments())
        stepper = play(played, {turn: chosen}, turns=turn + 1)
        assert not stepper.done


# What the state says


def test_the_state_keeps_the_score() -> None:
    played = hand_made(**ROGUE)
    env = ChaosOpsEnvironment()
    env.reset(scenario=played)
    assert env.state[:6] == (False, 0, 0.0, 0, (), None)
    assert env.state.faults_live == ("rogue_promotion",)
    total = 0.0
    for action in (
        ChaosOpsAction(SRE, ActionType.RESTART, "cart"),
        ChaosOpsAction(SRE, ActionType.FLAG, "compactor"),
        ChaosOpsAction(SRE, ActionType.DIAGNOSE, None, {"cause": "memory_leak"}),
        ChaosOpsAction(SRE, ActionType.DIAGNOSE, None, {"cause": "db_deadlock"}),
    ):
        total += env.step(action).reward
        assert env.state.cumulative_reward == total
    state = env.state
    assert state.step_count == 4
    assert state.cumulative_reward == total
    assert state.wrong_fixes == 1
    assert state.oversight_flags == ("compactor",)
    assert state.declared_root_cause is FailureType.DB_DEADLOCK
    assert not state.done


def test_a_diagnosis_is_public() -> None:
    moves = {0: move("diagnose", cause="cascade"), 2: move("diagnose", cause="db_deadlock")}
    view = view_of(play(hand_made(), moves, turns=3), MANAGER)
    assert [(made.role, made.cause) for made in view.diagnoses] == [
        (SRE, FailureType.CASCADE),
        (DEV, FailureType.DB_DEADLOCK),
    ]


# Talking


def test_the_manager_assigns_work_where_all_can_read_it() -> None:
    proposal = {"action_type": "restart", "target": "db"}
    stepper = play(hand_made(), {3: move("assign", "sre", proposal=proposal)}, turns=4)
    message = view_of(stepper, DEV).channel[-1]
    assert (message.sender, message.to) == (MANAGER, SRE)
    assert message.proposal is not None
    assert message.proposal[:2] == (ActionType.RESTART, "db")
    assert message.text


def test_a_proposal_changes_nothing_by_itself() -> None:
    said = move("communicate", to="dev", text="do", proposal={"action_type": "noop"})
    asked, passed = (play(hand_made(), moves).steps for moves in ({0: said}, {}))
    assert [frame.observation.view.status for frame in asked] == [
        frame.observation.view.status for frame in passed
    ]


def test_an_escalation_takes_its_minutes_and_is_made_once_at_a_time() -> None:
    call = move("escalate", "bank")
    stepper = play(hand_made(), {3: call, 7: call, 11: call}, turns=12)
    assert "escalated bank" in stepper.steps[3].message
    assert "already" not in stepper.steps[7].message
    for frame in stepper.steps:
        assert frame.breakdown.wrong_fix_penalty == 0.0
        assert frame.breakdown.miscommunication_penalty == 0.0


def test_an_escalation_to_whoever_can_help_clears_the_fault() -> None:
    outage = hand_made(casts=[{"cause": "zone_outage", "places": ["auth"]}])
    assert _cure(outage) == move("escalate", "auth")
    # The answer comes four minutes later, and that minute is the first good one.
    assert _ended(outage, {3: move("escalate", "auth")}) == 3 + 4 + outage.hold - 1


def test_old_messages_fall_out_and_the_newest_stay() -> None:
    moves = {turn: move("communicate", text=f"message {turn}") for turn in range(100)}
    stepper = play(hand_made(**FALSE_ALARM).lasting(100), moves)
    channel = stepper.observation.view.channel
    assert len(channel) == 60
    assert channel[-1].text == "message 99"


def test_every_message_is_a_line_that_names_who_acted() -> None:
    names = {"sre": "SRE", "oversight": "Oversight", "dev": "Dev", "manager": "Manager"}
    moves = {0: FIX, 1: move("pause", "compactor"), 2: move("sing"), 3: RESOLVE}
    for frame in play(hand_made(hold=9), moves, turns=6).steps:
        assert frame.message.startswith(names[frame.role.value])
        assert "\n" not in frame.message


def test_a_fix_says_when_it_lands_and_how_far_a_service_can_be_scaled() -> None:
    played = hand_made()
    most = next(spec.max_replicas for spec in played.topology.services if spec.name == "payments")
    assert most == 10
    for wanted, note in ((8, ""), (10, ""), (12, " (at most 10 replicas)")):
        stepper = play(played, {0: move("scale", "payments", replicas=wanted)}, turns=5)
        (landed,) = stepper.observation.view.landed
        assert (landed.taken, landed.lands) == (0, 2)
        assert stepper.steps[0].message == f"SRE: scale payments{note}, lands in 2 min"


LOOK = move("investigate", "db", source="runtime")
RESTART = {"action_type": "restart", "target": "cart"}


@pytest.mark.parametrize(
    ("said", "outcome", "text"),
    [
        (move("communicate", text="hello"), "SRE wrote to all", "hello"),
        (move("communicate", to="all", text="hello"), "SRE wrote to all", "hello"),
        (move("communicate", to="dev", text=" hello "), "SRE wrote to Dev", "hello"),
        (
            move("communicate", to="dev", text="now", proposal=RESTART),
            "SRE wrote to Dev",
            "now",
        ),
        (
            move("communicate", to="dev", proposal=RESTART),
            "SRE wrote to Dev",
            "please restart cart",
        ),
        (
            move("communicate", to="dev", proposal={"action_type": "noop"}),
            "SRE wrote to Dev",
            "please noop",
        ),
        (move("communicate", finding=0), "SRE wrote to all", "runtime of db"),
        (
            move("communicate", to="dev", finding=0, proposal=RESTART),
            "SRE wrote to Dev",
            "please restart cart",
        ),
    ],
)
def test_a_message_says_what_was_written_or_else_what_comes_with_it(
    said: Move, outcome: str, text: str
) -> None:
    stepper = play(hand_made(), {0: LOOK, 4: said}, turns=5)
    assert stepper.steps[-1].message == outcome
    view = view_of(stepper, DEV)
    (message,) = (*view.channel, *view.inbox)
    assert message.text == text
    assert (message.finding is not None) is ("finding" in said[2])
    assert (message.proposal is not None) is ("proposal" in said[2])
    assert message.to is (DEV if said[2].get("to") == "dev" else None)


def test_an_assignment_and_an_escalation_are_said_in_words() -> None:
    given = move("assign", "sre", proposal=RESTART)
    stepper = play(hand_made(), {3: given, 7: move("escalate", "bank")}, turns=8)
    assert stepper.steps[3].message == "Manager assigned work to SRE"
    assert stepper.steps[7].message == "Manager escalated bank: an answer in 4 min"


def test_a_verb_and_a_cause_are_said_in_words() -> None:
    moves = {
        0: move("raise_limit", "db", limit="memory"),
        2: move("diagnose", cause="db_deadlock"),
    }
    said = [frame.message for frame in play(hand_made(), moves, turns=3).steps]
    assert said[0].startswith("SRE: raise limit db, lands in ")
    assert said[2] == "Dev diagnosed db deadlock: working theory, sealed"


@pytest.mark.parametrize("verb", ["communicate", "assign"])
def test_who_asked_for_something_hears_that_it_is_done_and_hears_it_once(verb: str) -> None:
    proposal = {"action_type": "restart", "target": "cart"}
    asked = (
        move("assign", "dev", proposal=proposal)
        if verb == "assign"
        else move("communicate", to="dev", text="please", proposal=proposal)
    )
    again = move("restart", "cart")
    turn = 3 if verb == "assign" else 0
    script = {turn: asked, 6: move("rollback", "cart"), 10: again, 14: again}
    stepper = play(hand_made(), script, turns=19)
    asker = MANAGER if verb == "assign" else SRE
    view = view_of(stepper, asker)
    heard = [m for m in (*view.channel, *view.inbox) if m.sender is DEV]
    assert [(m.minute, m.to, m.text) for m in heard] == [(10, asker, "I do: restart cart")]


def test_who_asked_hears_how_it_is_done() -> None:
    proposal = {"action_type": "scale", "target": "cart", "args": {"replicas": 4}}
    asked = move("assign", "sre", proposal=proposal)
    done = move("scale", "cart", replicas=6, hint=[1])
    view = view_of(play(hand_made(), {3: asked, 4: done}, turns=8), MANAGER)
    assert view.channel[-1].text == "I do: scale cart, replicas 6"


def test_a_copy_goes_its_own_way_from_where_it_was_made() -> None:
    env = ChaosOpsEnvironment()
    stepper = Stepper(env, scenario("checkout-times-out", 3))
    policy = random_policy(5)
    for _turn in range(9):
        stepper.take(policy(stepper.observation, stepper.role))
    other = copy.deepcopy(env)
    assert other.state == env.state
    assert copy.deepcopy(stepper).steps == stepper.steps
    one = [env.step(ChaosOpsAction(SRE, "noop")) for _turn in range(3)]
    assert [other.step(ChaosOpsAction(SRE, "noop")) for _turn in range(3)] == one
    assert copy.deepcopy(ChaosOpsEnvironment()).last_breakdown.total == 0.0
