"""What is on the screen can be taken along as text."""

from __future__ import annotations

import pytest

from chaosops.env.models import AgentRole
from tests.tui.games import game, press, roster, settled
from tui.widgets.panes.logs import LogsPane
from tui.widgets.rewards.log import RewardLog


@pytest.mark.slow
async def test_a_key_copies_the_turn_that_is_highlighted_with_what_it_paid() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        screen.query_one(RewardLog).focus()
        await press(pilot, "up", "up", "up", "ctrl+y")
        lines = app.clipboard.splitlines()
        assert lines[0].startswith("Turn 1, ")
        assert lines[0].endswith(", SRE")
        assert any(line.startswith("time") and line.endswith("-2.0") for line in lines)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_palette_copies_and_searches_the_logs_wherever_the_focus_is(
    size: tuple[int, int],
) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        commands = {command.title: command for command in app.get_system_commands(screen)}
        wanted = {"Filter logs", "Everything in the logs", "Copy: the reward log", "Breakdown"}
        assert wanted <= set(commands)
        commands["Copy: logs"].callback()
        await settled(pilot)
        logs = screen.query_one(LogsPane)
        assert app.clipboard == logs.plain
        assert len(app.clipboard.splitlines()) > 5
        commands["Search logs"].callback()
        await settled(pilot)
        assert logs.display
        assert screen.query_one("#logs-search").has_focus
