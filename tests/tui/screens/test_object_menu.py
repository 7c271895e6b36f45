"""Select a service or an agent, and do something there."""

from __future__ import annotations

import pytest
from textual.widgets import OptionList

from chaosops.env.models import ActionType, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.state import Stage
from tests.tui.games import game, press, roster, settled, text_of
from tests.tui.widgets.test_key_guard import Clock
from tui.screens.incident.object_menu import ObjectMenu
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.key_guard import SEEN_AFTER
from tui.widgets.panes.audit import AuditPane
from tui.widgets.panes.board import Board
from tui.widgets.panes.services import ServicesPane
from tui.widgets.picker.picker import Picker

WIDE = (120, 40)
SMALL = (80, 24)
_TO_THE_TOP = ("up",) * 12
"""From the service where the failure begins, which is highlighted first."""


def _first(screen: IncidentScreen) -> str:
    return screen.session.observation.view.graph[0].name


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_look_is_three_keys_and_no_confirmation(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        wanted = _first(screen)
        await press(pilot, "space", *_TO_THE_TOP, "enter", "m")
        (frame,) = [step for step in screen.session.steps if step.role is AgentRole.SRE][:1]
        assert frame.action.action_type is ActionType.INVESTIGATE
        assert (frame.action.target, frame.action.args["source"]) == (wanted, "metrics")


@pytest.mark.slow
async def test_a_fix_is_begun_with_its_target_and_waits_for_the_confirmation() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        wanted = _first(screen)
        await press(pilot, "space", *_TO_THE_TOP, "enter", "r")
        picker = screen.query_one(Picker)
        assert picker.flow.stage is Stage.CONFIRM
        assert f"restart › {wanted}" in text_of(app)
        assert not screen.session.steps
        await press(pilot, "enter")
        assert screen.session.steps[0].action.action_type is ActionType.RESTART


async def test_what_is_missing_is_asked_for() -> None:
    app, _screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "space", *_TO_THE_TOP, "enter", "s")
        assert "replicas?" in text_of(app)


@pytest.mark.slow
async def test_the_list_says_what_each_move_does_and_risks_and_closes_without_a_turn() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "space", *_TO_THE_TOP, "enter")
        text = text_of(app)
        assert "What can be done here" in text
        assert "replaces its instances" in text
        assert "costs " in text
        await press(pilot, "escape")
        assert app.screen is screen
        assert not screen.session.steps


async def test_nothing_is_highlighted_so_that_a_second_enter_takes_no_turn() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "space", "enter", "enter")
        assert isinstance(app.screen, ObjectMenu)
        assert app.screen.query_one(OptionList).highlighted is None
        assert not screen.session.steps


@pytest.mark.slow
async def test_a_key_that_comes_before_the_list_could_be_read_does_nothing() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE), clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "space", *_TO_THE_TOP, "enter", "m")
        assert not screen.session.steps
        clock.go(SEEN_AFTER * 2)
        await press(pilot, "m")
        assert screen.session.steps


@pytest.mark.slow
async def test_down_goes_to_the_next_service_and_stays_at_the_last() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "space")
        pane = screen.query_one(ServicesPane)
        first = pane.highlighted
        await press(pilot, "down")
        assert pane.highlighted == (first or 0) + 1
        await press(pilot, *["down"] * 40)
        last = pane.highlighted
        await press(pilot, "down")
        assert pane.highlighted == last
        await press(pilot, "up")
        assert pane.highlighted != last


async def test_a_click_on_a_service_lists_what_can_be_done_there() -> None:
    app, _screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.click(ServicesPane, offset=(4, 3))
        await settled(pilot)
        assert isinstance(app.screen, ObjectMenu)


@pytest.mark.slow
async def test_oversight_pauses_an_agent_from_the_audit_log() -> None:
    played = Scenario.load("checkout-times-out", seed=1)
    app, screen = game(roster(AgentRole.OVERSIGHT), played=played)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert screen.query_one(AuditPane).display
        await press(pilot, "space", "enter", "q", "enter")
        mine = [step for step in screen.session.steps if step.role is AgentRole.OVERSIGHT]
        assert mine[0].action.action_type is ActionType.PAUSE


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_whole_commands_can_be_typed_in_the_search(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        target = _first(screen)
        await press(pilot, "slash", *"restart", "space", *target, "enter")
        assert screen.query_one(Picker).flow.stage is Stage.CONFIRM
        assert f"restart › {target}" in text_of(app)


async def test_selecting_folds_a_picker_that_was_opened_and_gives_the_services_its_lines() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        before = screen.query_one(ServicesPane).size.height
        await press(pilot, "enter")
        assert screen.query_one(ServicesPane).size.height < before
        await press(pilot, "space")
        await settled(pilot)
        assert app.focused is screen.query_one(ServicesPane)
        assert screen.query_one(ServicesPane).size.height == before


async def test_a_diagnosis_typed_in_the_search_asks_for_the_stake_that_was_left_out() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        typed = f"diagnose row lock at {_first(screen)}"
        await press(pilot, "slash", *("space" if key == " " else key for key in typed), "enter")
        assert "stake?" in text_of(app)
        assert screen.session.turn == 0


async def test_a_search_says_what_is_wrong_with_a_command() -> None:
    app, _screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"restart", "space", *"nowhere")
        told = " ".join(text_of(app).split())
        assert "Nothing here matches 'restart nowhere'." in told
        assert "'nowhere' is not" in told


async def test_a_search_for_nothing_that_can_be_done_says_so() -> None:
    app, _screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"fly", "space", *"db")
        assert "Nothing here matches 'fly db'" in text_of(app)


@pytest.mark.slow
async def test_a_service_at_which_the_role_can_do_nothing_is_not_highlighted() -> None:
    played = Scenario.load("checkout-times-out", seed=1)
    app, screen = game(roster(AgentRole.OVERSIGHT), played=played)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "space")
        assert app.focused is screen.query_one(AuditPane)
        assert screen.query_one(ServicesPane).highlighted is None


async def test_selecting_beside_a_pane_without_rows_brings_the_services_to_the_front() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, *["right_square_bracket"] * 3)
        assert screen.query_one(Board).current == "channel"
        await press(pilot, "space")
        assert screen.query_one(Board).current == "services"
        assert app.focused is screen.query_one(ServicesPane)
        await press(pilot, "enter")
        assert "What can be done here" in text_of(app)
