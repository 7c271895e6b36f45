"""In sixty columns and twenty lines everything can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.containers import Vertical
from textual.widgets import OptionList

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.recording.consent import INTRODUCTION, WORDS
from chaosops.recording.events import ConsentScope
from tests.tui.games import press, settled, text_of
from tui.app import ChaosOpsApp
from tui.fixtures import fixture
from tui.widgets.basic.choice import ChoiceLine
from tui.widgets.picker.picker import Picker
from tui.widgets.status.coach_line import CoachLine

SMALLEST = (60, 20)


def words_of(app: ChaosOpsApp) -> str:
    """All that is on the screen, as if it stood in one line."""
    return " ".join(text_of(app).split())


@pytest.mark.parametrize("size", [(80, 24), SMALLEST, (60, 15), (40, 12)], ids=str)
async def test_what_is_agreed_to_is_read_from_its_beginning(
    size: tuple[int, int], tmp_path: Path
) -> None:
    app = fixture("consent").app(tmp_path)
    async with app.run_test(size=size) as pilot:
        await fixture("consent").set_up(pilot)
        box = app.screen.query_one("#consent-box", Vertical)
        assert box.scroll_offset.y == 0
        assert INTRODUCTION.split()[0] in words_of(app)
        if size[1] >= SMALLEST[1]:
            shown = words_of(app).replace("│ ", "").replace(" │", "")
            assert INTRODUCTION in shown
            assert WORDS[ConsentScope.ACTIONS] in shown
            assert "The settings can change this later." in shown
        await press(pilot, "down", "down", "down")
        assert app.screen.query_one(OptionList).highlighted == 2
        assert "this later." in words_of(app)


async def test_the_coach_says_all_of_its_step_and_its_keys(tmp_path: Path) -> None:
    app = fixture("tutorial").app(tmp_path)
    async with app.run_test(size=SMALLEST) as pilot:
        await fixture("tutorial").set_up(pilot)
        advice = app.screen.query_one(CoachLine).advice
        assert advice is not None
        assert len(advice.keys) >= 3
        said = words_of(app).replace("█ ", "")
        assert f"{advice.opening} {advice.text}" in said
        assert f"Press {' '.join(advice.keys)}" in said
        assert "catalog ◂" in said


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
async def test_the_folded_bar_names_every_action(role: AgentRole, tmp_path: Path) -> None:
    names = dict(zip(TURN_ORDER, ("incident", "oversight", "dev", "manager"), strict=True))
    app = fixture(names[role]).app(tmp_path)
    async with app.run_test(size=SMALLEST) as pilot:
        await fixture(names[role]).set_up(pilot)
        picks = [pick for pick in app.screen.query_one(Picker).flow.picks if pick.offer is None]
        assert len(picks) > 6
        for pick in picks:
            assert f"{pick.key} {pick.label}" in words_of(app)


@pytest.mark.slow
async def test_a_choice_says_all_of_what_it_is_about(tmp_path: Path) -> None:
    app = fixture("settings").app(tmp_path)
    async with app.run_test(size=SMALLEST) as pilot:
        await fixture("settings").set_up(pilot)
        choices = list(app.screen.query(ChoiceLine))
        assert len(choices) >= 4
        for choice in choices:
            assert choice.size.height == len(str(choice.render()).splitlines())
            assert " ".join(str(choice.render()).split()) in words_of(app)
            assert "…" not in str(choice.render())
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert {choice.size.height for choice in choices} == {1}
