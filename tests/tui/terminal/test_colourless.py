"""Without colours, attributes and shapes say what colours say."""

from __future__ import annotations

import pytest
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.widgets import OptionList

from chaosops.env.models import AgentRole
from tests.tui.games import game, press, roster, settled
from tui.app import ChaosOpsApp
from tui.terminal.colourless import Colourless
from tui.widgets.panes.board import Board
from tui.widgets.picker.picker import Picker

SIZES = [(80, 24), (120, 40)]


def attributes(app: ChaosOpsApp) -> list[tuple[str, Style]]:
    """Every piece of text on the screen with its style."""
    return [
        (segment.text, segment.style or Style())
        for strip in app.screen._compositor.render_strips()
        for segment in strip
    ]


@pytest.fixture(autouse=True)
def no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def test_colours_go_and_attributes_and_what_a_click_means_stay() -> None:
    style = Style(color="red", bgcolor="#102030", bold=True, reverse=True, link="https://x.example")
    style += Style.from_meta({"option": 3})
    (bare,) = Colourless().apply([Segment("x", style)], Color(0, 0, 0))
    assert bare.style is not None
    assert (bare.style.color, bare.style.bgcolor) == (None, None)
    assert (bare.style.bold, bare.style.reverse, bare.style.link) == (True, True, style.link)
    assert bare.style.meta == {"option": 3}
    assert RichColor.parse("red") == style.color


@pytest.mark.few(1)
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_what_is_highlighted_can_be_told_without_colours(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert not any(style.color or style.bgcolor for _, style in attributes(app))
        await press(pilot, "1", "down")
        marked = [text for text, style in attributes(app) if style.underline]
        listing = screen.query_one(OptionList)
        assert listing.highlighted == 1
        assert " 2  catalog" in "".join(marked)
        assert "edge" not in "".join(marked)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_where_the_focus_is_can_be_told_without_colours(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        pane = screen.query_one(Board).query_one("#services")
        seen = ["".join(text for text, _ in attributes(app))]
        for widget in (pane, screen.query_one(Picker)):
            widget.focus()
            await settled(pilot)
            seen.append("".join(text for text, _ in attributes(app)))
        assert seen[0] != seen[1] != seen[2]
        assert "┃" in seen[1]
