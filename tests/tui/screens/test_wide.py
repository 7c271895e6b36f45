"""From 160 columns on, what a tab hides on a small screen is a pane."""

from __future__ import annotations

import pytest

from chaosops.env.models import TURN_ORDER, AgentRole
from tests.tui.games import game, press, roster, settled, text_of
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.basic.text_line import TextLine
from tui.widgets.panes.board import Board
from tui.widgets.panes.logs import LogsPane
from tui.widgets.panes.tabs import PaneTabs

SEEN = {
    AgentRole.SRE: {"services", "logs", "alerts", "channel", "findings"},
    AgentRole.OVERSIGHT: {"services", "audit", "alerts", "channel", "findings"},
    AgentRole.DEV: {"services", "logs", "changes", "alerts", "channel", "findings"},
    AgentRole.MANAGER: {"impact", "alerts", "channel", "findings"},
}


def tabs_in_view(screen: IncidentScreen) -> list[PaneTabs]:
    return [strip for strip in screen.query(PaneTabs) if strip.display]


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
@pytest.mark.parametrize("size", [(160, 45), (250, 70)])
async def test_each_role_has_every_pane_in_view_and_no_tabs(
    role: AgentRole, size: tuple[int, int]
) -> None:
    app, screen = game(roster(role))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        board = screen.query_one(Board)
        assert set(board.open_panes()) == SEEN[role]
        assert not tabs_in_view(screen)
        text = text_of(app)
        assert all(f"─ {name}" in text for name in ("Alerts", "Channel", "Findings"))
        for name in board.open_panes():
            assert board.region.contains_region(board.query_one(f"#{name}").region)


@pytest.mark.slow
async def test_a_terminal_that_shrinks_has_tabs_again_and_panes_when_it_grows() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        wide = text_of(app)
        for size in ((80, 24), (120, 40), (160, 30)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert len(tabs_in_view(screen)) == 1
        await pilot.resize_terminal(160, 45)
        await settled(pilot)
        assert not tabs_in_view(screen)
        assert text_of(app) == wide


@pytest.mark.slow
async def test_the_keys_of_the_tabs_go_from_pane_to_pane() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        visited = []
        for _ in range(6):
            await press(pilot, "right_square_bracket")
            visited.append(screen.focused.id if screen.focused else None)
        assert visited == ["services", "logs", "findings", "alerts", "channel", "services"]
        await press(pilot, "left_square_bracket")
        assert screen.focused is screen.query_one("#channel")


@pytest.mark.slow
async def test_the_search_of_the_logs_stands_above_them_and_goes_away_again() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        logs, search = screen.query_one(LogsPane), screen.query_one("#logs-search", TextLine)
        whole = logs.region
        logs.focus()
        await press(pilot, "slash", *"error")
        assert search.region.y == whole.y
        assert search.region.width == whole.width
        assert logs.region.y == whole.y + 1
        assert 'with "error"' in logs.plain
        await press(pilot, "escape")
        assert not search.display
        assert logs.region == whole


@pytest.mark.slow
async def test_at_the_curtain_no_pane_is_left() -> None:
    app, screen = game(roster(AgentRole.SRE, AgentRole.DEV))
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        await press(pilot, "enter", "0", "enter")
        assert screen.query_one(Board).open_panes() == ()
        await press(pilot, "enter")
        assert set(screen.query_one(Board).open_panes()) == SEEN[AgentRole.DEV]
