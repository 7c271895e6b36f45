from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList

from chaosops.env.models import AgentRole
from tests.tui.games import game, press, roster, settled, text_of
from tui.app import ChaosOpsApp
from tui.fixtures import fixture
from tui.screens.dialogs.help import HelpScreen
from tui.screens.glossary.screen import GlossaryScreen
from tui.widgets.basic.lines import Lines
from tui.widgets.basic.text_line import TextLine
from tui.widgets.picker.picker import Picker

WIDE = (120, 40)
SIZES = ((60, 20), (80, 24), (120, 40), (200, 50))


def opened() -> tuple[ChaosOpsApp, GlossaryScreen]:
    screen = GlossaryScreen()
    return ChaosOpsApp(lambda: screen, pace=0), screen


@pytest.mark.slow
async def test_typing_searches_and_shows_the_best() -> None:
    app, screen = opened()
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, *"row", "space", *"lock")
        said = screen.query_one(Lines).plain
        assert said.startswith("row lock  Causes: database waits")
        assert "What tells it from its twins" in said
        assert "What ends it" in said
        await press(pilot, *["backspace"] * 8, *"terminate")
        assert screen.query_one(Lines).plain.startswith("terminate  Actions: fix")


async def test_the_arrows_go_through_the_list_while_typing() -> None:
    app, screen = opened()
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        first = screen.query_one(Lines).plain
        assert first.startswith("requests per second")
        await press(pilot, "down")
        assert screen.query_one(Lines).plain.startswith("p95")
        await press(pilot, "up")
        assert screen.query_one(Lines).plain == first
        await press(pilot, "pagedown")
        assert screen.query_one(Lines).plain != first
        assert isinstance(screen.focused, TextLine)


async def test_a_narrow_screen_shows_the_list_or_the_text() -> None:
    app, screen = opened()
    async with app.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await press(pilot, *"row", "space", *"lock")
        assert "What ends it" not in text_of(app)
        await press(pilot, "enter")
        assert "A transaction that was left open" in text_of(app)
        assert not screen.query_one(OptionList).display
        await press(pilot, "escape")
        assert screen.query_one(OptionList).display
        await pilot.resize_terminal(*WIDE)
        await settled(pilot)
        assert screen.query_one(Lines).display
        assert screen.query_one(OptionList).display


async def test_a_word_that_fits_nothing_has_near_names() -> None:
    app, screen = opened()
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, *"rwo", "space", *"lock")
        assert "Did you mean this?" in text_of(app)
        assert "  row lock" in text_of(app)
        await press(pilot, "enter", "down", "pagedown")
        assert isinstance(screen.focused, TextLine)


async def test_a_click_reads_an_entry() -> None:
    app, screen = opened()
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.click(OptionList, offset=(6, 4))
        await settled(pilot)
        assert isinstance(screen.focused, Lines)
        assert screen.focused.plain.startswith("errors")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["home", "briefing", "incident", "debrief", "replay"])
async def test_its_key_opens_it_everywhere_and_escape_returns(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("recordings")
    folder.mkdir()
    app = fixture(name).app(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await fixture(name).set_up(pilot)
        below = app.screen
        assert "Glossary" in {command.title for command in app.get_system_commands(below)}
        await press(pilot, "ctrl+g")
        assert isinstance(app.screen, GlossaryScreen)
        await press(pilot, "ctrl+g", "f1")
        assert sum(isinstance(one, GlossaryScreen) for one in app.screen_stack) == 1
        await press(pilot, "escape")
        assert app.screen is below


@pytest.mark.slow
async def test_opening_it_in_a_game_counts_as_help_and_changes_nothing() -> None:
    app, screen = game(roster(AgentRole.SRE), rounds=2)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "ctrl+g", *"restart", "enter", "escape", "escape")
        assert app.screen is screen
        assert screen.session.turn == 0
        await press(pilot, "0", "enter")
        assert screen.session.humans[0].help_opened == 1


@pytest.mark.slow
async def test_it_says_the_same_whatever_the_incident_is() -> None:
    said = []
    for app, _screen in (opened(), game(roster(AgentRole.SRE), rounds=2)):
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            if not isinstance(app.screen, GlossaryScreen):
                await press(pilot, "ctrl+g")
            await press(pilot, *"deadlock")
            said.append(app.screen.query_one(Lines).plain)
    assert said[0] == said[1]


@pytest.mark.few(1)
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_it_fits_every_size(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, _screen = opened()
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, *"hot", "enter")
        said = text_of(app)
        assert "Glossary" in said
        assert "Back" in said.splitlines()[-1]
        await press(pilot, "question_mark")
        assert isinstance(app.screen, HelpScreen)


@pytest.mark.parametrize("first", [(), ("n",), ("1", "1")])
async def test_one_key_opens_it_in_a_game_whatever_is_asked_and_leaves_that_open(
    first: tuple[str, ...],
) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, *first)
        stage = screen.query_one(Picker).flow.stage
        await press(pilot, "g")
        assert isinstance(app.screen, GlossaryScreen)
        await press(pilot, "escape")
        assert app.screen is screen
        assert screen.query_one(Picker).flow.stage is stage
