"""Keys that come faster than screens do: each has its effect, one after another, or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App, ComposeResult, SystemCommand
from textual.events import MouseDown, Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from chaosops.env.models import AgentRole
from tests.fuzz.acts import Burst
from tests.fuzz.pilot import crash_of, send, settled
from tests.tui.games import game, roster
from tui.app import ChaosOpsApp
from tui.commands import CommandSearch
from tui.fixtures import FIXTURES, fixture
from tui.screens.dialogs.palette import PaletteScreen
from tui.screens.settings.keys import KeysScreen, PressScreen
from tui.screens.settings.screen import SettingsScreen
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.taken_down import QuietWhenTakenDown
from tui.widgets.panes.board import Board

pytestmark = pytest.mark.fuzz


async def after(app: ChaosOpsApp, *acts: str) -> Screen[object]:
    """The screen after acts that were sent without a pause between them."""
    for act in acts:
        await send(app, act)
    await settled(app)
    return app.screen


def keys(*names: str) -> tuple[str, ...]:
    return tuple(f"key {name}" for name in names)


TYPED_AHEAD = keys("ctrl+p", "s", "e", "enter", "enter")


@pytest.mark.parametrize("name", [fixture.name for fixture in FIXTURES])
async def test_a_command_that_is_typed_ahead_crashes_no_screen(name: str) -> None:
    burst = Burst(name, "80x24", (*TYPED_AHEAD, "wait", *keys("ctrl+p", "pagedown", "pageup")))
    assert await crash_of(burst) == ""


async def test_a_command_that_is_typed_ahead_is_run_as_if_it_had_been_seen(tmp_path: Path) -> None:
    chosen = fixture("home")
    app = chosen.app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await chosen.set_up(pilot)
        screen = await after(app, *keys("ctrl+p", *"settings", "enter", "k"))
        assert isinstance(screen, KeysScreen)
        assert isinstance(app.screen_stack[-2], SettingsScreen)


async def test_keys_for_a_screen_that_is_coming_up_wait_for_it() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert isinstance(await after(app, *keys("ctrl+p", "pagedown")), PaletteScreen)
        assert await after(app, *keys("escape", "question_mark", "escape", "p", "escape")) is screen
        assert await after(app, *keys(*["question_mark", "escape"] * 20)) is screen
        assert screen.session.steps == ()


async def test_the_palette_finds_by_name_and_says_where_nothing_is_found(tmp_path: Path) -> None:
    chosen = fixture("home")
    app = chosen.app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await chosen.set_up(pilot)
        palette = await after(app, *keys("ctrl+p", *"zzzz", "enter", "pagedown", "up", "down"))
        assert isinstance(palette, PaletteScreen)
        assert "No command matches 'zzzz'." in str(palette._list.get_option_at_index(0).prompt)
        await after(app, *keys(*["backspace"] * 4, *"theme", "enter", *"nord", "enter"))
        assert app.theme == "nord"


async def test_the_palette_lists_first_what_a_word_of_it_begins_with() -> None:
    app, _screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        palette = await after(app, *keys("ctrl+p", "r", "e"))
        assert isinstance(palette, PaletteScreen)
        found = [command.title for command in palette._listed]
        assert found.index("Fix: restart") < found.index("Screenshot")


ANY_KEY = ("ctrl+q", "ctrl+p", "ctrl+z", "ctrl+t", "ctrl+s", "enter", "question_mark", "q")


@pytest.mark.parametrize("key", ANY_KEY)
async def test_a_key_that_is_taken_is_named_as_a_conflict_and_does_nothing_else(
    key: str, tmp_path: Path
) -> None:
    chosen = fixture("keys")
    app = chosen.app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await chosen.set_up(pilot)
        listing = app.screen.query_one(OptionList)
        listing.highlighted = listing.get_option_index("app.settings")
        assert isinstance(await after(app, *keys("enter")), PressScreen)
        screen = await after(app, *keys(key))
        assert isinstance(screen, KeysScreen)
        assert app.is_running
        said = str(screen.query_one("#keys-note").render())
        assert "use another key" in said
        assert dict(app.preferences.settings.keys) == {}


async def test_ctrl_c_leaves_while_a_key_is_captured(tmp_path: Path) -> None:
    chosen = fixture("keys")
    app = chosen.app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await chosen.set_up(pilot)
        await after(app, *keys("down", "enter", "ctrl+c"))
    assert app.return_code == 0


FOUND = {
    "a page up in a list without room": """
fixture handover
start 200x50
size 36x12
click 30 14
key enter
key 0
key pageup
""",
}
"""Bursts that the fuzzer found, made short."""


@pytest.mark.parametrize("what", FOUND)
async def test_a_burst_that_once_broke_the_game_breaks_it_no_more(what: str) -> None:
    assert await crash_of(Burst.parsed(FOUND[what])) == ""


@pytest.mark.parametrize("direction", [-1, 1])
async def test_a_list_that_was_never_drawn_can_be_paged_through(direction: int) -> None:
    class Lists(App[None]):
        def compose(self) -> ComposeResult:
            yield Menu("a", "b")

    app = Lists()
    async with app.run_test(size=(80, 24)):
        menu = app.query_one(Menu)
        menu.clear_options().add_options(["c", "d"])
        menu.highlighted = 1
        menu._lines.clear()
        menu._index_to_line.clear()
        menu.action_page_up() if direction < 0 else menu.action_page_down()
        assert menu.highlighted == 1


@pytest.mark.parametrize("name", ["recordings", "keys", "home", "briefing"])
async def test_what_parts_have_sent_to_a_screen_that_is_taken_down_is_passed_over(
    name: str, tmp_path: Path
) -> None:
    chosen = fixture(name)
    app = chosen.app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await chosen.set_up(pilot)
        screen = app.screen
        assert isinstance(screen, QuietWhenTakenDown)
        assert screen.is_up
        removed = screen.remove_children()
        await removed
        screen._pruning = True
        assert not screen.is_up
        sent = OptionList.OptionHighlighted(Menu(Option("x")), Option("x"), 0)
        await screen._on_message(sent)
        await screen._on_message(Resize(Size(10, 3), Size(10, 3)))
        app.exit()


async def test_a_click_on_a_widget_that_was_just_removed_selects_nothing(tmp_path: Path) -> None:
    chosen = fixture("home")
    app = chosen.app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await chosen.set_up(pilot)
        screen = app.screen
        widget, _ = screen.get_widget_at(4, 4)
        parent, widget._parent = widget._parent, None
        assert screen.get_widget_and_offset_at(4, 4) == (None, None)
        screen._forward_event(
            MouseDown(widget, 4, 4, 0, 0, 1, False, False, False, screen_x=4, screen_y=4)
        )
        widget._parent = parent


async def test_a_board_whose_parts_are_gone_takes_in_a_view_and_opens_a_pane() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        board = screen.query_one(Board)
        await board.remove_children()
        board.show(screen.session.observation.view)
        board.open("logs")


async def test_no_command_is_run_for_a_screen_that_is_being_taken_down(tmp_path: Path) -> None:
    chosen = fixture("home")
    app = chosen.app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await chosen.set_up(pilot)
        ran: list[str] = []
        command = SystemCommand("Once", "", lambda: ran.append("once"))
        search = CommandSearch(app)
        await search._run_for(app.screen, command)
        app.screen._closing = True
        await search._run_for(app.screen, command)
        app.screen._closing = False
        assert ran == ["once"]
