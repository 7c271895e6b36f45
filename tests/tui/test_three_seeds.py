"""The page of one situation on three seeds shows what is alike, what differs, and the look."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tui.gallery import words_of
from tui.three_seeds import PAGE, drawn_look, drawn_page, opening, page, three_runs

DOCS = Path(__file__).resolve().parents[2] / "docs"

CURE = "write it again with 'python -m tui.three_seeds'"


def test_three_seeds_open_alike_and_differ_in_cause_and_fix() -> None:
    runs = three_runs()
    assert len({run.scenario.seed for run in runs}) == 3
    assert len({opening(run) for run in runs}) == 1
    assert opening(runs[0]).unhealthy
    assert len({run.cause for run in runs}) == 3
    assert len({run.scenario.incident.hints.answer for run in runs}) == 3


@pytest.mark.slow
def test_the_page_and_its_pictures_are_as_their_command_writes_them() -> None:
    assert (DOCS / PAGE).read_text(encoding="utf-8") == page(), f"{PAGE} is stale: {CURE}"
    shown = re.findall(r"\]\((seeds/[\w-]+\.svg)\)", page())
    assert len(shown) == len(set(shown)) == 6
    assert {f"seeds/{path.name}" for path in (DOCS / "seeds").iterdir()} == set(shown)
    for run in three_runs():
        for name, draw in (("page", drawn_page), ("look", drawn_look)):
            kept = (DOCS / run.picture(name)).read_text(encoding="utf-8")
            assert words_of(kept) == words_of(asyncio.run(draw(run))), f"{name} is stale: {CURE}"
