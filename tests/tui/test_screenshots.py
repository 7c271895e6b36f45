"""The README's pictures show the game as it is."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tui.gallery import FOLDER, PICTURES, Picture, drawn, main, words_of

CURE = "draw them again with 'python -m tui.gallery'"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
async def test_a_picture_shows_what_the_screen_shows(picture: Picture) -> None:
    path = FOLDER / f"{picture.name}.svg"
    assert path.is_file(), CURE
    kept, now = words_of(path.read_text(encoding="utf-8")), words_of(await drawn(picture))
    assert len(now) > 10
    stale = [f"{old!r} is {new!r} now" for old, new in zip(kept, now, strict=False) if old != new]
    assert not stale, f"{path.name} is stale, {CURE}: {stale[0]}"
    assert len(kept) == len(now), f"{path.name} is stale, {CURE}"


async def test_a_picture_is_drawn_the_same_each_time() -> None:
    assert await drawn(PICTURES[2]) == await drawn(PICTURES[2])


def test_the_readme_shows_the_pictures_and_no_other() -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\(screenshots/([\w-]+)\.svg\)", readme))
    assert shown == {picture.name for picture in PICTURES}
    assert {path.stem for path in FOLDER.glob("*.svg")} == shown


def test_one_command_draws_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path)
    assert len(capsys.readouterr().out.splitlines()) == len(PICTURES) >= 8
    for picture in PICTURES:
        svg = (tmp_path / f"{picture.name}.svg").read_text(encoding="utf-8")
        assert picture.title in unescape(svg).replace("\xa0", " ")
        assert "url(http" not in svg.replace('"', "")
