from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.models import ChaosOpsObservation as Observation
from chaosops.play.action_form.state import Stage
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.seats import Roster
from tests.tui.games import game, press, roster, settled, text_of
from tui.screens.incident.handover import HandoverScreen
from tui.widgets.key_guard import SEEN_AFTER, TOO_SOON, KeyGuard
from tui.widgets.picker.picker import Picker

WIDE = (120, 40)
SMALL = (80, 24)
REPEAT = 0.03
"""Seconds between two repeats of a key that is held down."""
RESTART = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")
SCALE = ChaosOpsAction(AgentRole.SRE, ActionType.SCALE, "payments", {"replicas": 6})


@dataclass
class Clock:
    """A clock that stands still until a test lets time go by."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now

    def go(self, seconds: float) -> None:
        self.now += seconds


def with_copilot() -> Roster:
    def always_restarts(observation: Observation, role: AgentRole) -> ChaosOpsAction:
        return RESTART

    return roster(AgentRole.SRE).with_copilot(AgentRole.SRE, always_restarts, "helper")


def test_what_came_up_is_seen_a_moment_later() -> None:
    clock = Clock()
    guard = KeyGuard(clock)
    guard.begin("proposal")
    assert not guard.seen("proposal")
    clock.go(SEEN_AFTER)
    assert guard.seen("proposal")


def test_a_key_that_is_held_down_never_gets_through_until_it_is_let_go() -> None:
    clock = Clock()
    guard = KeyGuard(clock)
    guard.begin("proposal")
    for _ in range(100):
        clock.go(REPEAT)
        assert not guard.seen("proposal")
    clock.go(SEEN_AFTER)
    assert guard.seen("proposal")


def test_what_was_never_shown_is_not_seen() -> None:
    assert not KeyGuard(Clock()).seen("proposal")


def test_what_stays_in_view_keeps_its_time_beside_what_comes_and_what_left_loses_it() -> None:
    clock = Clock()
    guard = KeyGuard(clock)
    guard.show(("stays", "leaves"))
    clock.go(SEEN_AFTER)
    guard.show(("stays", "comes"))
    assert guard.seen("stays")
    assert not guard.seen("comes")
    guard.show(("leaves",))
    assert not guard.seen("leaves")


def test_what_comes_up_behind_something_is_not_seen_before_that_is_gone() -> None:
    clock = Clock()
    guard = KeyGuard(clock)
    guard.begin("before")
    clock.go(SEEN_AFTER)
    guard.cover()
    guard.begin("behind")
    clock.go(60)
    guard.uncover()
    assert guard.seen("before")
    assert not guard.seen("behind")
    clock.go(SEEN_AFTER)
    assert guard.seen("behind")


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_key_says_why_it_does_not_accept_what_has_only_just_come_up(
    size: tuple[int, int],
) -> None:
    clock = Clock()
    app, screen = game(with_copilot(), clock=clock)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert "copilot helper proposes" in text_of(app)
        await press(pilot, "y")
        assert TOO_SOON in text_of(app)
        assert screen.session.steps == ()
        assert screen.query_one(Picker).flow.stage is Stage.PICK
        clock.go(SEEN_AFTER)
        await press(pilot, "y")
        assert screen.session.steps[0].action == RESTART


@pytest.mark.slow
async def test_a_turn_that_has_only_just_come_up_is_not_passed_on() -> None:
    clock = Clock()
    app, screen = game(with_copilot(), clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "full_stop")
        assert TOO_SOON in text_of(app)
        assert screen.session.steps == ()
        clock.go(SEEN_AFTER)
        await press(pilot, "full_stop")
        assert screen.session.steps[0].action.action_type is ActionType.NOOP


@pytest.mark.slow
@pytest.mark.parametrize("keys", [(), ("f",)], ids=["at their pace", "fast-forward"])
async def test_an_accepting_key_that_is_held_down_takes_one_turn_only(
    keys: tuple[str, ...],
) -> None:
    clock = Clock()
    app, screen = game(with_copilot(), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        clock.go(SEEN_AFTER)
        await press(pilot, *keys)
        for _ in range(20):
            await press(pilot, "y")
            clock.go(REPEAT)
        assert screen.session.turn == len(TURN_ORDER)
        clock.go(SEEN_AFTER)
        await press(pilot, "y")
        assert screen.session.turn == 2 * len(TURN_ORDER)


@pytest.mark.slow
async def test_what_is_asked_for_again_is_looked_at_again() -> None:
    def asks(observation: Observation, role: AgentRole) -> ChaosOpsAction:
        if role is not AgentRole.DEV:
            return pass_turn(observation, role)
        proposal = {"action_type": "restart", "target": "db"}
        args = {"to": "sre", "text": "again", "proposal": proposal}
        return ChaosOpsAction(role, ActionType.COMMUNICATE, None, args)

    clock = Clock()
    app, screen = game(roster(AgentRole.SRE, others=asks), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        clock.go(SEEN_AFTER)
        for _ in range(5):
            assert "Dev proposes restart db" in text_of(app)
            await press(pilot, "y")
        assert screen.session.turn == 2 * len(TURN_ORDER)


async def test_a_proposal_that_comes_up_under_anothers_key_is_not_accepted_for_it() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        picker = screen.query_one(Picker)
        picker.flow.offer([Offer(SCALE, "Dev", "")])
        clock.go(SEEN_AFTER)
        picker.flow.offer([Offer(RESTART, "copilot", ""), Offer(SCALE, "Dev", "")])
        await press(pilot, "y")
        assert screen.session.steps == ()


async def test_a_proposal_that_comes_up_behind_a_box_is_not_accepted_as_that_closes() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "question_mark")
        screen.query_one(Picker).flow.offer([Offer(RESTART, "copilot", "")])
        clock.go(60)
        await press(pilot, "escape", "y")
        assert screen.session.steps == ()
        clock.go(SEEN_AFTER)
        await press(pilot, "y")
        assert screen.session.steps[0].action == RESTART


@pytest.mark.slow
async def test_enter_held_down_in_the_list_stops_at_the_last_look() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE), clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "down")
        for _ in range(20):
            await press(pilot, "enter")
            clock.go(REPEAT)
        assert screen.query_one(Picker).flow.stage is Stage.CONFIRM
        assert TOO_SOON in text_of(app)
        assert screen.session.steps == ()
        clock.go(SEEN_AFTER)
        await press(pilot, "enter")
        assert screen.session.steps[0].action.action_type is ActionType.INVESTIGATE


async def test_who_picks_by_a_key_and_then_presses_enter_does_not_wait() -> None:
    app, screen = game(roster(AgentRole.SRE), clock=Clock())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        assert screen.session.turn == len(TURN_ORDER)


async def test_the_key_that_ends_a_turn_does_not_open_the_next_persons_view() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE, AgentRole.OVERSIGHT), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        clock.go(SEEN_AFTER)
        await press(pilot, "enter", "0")
        for _ in range(20):
            await press(pilot, "enter")
            clock.go(REPEAT)
        assert screen.session.turn == 1
        assert isinstance(app.screen, HandoverScreen)
        assert TOO_SOON in text_of(app)
        clock.go(SEEN_AFTER)
        await press(pilot, "enter")
        assert app.screen is screen


async def test_a_seat_is_passed_for_only_once_it_can_be_seen_who_is_waited_for() -> None:
    release = threading.Event()

    def stuck(observation: Observation, role: AgentRole) -> ChaosOpsAction:
        release.wait(30)
        return pass_turn(observation, role)

    clock = Clock()
    app, screen = game(roster(AgentRole.SRE, others=stuck), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.press("0", "enter")
        while not screen.check_action("pass_for", ()):
            await pilot.pause()
        await pilot.press("x")
        await pilot.pause()
        assert TOO_SOON in text_of(app)
        assert screen.session.turn == 1
        clock.go(SEEN_AFTER)
        await pilot.press("x")
        await pilot.pause()
        assert screen.session.turn == 2
        await pilot.press("x")
        await pilot.pause()
        assert screen.session.turn == 2
        release.set()
        await settled(pilot)


TINY = [
    (2, 1),
    (10, 3),
    *(pytest.param(size, marks=pytest.mark.slow) for size in ((1, 1), (20, 5), (1, 60))),
    *(pytest.param(size, marks=pytest.mark.slow) for size in ((200, 1), (19, 40))),
]
"""Sizes in which a player sees nothing of what a key would do."""


@pytest.mark.slow
@pytest.mark.parametrize("size", TINY, ids=str)
async def test_no_key_takes_a_turn_where_nothing_can_be_drawn(size: tuple[int, int]) -> None:
    app, screen = game(with_copilot())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.resize_terminal(*size)
        await settled(pilot)
        for key in ("y", "0", "enter", "enter", "down", "enter", "enter", "1", "1", "1", "enter"):
            await press(pilot, key)
        assert screen.session.steps == ()
        await pilot.resize_terminal(*SMALL)
        await settled(pilot)
        await press(pilot, "escape", "escape", "escape")
        await press(pilot, "y")
        assert screen.session.steps[0].action == RESTART


@pytest.mark.few(1)
@pytest.mark.parametrize("size", TINY, ids=str)
async def test_no_key_buys_a_hint_whose_price_cannot_be_drawn(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "h")
        await pilot.resize_terminal(*size)
        await settled(pilot)
        await press(pilot, "1", "down", "enter", "3")
        assert screen.session.hints.taken == frozenset()
        await pilot.resize_terminal(*SMALL)
        await settled(pilot)
        await press(pilot, "1")
        assert screen.session.hints.taken == {1}


async def test_no_key_opens_the_next_persons_view_where_nothing_can_be_drawn() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE, AgentRole.DEV), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        clock.go(SEEN_AFTER)
        await pilot.resize_terminal(10, 3)
        await settled(pilot)
        clock.go(SEEN_AFTER)
        await press(pilot, "enter")
        assert isinstance(app.screen, HandoverScreen)
        await pilot.resize_terminal(*SMALL)
        await settled(pilot)
        await press(pilot, "enter")
        assert isinstance(app.screen, HandoverScreen)
        clock.go(SEEN_AFTER)
        await press(pilot, "enter")
        assert app.screen is screen


@pytest.mark.slow
async def test_what_came_up_in_a_terminal_without_room_is_looked_at_first() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.resize_terminal(10, 3)
        await settled(pilot)
        screen.query_one(Picker).flow.offer([Offer(RESTART, "copilot", "")])
        clock.go(60)
        await pilot.resize_terminal(*SMALL)
        await settled(pilot)
        await press(pilot, "y")
        assert screen.session.steps == ()
        clock.go(SEEN_AFTER)
        await press(pilot, "y")
        assert screen.session.steps[0].action == RESTART


async def _taken_at(widths: Sequence[int], heights: Sequence[int]) -> list[tuple[int, int]]:
    """Pass at each size; the sizes at which that took a turn, which it has to have shown."""
    app, screen = game(roster(AgentRole.SRE), rounds=30)
    taken = []
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        for width in widths:
            for height in heights:
                await pilot.resize_terminal(width, height)
                await settled(pilot)
                await press(pilot, "escape", "escape", "0")
                seen, before = text_of(app), screen.session.turn
                await press(pilot, "enter")
                if screen.session.turn > before:
                    assert "pass" in seen, (width, height, seen)
                    assert "do it" in seen, (width, height, seen)
                    taken.append((width, height))
    return taken


@pytest.mark.slow
async def test_where_keys_take_a_turn_the_action_and_its_last_look_were_on_the_screen() -> None:
    taken = await _taken_at((8, 130), (4, 12, 34))
    assert (130, 34) in taken
    assert not any(width < 20 or height < 4 for width, height in taken)


@pytest.mark.slow
async def test_wherever_keys_take_a_turn_the_action_and_its_last_look_were_on_the_screen() -> None:
    taken = await _taken_at((8, 24, 60, 130), (4, 8, 16, 34))
    assert {(60, 16), (130, 16), (130, 34)} <= set(taken)
    assert not any(width < 20 or height < 4 for width, height in taken)
