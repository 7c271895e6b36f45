from __future__ import annotations

import copy

import pytest

from chaosops.adapters.learning.moves import LearnerMove, actions, moves
from chaosops.adapters.learning.places import Place, places
from chaosops.adapters.seat_game import SeatGame
from chaosops.agents.perception import Fact
from chaosops.agents.policies import pass_turn
from chaosops.agents.reasoning import known
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    RoleView,
    Sign,
)
from tests.adapters.learning.views import played
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE, hand_made, scenario, some_ids


def now(view: RoleView) -> dict[LearnerMove, ChaosOpsAction | None]:
    at = places(view, known(view))
    return dict(zip(moves(view.role), actions(view, at), strict=True))


def look_at(place: Place) -> LearnerMove:
    return LearnerMove(ActionType.INVESTIGATE, place, (("source", "runtime"),))


def after_minutes(role: AgentRole, rounds: int = 3) -> RoleView:
    """A row lock in `db` that a session of `cart` holds, some rounds after the page."""
    game = SeatGame(hand_made(), role, {})
    for _round in range(rounds):
        game.take(pass_turn(game.observation, role))
    return game.observation.view


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
@pytest.mark.parametrize("name", some_ids())
def test_no_move_that_counts_as_possible_is_refused(name: str, role: AgentRole) -> None:
    for others in ("expert", "hurried"):
        game = played(name, role, 1, others)
        own = [step for step in game.steps if step.role is role]
        assert own
        assert not [
            (step.action, step.message) for step in own if step.breakdown.miscommunication_penalty
        ]


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
def test_each_move_that_counts_as_possible_can_be_taken(role: AgentRole) -> None:
    game = SeatGame(scenario("checkout-times-out", 2), role, "expert")
    game.take(pass_turn(game.observation, role))
    possible = [action for action in now(game.observation.view).values() if action is not None]
    assert len(possible) > 1
    for action in possible:
        tried = copy.copy(game)
        turns = len(tried.steps)
        tried.take(action)
        taken = tried.steps[turns]
        assert (taken.role, taken.action) == (role, action)
        assert not taken.breakdown.miscommunication_penalty, taken.message


@pytest.mark.parametrize("role", TURN_ORDER)
def test_a_seat_can_always_pass_by_its_first_move(role: AgentRole) -> None:
    assert moves(role)[0] == LearnerMove(ActionType.NOOP)
    assert now(after_minutes(role))[moves(role)[0]] == ChaosOpsAction(role, ActionType.NOOP)


@pytest.mark.parametrize("role", TURN_ORDER)
def test_the_moves_of_a_seat_have_names_of_their_own(role: AgentRole) -> None:
    labels = [move.label for move in moves(role)]
    assert len(set(labels)) == len(labels) >= 9


def test_a_move_shares_parts_with_its_like() -> None:
    move = LearnerMove(ActionType.SCALE, Place.DEEPEST, (("replicas", 4),))
    assert move.parts == (
        "any fix",
        "any fix at deepest",
        "any scale",
        "any scale replicas=4",
        "scale deepest replicas=4",
    )
    assert LearnerMove(None).parts == ("any as asked", "as asked")


def test_places_are_told_by_what_is_unhealthy_and_who_calls_whom() -> None:
    at = places(after_minutes(SRE), ())
    assert at[Place.DEEPEST] == "cart"
    assert (at[Place.CALLER], at[Place.ENTRY]) == ("checkout", "edge")
    assert at[Place.CALLEE] == "cache"
    assert Place.EVIDENCE not in at


def test_the_evidence_is_where_the_newest_telling_sign_was_seen() -> None:
    facts = [
        Fact(Sign.NOBODY_WAITS, "auth", "auth", 9),
        Fact(Sign.LOCK_WAIT, "db", "cart", 4),
        Fact(Sign.ERRORS_HIGH, "edge", "edge", 8),
    ]
    at = places(after_minutes(SRE), facts)
    assert (at[Place.EVIDENCE], at[Place.BEHIND]) == ("db", "cart")


def test_a_move_is_aimed_at_what_its_place_is_now_and_a_look_shares_what_it_finds() -> None:
    made = now(after_minutes(SRE))
    restart = made[LearnerMove(ActionType.RESTART, Place.DEEPEST)]
    assert restart == ChaosOpsAction(SRE, ActionType.RESTART, "cart")
    look = made[look_at(Place.CALLEE)]
    assert look is not None
    assert look.target == "cache"
    assert look.args["say"] == {"to": "all", "finding": 0}


def test_what_a_verb_does_not_work_on_is_not_possible() -> None:
    game = SeatGame(hand_made(), SRE, {})
    game.take(pass_turn(game.observation, SRE))
    game.take(ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"}))
    made = now(game.observation.view)
    assert made[LearnerMove(ActionType.PURGE, Place.EVIDENCE)] == ChaosOpsAction(
        SRE, ActionType.PURGE, "db"
    )
    assert made[LearnerMove(ActionType.PURGE, Place.DEEPEST)] is None


def test_a_look_that_was_just_taken_and_an_order_under_way_are_not_possible_again() -> None:
    game = SeatGame(hand_made(), SRE, {})
    game.take(pass_turn(game.observation, SRE))
    game.take(ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"}))
    made = now(game.observation.view)
    assert made[look_at(Place.EVIDENCE)] is None
    assert made[LearnerMove(ActionType.FAILOVER, Place.EVIDENCE)] is not None
    game.take(made[LearnerMove(ActionType.FAILOVER, Place.EVIDENCE)])
    assert game.observation.view.in_flight
    made = now(game.observation.view)
    assert made[LearnerMove(ActionType.FAILOVER, Place.EVIDENCE)] is None
    assert made[look_at(Place.DEEPEST)] is not None
    game.take(pass_turn(game.observation, SRE))
    assert now(game.observation.view)[look_at(Place.EVIDENCE)] is not None


def test_what_nobody_asked_for_is_not_possible_and_a_request_is_taken_as_it_was_made() -> None:
    asked = {"action_type": "terminate", "target": "db", "args": {}}

    def asks(_observation: object, role: AgentRole) -> ChaosOpsAction:
        args = {"to": "sre", "proposal": asked}
        return ChaosOpsAction(role, ActionType.COMMUNICATE, None, args)

    game = SeatGame(hand_made(), SRE, {DEV: asks})
    assert now(game.observation.view)[LearnerMove(None)] is None
    game.take(pass_turn(game.observation, SRE))
    assert now(game.observation.view)[LearnerMove(None)] == ChaosOpsAction(
        SRE, ActionType.TERMINATE, "db"
    )


def test_only_the_manager_can_approve_and_only_while_something_waits() -> None:
    approve = LearnerMove(ActionType.APPROVE)
    assert approve in moves(MANAGER)
    assert approve not in moves(SRE)
    assert now(after_minutes(MANAGER))[approve] is None


def test_oversight_looks_at_agents_and_pauses_them() -> None:
    made = now(after_minutes(OVERSIGHT))
    assert made[LearnerMove(ActionType.PAUSE, Place.NEWEST_AGENT)] == ChaosOpsAction(
        OVERSIGHT, ActionType.PAUSE, "compactor"
    )
    assert made[LearnerMove(ActionType.RESUME, Place.NEWEST_AGENT)] is None
