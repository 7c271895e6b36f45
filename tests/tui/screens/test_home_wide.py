"""What the list of incidents shows beside it where there is much room."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import OptionList

from chaosops.env.models.roles import ROLES
from chaosops.scenarios.summaries import scenario_summaries
from tests.tui.games import settled, text_of
from tests.tui.screens.test_home import home, play
from tui.app import ChaosOpsApp


async def test_a_tall_wide_screen_shows_each_level_and_the_games_of_the_highlighted_incident(
    tmp_path: Path,
) -> None:
    play(tmp_path, "checkout-times-out", 3)
    play(tmp_path, "checkout-times-out", 4)
    app = home(tmp_path)
    async with app.run_test(size=(250, 70)) as pilot:
        await settled(pilot)
        listing = app.screen.query_one(OptionList)
        ids = [option.id for option in listing.options]
        listing.highlighted = ids.index("play:checkout-times-out")
        text = await _words_when_read(app, pilot)
        assert "Its fleet" in text
        assert "edge, users come in here, 4 instances" in text
        assert "└ bank external" in text
        assert "Your games of it" in text
        for seed in (3, 4):
            assert text.count(f"min, seed {seed}") == 2
        levels = {seen.level: 0 for seen in scenario_summaries()}
        for seen in scenario_summaries():
            levels[seen.level] += 1
        assert "By level" in text
        for level, count in levels.items():
            assert re.search(
                rf"{level.value} ▱{{10}} 0 of {count} resolved, ★ 0 of {count * 3}", text
            )
        assert re.search(r" 2 of \d+ causes met| 1 of \d+ causes met", text)
        listing.highlighted = ids.index("shift")
        await settled(pilot)
        assert "Your games of it" not in text_of(app)
    small = home(tmp_path)
    async with small.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "By level" not in text_of(small)
        assert "Your last games" in text_of(small)


async def test_the_game_to_resume_shows_the_fleet_of_its_incident_too(tmp_path: Path) -> None:
    play(tmp_path, "checkout-times-out", 3, turns=5)
    app = home(tmp_path)
    async with app.run_test(size=(250, 70)) as pilot:
        text = await _words_when_read(app, pilot)
        assert "Continue your last unfinished game." in text
        assert "edge, users come in here, 4 instances" in text


async def test_a_newcomer_is_told_how_it_goes_and_what_each_seat_does(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(250, 70)) as pilot:
        text = await _words_when_read(app, pilot)
        assert "How it goes" in text
        for role in ROLES.values():
            assert f"{role.name} {role.duty[:60]}" in text
        listing = app.screen.query_one(OptionList)
        assert _lines_used(app) >= 50
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert "How it goes" not in text_of(app)
        assert all(str(option.prompt) for option in listing.options)
    play(tmp_path, "checkout-times-out", 3)
    app = home(tmp_path)
    async with app.run_test(size=(250, 70)) as pilot:
        assert "How it goes" not in await _words_when_read(app, pilot)


def _lines_used(app: ChaosOpsApp) -> int:
    """How far down the words beside the list go."""
    lines = [line[150:].strip() for line in text_of(app).split("\n")]
    return max(place for place, line in enumerate(lines) if line)


async def _words_when_read(app: ChaosOpsApp, pilot: Pilot[Any]) -> str:
    """What is shown once fleets and games have been read."""
    await settled(pilot)
    await app.workers.wait_for_complete()
    await settled(pilot)
    return " ".join(text_of(app).split())
