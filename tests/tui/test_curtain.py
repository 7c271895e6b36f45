"""Whoever plays several seats chooses a curtain between them, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.models import AgentRole
from chaosops.play.settings import SettingsFile
from chaosops.scenarios.summaries import scenario_summaries
from tests.cli.helpers import run_here
from tests.tui.games import game, press, roster, session, settled, text_of
from tests.tui.plain_games import played
from tui.app import ChaosOpsApp
from tui.screens.briefing.screen import BriefingScreen
from tui.screens.incident.handover import HandoverScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.settings.screen import SettingsScreen
from tui.widgets.basic.choice import ChoiceLine

SRE, DEV = AgentRole.SRE, AgentRole.DEV


@pytest.mark.slow
async def test_without_a_curtain_the_seats_follow_each_other_at_once() -> None:
    app, screen = game(roster(SRE, DEV))
    app.use_curtain_once(False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for role in (SRE, DEV, SRE):
            assert app.screen is screen
            assert screen.session.role is role
            assert f"Your turn, {'SRE' if role is SRE else 'Dev'}." in text_of(app)
            await press(pilot, "0", "enter")


async def test_the_curtain_offers_to_stay_away_and_the_settings_keep_that(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    app, screen = game(roster(SRE, DEV))
    app.preferences = SettingsFile(file)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, HandoverScreen)
        assert "Do you play every seat? n turns the curtain off." in text_of(app)
        await press(pilot, "n")
        assert app.screen is screen
        await press(pilot, "0", "enter")
        assert app.screen is screen
        assert screen.session.role is DEV
    assert not SettingsFile(file).settings.curtain


@pytest.mark.slow
@pytest.mark.parametrize("start", [True, False])
async def test_the_settings_and_the_briefing_have_a_line_for_it(
    start: bool, tmp_path: Path
) -> None:
    for where in ("settings", "briefing"):
        preferences = SettingsFile(tmp_path / f"{where}.toml")
        preferences.change(curtain=start)
        app = ChaosOpsApp(
            lambda: BriefingScreen(scenario_summaries()[0], 0, None, None),
            pace=0,
            preferences=preferences,
        )
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            if where == "settings":
                app.push_screen(SettingsScreen())
                await settled(pilot)
                app.screen.query_one("#setting-curtain", ChoiceLine).action_step(1)
                await settled(pilot)
            else:
                await press(pilot, "h", "enter")
                await settled(pilot)
                assert isinstance(app.screen, IncidentScreen)
        assert SettingsFile(tmp_path / f"{where}.toml").settings.curtain is not start


@pytest.mark.parametrize("wanted", [True, False])
def test_the_command_line_says_it_for_one_game(
    wanted: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, object] = {}
    monkeypatch.setattr(
        "chaosops.cli.game.open_incident", lambda *_args, **given: asked.update(given) or 0
    )
    option = "--curtain" if wanted else "--no-curtain"
    assert run_here(capsys, "play", "paying-ends-in-an-error", "--role", "sre", option).code == 0
    assert asked["curtain"] is wanted
    alone = run_here(capsys, "play", option)
    assert alone.code == 2
    assert "--curtain need a SCENARIO" in alone.err


def test_plain_mode_hands_over_until_somebody_plays_every_seat_alone() -> None:
    told = played(session(SRE, DEV), "", "pass", "", "pass", "", "quit")
    assert told.count("press Enter when you are ready") == 3
    told = played(session(SRE, DEV), "curtain", "pass", "pass", "pass", "quit")
    assert told.count("press Enter when you are ready") == 1
    assert "Dev, it is your turn." in told
