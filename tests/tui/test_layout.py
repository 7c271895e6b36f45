"""What is on the screen does not depend on how it came about."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import groupby

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

import tui.screens
from chaosops.env.models import AgentRole
from chaosops.play.action_form.state import Stage
from tests.tui.games import game, roster, settled
from tui.app import ChaosOpsApp
from tui.screens.incident.handover import HandoverScreen
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.picker.picker import Picker

SIZES = (
    (60, 20),
    (80, 24),
    (119, 40),
    (120, 31),
    (120, 32),
    (120, 40),
    (160, 45),
    (200, 50),
    (250, 70),
)
TINY = ((1, 1), (2, 1), (2, 3), (10, 3), (20, 5), (200, 1), (1, 60))
OVERLAYS = (
    ("question_mark", "escape"),
    ("ctrl+p", "escape"),
    ("f2", "escape"),
    ("ctrl+g", "escape"),
    ("ctrl+g", "enter", "escape", "escape"),
    ("f2", "k", "escape", "escape"),
    ("h", "escape"),
    ("t", "escape"),
    ("p", "enter"),
    ("1", "escape", "escape"),
)
CURTAIN = ("0", "enter", "enter")

Step = tuple[int, int] | tuple[str, ...]
Drawn = list[tuple[str, str]]


def drawn(app: ChaosOpsApp) -> list[Drawn]:
    """Every line on the screen, as runs of one style; of a blank only its background is seen."""

    def seen(segment: Segment) -> str:
        style = segment.style
        if style is None or segment.text.strip() or style.reverse or style.underline:
            return str(style)
        return f"on {style.bgcolor}"

    return [
        [(kind, "".join(part.text for part in run)) for kind, run in groupby(cells(strip), seen)]
        for strip in app.screen._compositor.render_strips()
    ]


def cells(strip: Iterable[Segment]) -> Iterator[Segment]:
    """The segments of a line, one for each character."""
    for segment in strip:
        yield from (Segment(character, segment.style) for character in segment.text)


async def do(pilot: Pilot[int], step: Step, *, hasty: bool) -> None:
    """Take a step; a hasty one does not wait for what comes of it."""
    for item in step:
        if isinstance(item, str):
            await pilot.press(item)
            if not hasty:
                await settled(pilot)
    if isinstance(step[0], int):
        size = Size(*step)
        assert pilot.app._driver is not None
        pilot.app._driver._size = (size.width, size.height)
        pilot.app.post_message(events.Resize(size, size))
        if not hasty:
            await settled(pilot)


async def back_to_the_board(pilot: Pilot[int], screen: IncidentScreen) -> None:
    """Close what is open over it, and in the picker."""
    for _ in range(12):
        await settled(pilot)
        picker = screen.query_one(Picker)
        if pilot.app.screen is screen and picker.flow.stage is Stage.PICK and picker.has_focus:
            # The services scroll to the marked one after the refresh that shows them.
            await settled(pilot)
            return
        at_curtain = isinstance(pilot.app.screen, HandoverScreen)
        await pilot.press("enter" if at_curtain else "escape")
    raise AssertionError(f"{pilot.app.screen} stays")


async def played(
    start: tuple[int, int], steps: list[tuple[Step, bool]], end: tuple[int, int]
) -> tuple[list[Drawn], int]:
    """What one person in two seats sees after some steps, and how many turns were taken."""
    app, screen = game(roster(AgentRole.SRE, AgentRole.DEV))
    async with app.run_test(size=start) as pilot:
        await settled(pilot)
        for step, hasty in steps:
            await do(pilot, step, hasty=hasty)
        await do(pilot, end, hasty=False)
        await back_to_the_board(pilot, screen)
        return drawn(app), screen.session.turn


async def fresh(size: tuple[int, int], turn: int) -> list[Drawn]:
    """The same board in a game that was begun and played at that size."""
    app, screen = game(roster(AgentRole.SRE, AgentRole.DEV))
    async with app.run_test(size=size) as pilot:
        await back_to_the_board(pilot, screen)
        while screen.session.turn < turn:
            await do(pilot, CURTAIN[:2], hasty=False)
            await back_to_the_board(pilot, screen)
        return drawn(app)


STEPS: st.SearchStrategy[Step] = st.one_of(
    st.sampled_from(SIZES), st.sampled_from(TINY), st.sampled_from(OVERLAYS), st.just(CURTAIN)
)


@pytest.mark.slow
@settings(max_examples=4)
@given(
    start=st.sampled_from(SIZES),
    steps=st.lists(st.tuples(STEPS, st.booleans()), min_size=1, max_size=6),
    end=st.sampled_from(SIZES),
)
@example(start=(120, 36), steps=[(("enter",), False), ((2, 1), False)], end=(120, 36))
@example(start=(120, 36), steps=[(("enter",), False), ((2, 3), False)], end=(120, 36))
async def test_after_any_sizes_curtains_and_overlays_the_screen_is_as_if_drawn_afresh(
    start: tuple[int, int], steps: list[tuple[Step, bool]], end: tuple[int, int]
) -> None:
    now, turn = await played(start, steps, end)
    assert now == await fresh(end, turn)


@pytest.mark.slow
async def test_what_changes_after_a_layout_that_came_in_between_is_measured_anew() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        banner = screen.query_one("#banner", Static)
        banner.display = True
        for width, lines in ((130, 3), (140, 1), (150, 2)):
            # While the machine is busy, the screen does all of this before the banner's own turn.
            banner.update("line\nline")
            app._size = Size(width, 40)
            screen._screen_resized(app.size)
            banner.update("\n".join(["line"] * lines))
            await settled(pilot)
            assert banner.size.height == lines


def test_every_screen_is_measured_anew() -> None:
    found = {
        value
        for info in pkgutil.walk_packages(tui.screens.__path__, "tui.screens.")
        for value in vars(import_module(info.name)).values()
        if isinstance(value, type) and issubclass(value, Screen) and value.__module__ == info.name
    }
    assert len(found) > 20
    assert {kind for kind in found if not issubclass(kind, Remeasured)} == set()


class OneText(Remeasured, Screen[None]):
    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static("one line")


async def test_a_text_that_was_measured_while_it_waited_for_a_layout_is_measured_again() -> None:
    app = ChaosOpsApp(OneText)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        box, text = app.screen.query_one(VerticalScroll), app.screen.query_one(Static)
        text.refresh(layout=True)
        box._clear_arrangement_cache()
        box.arrange(box.size)
        text.update("two\nlines")
        await settled(pilot)
        assert text.size.height == 2
