"""The case board on the screen: open it, mark, pin, go to other services, and seal."""

from __future__ import annotations

import pytest
from textual.widgets import OptionList

from chaosops.env.models import ActionType, AgentRole, Source
from chaosops.play.action_form.state import Stage
from chaosops.play.case_board import CaseMark
from tests.tui.games import game, press, roster, settled, text_of
from tui.screens.glossary.screen import GlossaryScreen
from tui.screens.incident.case_board import CaseBoardScreen
from tui.widgets.basic.lines import Lines
from tui.widgets.picker.picker import Picker

SIZES = [(80, 24), (120, 40)]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_a_cause_is_marked_and_a_reading_pinned_in_a_key_each(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "space", "enter", "m")
        await settled(pilot)
        await press(pilot, "escape", "b")
        board = app.screen
        assert isinstance(board, CaseBoardScreen)
        await press(pilot, "down", "plus_sign", "p")
        ((service, _cause, noted),) = screen.session.board.marks()
        assert noted.mark is CaseMark.FOR
        (pin,) = noted.pins
        assert pin.finding.source is Source.METRICS
        assert f"{service}: what may be behind" in text_of(app)
        assert "¹ metrics of" in text_of(app)
        await press(pilot, "escape")
        assert app.screen is screen


@pytest.mark.slow
async def test_a_seal_begins_the_diagnosis_at_the_service_and_asks_for_the_stake() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SIZES[1]) as pilot:
        await settled(pilot)
        await press(pilot, "b", "down", "d")
        picker = screen.query_one(Picker)
        assert app.screen is screen
        assert picker.flow.stage is Stage.CHOOSE
        assert "diagnose › " in text_of(app)
        assert not screen.session.steps
        await press(pilot, "1", "enter")
        made = screen.session.steps[0].action
        assert made.action_type is ActionType.DIAGNOSE
        assert {"cause", "place", "stake"} <= set(made.args)


@pytest.mark.slow
async def test_brackets_go_to_the_boards_of_other_services_and_round() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SIZES[1]) as pilot:
        await settled(pilot)
        names = [node.name for node in screen.session.observation.view.graph]
        await press(pilot, "b")
        seen = []
        for _service in names:
            await press(pilot, "right_square_bracket")
            seen.append(next(name for name in names if f"{name}: what may be" in text_of(app)))
        assert sorted(seen) == sorted(names)
        assert app.screen.query_one(OptionList).option_count


async def test_nothing_is_marked_before_a_cause_is_chosen() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SIZES[1]) as pilot:
        await settled(pilot)
        await press(pilot, "b", "plus_sign", "p", "d")
        assert isinstance(app.screen, CaseBoardScreen)
        assert not screen.session.board.marks()


@pytest.mark.few(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_cause_is_looked_up_in_a_key_and_left_in_another(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "b", "g")
        board = app.screen
        assert isinstance(board, CaseBoardScreen)
        await press(pilot, "down", "g")
        await settled(pilot)
        assert isinstance(app.screen, GlossaryScreen)
        option = board.query_one(OptionList).highlighted_option
        assert option is not None
        name = str(option.prompt).strip().partition("  ")[0]
        assert app.screen.query_one(Lines).plain.startswith(f"{name}  Causes")
        assert "What tells it from its twins" in text_of(app)
        await press(pilot, "escape")
        assert app.screen is board
        assert not screen.session.steps
