"""The README's pictures show the game as it is."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tui.gallery import PICTURES, main, words_of

FOLDER = Path(__file__).resolve().parents[2] / "screenshots"

CURE = "draw them again with 'python -m tui.gallery'"


@pytest.mark.slow
def test_one_command_draws_the_pictures_as_they_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(tmp_path)
    assert len(capsys.readouterr().out.splitlines()) == len(PICTURES) >= 8
    stale = {}
    for picture in PICTURES:
        svg = (tmp_path / f"{picture.name}.svg").read_text(encoding="utf-8")
        assert picture.title in unescape(svg).replace("\xa0", " ")
        assert "url(http" not in svg.replace('"', "")
        kept, now = words_of(read(FOLDER / f"{picture.name}.svg")), words_of(svg)
        assert len(now) > 10
        if kept != now:
            pairs = zip([*kept, "nothing"], [*now, "nothing"], strict=False)
            stale[picture.name] = next((pair for pair in pairs if pair[0] != pair[1]), "longer")
    assert not stale, f"pictures are stale, {CURE}"


def read(path: Path) -> str:
    assert path.is_file(), f"{path.name} is not there: {CURE}"
    return path.read_text(encoding="utf-8")


def test_the_readme_shows_the_pictures_and_no_other() -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\(screenshots/([\w-]+)\.svg\)", readme))
    assert shown == {picture.name for picture in PICTURES}
    assert {path.stem for path in FOLDER.glob("*.svg")} == shown
