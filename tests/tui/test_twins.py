"""The page of twins shows every two causes that open alike, and is what its command writes."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tui.gallery import words_of
from tui.twins import PARTS, PICTURES, Twins, all_twins, drawn, name_of, page

DOCS = Path(__file__).resolve().parents[2] / "docs"

CURE = "write it again with 'python -m tui.twins'"


def twins_of(cause: str, twin: str) -> Twins:
    return next(one for one in all_twins() if (one.cause.id, one.twin.id) == (cause, twin))


@pytest.mark.slow
def test_the_page_is_as_its_command_writes_it() -> None:
    kept = (DOCS / "twins.md").read_text(encoding="utf-8")
    assert kept == page(all_twins()), f"docs/twins.md is stale: {CURE}"


@pytest.mark.slow
def test_the_page_shows_the_pictures_and_no_other() -> None:
    shown = re.findall(r"\]\((twins/[\w-]+\.svg)\)", page(all_twins()))
    kept = {f"{PICTURES}/{path.name}" for path in (DOCS / PICTURES).iterdir()}
    assert len(shown) == len(set(shown))
    assert set(shown) == kept, f"docs/{PICTURES} is stale: {CURE}"


@pytest.mark.slow
def test_twins_are_in_one_family_and_one_of_them_names_the_other() -> None:
    for one in all_twins():
        assert one.cause.family == one.twin.family
        assert one.twin.id in one.cause.twins or one.cause.id in one.twin.twins


@pytest.mark.slow
def test_the_part_that_decides_is_known_of_each_cause() -> None:
    causes = {cause.id for one in all_twins() for cause in (one.cause, one.twin)}
    assert causes <= set(PARTS), "name the part of the reading in tui/twins.py"


def test_a_sentence_names_the_investigation_both_causes_and_no_placeholder() -> None:
    for one in all_twins():
        names = (one.source.value, one.target, name_of(one.cause), name_of(one.twin))
        assert all(name in one.sentence for name in names)
        assert "{" not in one.sentence


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("cause", "twin", "here", "there"),
    [
        ("ddl_lock", "deadlock", "ALTER TABLE", "Lock/transactionid"),
        ("blocked_capacity", "rogue_scale_in", "exceeded quota", "none"),
        ("stale_credential", "latent_bug", "password authentication failed", "unhandled value"),
        ("bad_release", "rogue_promotion", "gates 4/6", "deploy_bot"),
    ],
)
def test_a_picture_has_the_reading_of_both(cause: str, twin: str, here: str, there: str) -> None:
    one = twins_of(cause, twin)
    words = [line.replace("\xa0", " ") for line in words_of(asyncio.run(drawn(one)))]
    for expected in (here, there):
        assert any(expected in line for line in words)
    heads = [line for line in words if f": {one.source.value} of {one.target}" in line]
    assert len(heads) == 2
