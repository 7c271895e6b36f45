"""Every screen in every size and theme, as it was last looked at and found good."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.stages import SMALL, STAGES, WIDE, Stage

SIZES = {"120x40": WIDE, "80x24": SMALL}


@pytest.fixture(autouse=True)
def same_place_and_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Screens name folders and times of day."""
    monkeypatch.chdir(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize("light", [False, True], ids=["dark", "light"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_the_screen_looks_as_it_did(
    snap_compare: Callable[..., bool], stage: Stage, size: str, light: bool
) -> None:
    recordings = Path("recordings")
    recordings.mkdir()
    app = stage.app(recordings, light=light)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=stage.set_up)
