"""The line of keys at the bottom is never cut off, in the smallest terminal that is played in."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Footer

from tests.tui.games import text_of
from tui.fixtures import SMALL, fixture

SCREENS = (
    "home",
    "briefing",
    "shift",
    "between",
    "ending",
    "incident",
    "debrief",
    "replay",
    "settings",
    "recordings",
    "keys",
    "glossary",
)
"""A fixture for each screen that has such a line."""


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, (60, 20)], ids=str)
async def test_every_footer_shows_all_its_keys(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in SCREENS:
        folder = Path(name)
        folder.mkdir()
        app = fixture(name).app(folder)
        async with app.run_test(size=size) as pilot:
            await fixture(name).set_up(pilot)
            footer = app.screen.query_one(Footer)
            assert footer.size.height == 1 or size != SMALL
            parts = [part.region for part in footer.walk_children()]
            assert all(footer.region.contains_region(part) for part in parts), name
            assert len({(part.x, part.y) for part in parts}) >= len(list(footer.children))
            told = " ".join(" ".join(text_of(app).splitlines()[-footer.size.height :]).split())
            assert "^p Commands ^q Quit" in told, name
