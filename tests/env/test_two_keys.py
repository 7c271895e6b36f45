"""Risky moves need two keys from the level medium on: who orders one, and the Manager."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.desk import AHEAD_FOR, LAPSES_AFTER, Desk, RiskyMove
from chaosops.env.models import ActionType, ChaosOpsAction, FrozenMap, PaidFor
from chaosops.env.models.approvals import FREEZES_AFTER, needs_approval
from chaosops.env.world_sim import Scenario
from tests.env.situations import scenario
from tests.env.test_living_episode import DEV, MANAGER, SRE, Game

FAILOVER = RiskyMove(SRE, ActionType.FAILOVER, "db", FrozenMap())


def slow_disk() -> Game:
    """A situation that a failover of the database cures."""
    return Game(scenario("checkout-times-out", "slow_disk"))


def look(game: Game) -> None:
    """Let the Dev look at the database, so that there is a reading behind a move there."""
    game.take(DEV, ActionType.INVESTIGATE, "db", source="logs")


def row_lock() -> Game:
    """One that it makes worse."""
    return Game(scenario("checkout-times-out", "row_lock"))


@pytest.mark.parametrize(
    ("verb", "args", "asked"),
    [
        (ActionType.FAILOVER, {}, True),
        (ActionType.PURGE, {}, True),
        (ActionType.ROTATE, {}, True),
        (ActionType.DRAIN, {}, False),
        (ActionType.DRAIN, {"unit": "instance"}, False),
        (ActionType.DRAIN, {"unit": "zone"}, True),
        (ActionType.SHED_LOAD, {"percent": 25}, False),
        (ActionType.SHED_LOAD, {"percent": 50}, True),
        (ActionType.SHED_LOAD, {"percent": 75}, True),
        (ActionType.SHED_LOAD, {"percent": 0}, False),
        (ActionType.RESTART, {}, False),
    ],
)
def test_moves_that_are_hard_to_take_back_need_an_approval(
    verb: ActionType, args: dict[str, object], asked: bool
) -> None:
    assert needs_approval(verb, args) is asked


def test_a_risky_move_waits_and_is_launched_once_the_manager_approves() -> None:
    game = slow_disk()
    game.take(SRE, ActionType.FAILOVER, "db")
    (request,) = game.seen.view.requests or ()
    assert request[:4] == (1, SRE, ActionType.FAILOVER, "db")
    assert (request.asked, request.lapses) == (0, LAPSES_AFTER)
    assert game.seen.view.in_flight == ()
    look(game)
    game.take(MANAGER, ActionType.APPROVE, None, request=1)
    (item,) = game.seen.view.in_flight  # type: ignore[misc]
    assert (item.role, item.action_type, item.target, item.taken) == (
        SRE,
        ActionType.FAILOVER,
        "db",
        3,
    )
    assert game.seen.view.requests == ()


def test_the_manager_can_answer_only_what_waits() -> None:
    game = slow_disk()
    game.pass_(3)
    verbs = {choice.action_type for choice in game.seen.view.allowed}
    assert not verbs & {ActionType.APPROVE, ActionType.REFUSE}
    game.take(SRE, ActionType.FAILOVER, "db")
    look(game)
    offered = {choice.action_type: choice for choice in game.seen.view.allowed}
    assert game.seen.turn_role is MANAGER
    assert offered[ActionType.APPROVE].arguments[0].choices == (1,)
    assert offered[ActionType.REFUSE].arguments[0].choices == (1,)


def test_nothing_is_approved_before_somebody_has_looked_at_its_target() -> None:
    game = slow_disk()
    game.take(SRE, ActionType.FAILOVER, "db")
    game.pass_(2)
    assert game.seen.view.requests is not None
    assert [request.readings for request in game.seen.view.requests] == [0]
    verbs = {choice.action_type for choice in game.seen.view.allowed}
    assert verbs & {ActionType.APPROVE, ActionType.REFUSE} == {ActionType.REFUSE}
    seen = game.env.step(ChaosOpsAction(MANAGER, ActionType.APPROVE, None, {"request": 1}))
    assert seen.refused
    assert "nobody has looked at db yet" in seen.message
    game.seen = seen
    game.take(SRE, ActionType.INVESTIGATE, "cache", source="metrics")
    assert [request.readings for request in game.seen.view.requests or ()] == [0]
    look(game)
    assert [request.readings for request in game.seen.view.requests or ()] == [1]
    assert game.seen.turn_role is MANAGER
    game.take(MANAGER, ActionType.APPROVE, None, request=1)
    assert [item.action_type for item in game.seen.view.in_flight] == [ActionType.FAILOVER]


def test_an_approval_in_advance_launches_nothing_that_nobody_has_looked_at() -> None:
    game = slow_disk()
    proposal = {"action_type": "failover", "target": "db", "args": {}}
    game.take(MANAGER, ActionType.ASSIGN, "sre", proposal=proposal)
    game.take(SRE, ActionType.FAILOVER, "db")
    assert len(game.seen.view.requests or ()) == 1
    look(game)
    game.take(SRE, ActionType.FAILOVER, "db")
    assert [item.action_type for item in game.seen.view.in_flight] == [ActionType.FAILOVER]
    assert game.seen.view.requests == ()


def test_any_reading_is_behind_a_move_at_an_entry() -> None:
    game = row_lock()
    game.take(SRE, ActionType.SHED_LOAD, "edge", percent=50)
    look(game)
    game.take(MANAGER, ActionType.APPROVE, None, request=1)
    assert [item.action_type for item in game.seen.view.landed] == [ActionType.SHED_LOAD]


def test_a_request_lapses_after_eight_minutes() -> None:
    game = slow_disk()
    game.take(SRE, ActionType.FAILOVER, "db")
    for minute in range(1, LAPSES_AFTER):
        assert game.seen.view.status.minute == minute
        assert game.seen.view.requests
        game.pass_()
    assert game.seen.view.requests == ()


def test_asking_again_while_it_waits_adds_no_request() -> None:
    game = slow_disk()
    game.take(SRE, ActionType.FAILOVER, "db")
    game.take(SRE, ActionType.FAILOVER, "db")
    assert len(game.seen.view.requests or ()) == 1


def test_who_approves_a_wrong_move_pays_as_well_as_who_ordered_it() -> None:
    game = row_lock()
    game.take(SRE, ActionType.FAILOVER, "db")
    look(game)
    game.take(MANAGER, ActionType.APPROVE, None, request=1)
    game.pass_(6)
    (wrong,), (approval,) = game.paid(PaidFor.WRONG_FIX), game.paid(PaidFor.APPROVAL)
    assert (wrong.amount, wrong.role) == (-25.0, SRE)
    assert (approval.amount, approval.role, approval.ordered) == (-15.0, MANAGER, 3)


@pytest.mark.parametrize(("is_cure", "amounts"), [(True, [-15.0]), (False, [])])
def test_a_refusal_costs_at_the_end_only_where_it_was_the_cure(
    is_cure: bool, amounts: list[float]
) -> None:
    game = slow_disk() if is_cure else row_lock()
    game.take(SRE, ActionType.FAILOVER, "db")
    game.take(MANAGER, ActionType.REFUSE, None, request=1)
    assert game.paid(PaidFor.APPROVAL) == []
    game.to_the_end()
    paid = game.paid(PaidFor.APPROVAL)
    assert [credit.amount for credit in paid] == amounts
    assert all((credit.role, credit.ordered) == (MANAGER, 3) for credit in paid)


def test_a_refusal_says_the_same_whatever_it_was() -> None:
    told = []
    for game in (slow_disk(), row_lock()):
        game.take(SRE, ActionType.FAILOVER, "db")
        game.take(MANAGER, ActionType.REFUSE, None, request=1)
        told.append(game.seen.message)
    assert told[0] == told[1]


def test_assigning_a_risky_move_approves_it_in_advance_for_twelve_minutes() -> None:
    for wait, launched in ((0, True), (8, True), (12, False)):
        game = slow_disk()
        look(game)
        proposal = {"action_type": "failover", "target": "db", "args": {}}
        game.take(MANAGER, ActionType.ASSIGN, "sre", proposal=proposal)
        game.pass_(wait)
        game.take(SRE, ActionType.FAILOVER, "db")
        assert bool(game.seen.view.in_flight) is launched
        assert bool(game.seen.view.requests) is not launched


def test_assigning_what_waits_approves_it_at_once() -> None:
    game = slow_disk()
    game.take(SRE, ActionType.FAILOVER, "db")
    look(game)
    proposal = {"action_type": "failover", "target": "db", "args": {}}
    game.take(MANAGER, ActionType.ASSIGN, "sre", proposal=proposal)
    assert game.seen.view.requests == ()
    assert [item.action_type for item in game.seen.view.in_flight] == [ActionType.FAILOVER]


def test_an_approval_of_what_lapsed_costs_the_turn_and_says_so() -> None:
    game = slow_disk()
    game.take(SRE, ActionType.FAILOVER, "db")
    game.pass_(LAPSES_AFTER)
    while game.seen.turn_role is not MANAGER:
        game.pass_()
    seen = game.env.step(ChaosOpsAction(MANAGER, ActionType.APPROVE, None, {"request": 1}))
    assert seen.refused
    assert "nothing manager can do" in seen.message


def test_a_move_that_is_easy_to_take_back_needs_no_approval() -> None:
    game = row_lock()
    game.take(SRE, ActionType.TERMINATE, "db")
    assert game.seen.view.requests == ()
    game.take(DEV, ActionType.RESTART, "cart")
    assert game.seen.view.requests == ()


steps = st.lists(
    st.tuples(st.sampled_from(["ask", "ahead", "take"]), st.integers(0, 2), st.integers(0, 3)),
    max_size=30,
)


@given(steps)
def test_a_desk_never_has_a_move_twice_and_drops_what_lapsed(
    done: list[tuple[str, int, int]],
) -> None:
    desk, minute = Desk(), 0
    moves = [FAILOVER._replace(target=name) for name in ("db", "queue", "cache")]
    for what, k, later in done:
        minute += later
        desk.expire(minute)
        if what == "ask":
            desk.ask(moves[k], minute)
        elif what == "ahead":
            desk.approve_ahead(moves[k], minute)
        elif desk.open:
            desk.take(desk.open[0].number)
        waiting = [request[1:5] for request in desk.open]
        assert len(waiting) == len(set(waiting))
        assert all(minute < request.lapses <= minute + LAPSES_AFTER for request in desk.open)
        assert [request.number for request in desk.open] == sorted(
            request.number for request in desk.open
        )
    at = desk.copy().approved_ahead(moves[0], minute)
    assert at is None or minute - at <= AHEAD_FOR


def frozen() -> Game:
    """A game in which three restarts that do no good have landed."""
    game = row_lock()
    for place in ("search", "catalog", "payments"):
        game.take(SRE, ActionType.RESTART, place)
    while not game.seen.view.status.frozen:
        game.pass_()
    return game


def test_three_wrong_fixes_freeze_changes() -> None:
    game = row_lock()
    for wrong, place in enumerate(("search", "catalog", "payments")):
        game.take(SRE, ActionType.RESTART, place)
        assert game.seen.view.requests == ()
        while game.env.state.wrong_fixes == wrong:
            assert not game.seen.view.status.frozen
            game.pass_()
    assert game.env.state.wrong_fixes == FREEZES_AFTER == 3
    assert game.seen.view.status.frozen


def test_while_changes_are_frozen_each_fix_needs_an_approval_on_a_reading() -> None:
    game = frozen()
    game.take(DEV, ActionType.RESTART, "cart")
    (request,) = game.seen.view.requests or ()
    assert request[1:4] == (DEV, ActionType.RESTART, "cart")
    verbs = {choice.action_type for choice in game.env.view_of(MANAGER).allowed}
    assert ActionType.APPROVE not in verbs
    game.take(SRE, ActionType.INVESTIGATE, "cart", source="runtime")
    game.take(MANAGER, ActionType.APPROVE, None, request=request.number)
    assert [item.target for item in game.seen.view.landed][-1] == "cart"


def test_while_changes_are_frozen_users_can_be_let_in_again_at_once() -> None:
    game = frozen()
    game.take(SRE, ActionType.SHED_LOAD, "edge", percent=0)
    assert game.seen.view.requests == ()


def test_an_easy_incident_never_freezes_changes() -> None:
    game = Game(Scenario.load("slow-then-errors", 3))
    wrong = 0
    while not game.seen.done:
        if game.seen.turn_role is SRE and wrong < 4:
            wrong += 1
            game.take(SRE, ActionType.RESTART, game.seen.view.graph[wrong].name)
        else:
            game.pass_()
    assert game.env.state.wrong_fixes >= FREEZES_AFTER
    assert not game.seen.view.status.frozen
