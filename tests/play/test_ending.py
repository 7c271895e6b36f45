"""Which order ended an incident is read from the frames alone."""

from __future__ import annotations

from chaosops.env.models import TURN_ORDER, ActionType
from chaosops.play.ending import ending_order, is_among
from tests.worlds import hand_made, move, play

SRE, OVERSIGHT, DEV, MANAGER = TURN_ORDER
CURE = move("terminate", "db")


def test_the_last_order_that_was_not_wrong_ended_it() -> None:
    steps = play(hand_made(max_steps=12), {0: move("restart", "cart"), 4: CURE}).steps
    order = ending_order(steps)
    assert order is not None
    assert (order.role, order.action_type, order.target) == (SRE, ActionType.TERMINATE, "db")
    assert [step.turn for step in steps if is_among(step, order)] == [4]


def test_who_proposed_it_before_is_among_those_who_ended_it() -> None:
    proposal = {"action_type": "terminate", "target": "db", "args": {}}
    asked = move("communicate", None, to="sre", proposal=proposal)
    steps = play(hand_made(max_steps=12), {2: asked, 4: CURE, 6: asked}).steps
    order = ending_order(steps)
    assert [step.turn for step in steps if is_among(step, order)] == [2, 4]


def test_nothing_ended_a_game_that_was_not_resolved() -> None:
    assert ending_order(play(hand_made(max_steps=6)).steps) is None
    assert ending_order(()) is None
