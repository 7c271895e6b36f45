"""Every screen in every size and theme, as it was last looked at and found good."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from textual.theme import Theme

from tui.fixtures import FIXTURES, SMALL, WIDE, Fixture, fixture, settled
from tui.themes import DARK, LIGHT

SIZES = {"120x40": WIDE, "80x24": SMALL}
WIDER = {"160x45": (160, 45), "250x70": (250, 70)}
"""Sizes in which the screens that change from 160 columns on are looked at as well."""
CHANGING = (
    "home",
    "briefing",
    "incident",
    "oversight",
    "dev",
    "manager",
    "replay",
    "chart",
    "debrief",
)
EACH_SIZE = pytest.mark.parametrize(
    "size",
    [pytest.param(size, marks=[] if size == "80x24" else [pytest.mark.slow]) for size in SIZES],
)
CURE = "look at it; if it is right, run the test again with --snapshot-update"


@pytest.fixture(autouse=True)
def same_place_and_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Screens name folders and times of day."""
    monkeypatch.chdir(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.few(1)
@EACH_SIZE
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
async def test_the_screen_looks_as_it_did(
    snapshot: SnapshotAssertion, fixture: Fixture, size: str
) -> None:
    picture = await _picture(fixture, size, DARK)
    same = picture == snapshot(name=DARK.name, extension_class=SVGImageExtension)
    assert same, f"{fixture.name} at {size} has changed: {CURE}"


@pytest.mark.slow
@pytest.mark.parametrize("size", WIDER)
@pytest.mark.parametrize("name", CHANGING)
async def test_the_wide_screen_looks_as_it_did(
    snapshot: SnapshotAssertion, name: str, size: str
) -> None:
    picture = await _picture(fixture(name), size, DARK)
    same = picture == snapshot(name=DARK.name, extension_class=SVGImageExtension)
    assert same, f"{name} at {size} has changed: {CURE}"


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
async def test_the_screen_looks_as_it_did_in_the_light_theme(
    snapshot: SnapshotAssertion, fixture: Fixture, size: str
) -> None:
    picture = await _picture(fixture, size, LIGHT)
    same = picture == snapshot(name=LIGHT.name, extension_class=SVGImageExtension)
    assert same, f"{fixture.name} at {size} has changed in {LIGHT.name}: {CURE}"


async def _picture(fixture: Fixture, size: str, theme: Theme) -> str:
    recordings = Path("recordings")
    recordings.mkdir()
    app = fixture.app(recordings)
    async with app.run_test(size=(SIZES | WIDER)[size]) as pilot:
        await fixture.set_up(pilot)
        app.theme = theme.name
        await settled(pilot)
        return app.export_screenshot()
