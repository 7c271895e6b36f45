"""The README's pictures: `python -m tui.gallery [FOLDER]`, by default into screenshots/."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
import tempfile
from html import unescape
from pathlib import Path
from typing import Any, Final, NamedTuple

from textual.app import App

from chaosops.output import say
from tui.fixtures import SMALL, WIDE, Fixture, fixture


class Picture(NamedTuple):
    """A file in the gallery: a fixture in a size and a theme."""

    name: str
    fixture: Fixture
    size: tuple[int, int]
    title: str
    light: bool = False


PICTURES: Final = (
    Picture("home", fixture("home"), WIDE, "The list of incidents"),
    Picture("briefing", fixture("briefing"), WIDE, "The briefing, with the four seats"),
    Picture("incident", fixture("incident"), WIDE, "An incident, as the SRE sees it"),
    Picture("incident-80x24", fixture("incident"), SMALL, "The same at 80x24"),
    Picture("picker", fixture("preview"), WIDE, "An action, before it is done"),
    Picture("tutorial", fixture("tutorial"), WIDE, "The tutorial's first incident with its coach"),
    Picture(
        "oversight", fixture("oversight"), WIDE, "What Oversight sees: the automation's audit log"
    ),
    Picture("debrief", fixture("debrief"), WIDE, "The debrief"),
    Picture("replay", fixture("replay"), WIDE, "The replay of a recording"),
    Picture("light", fixture("incident"), WIDE, "The light theme", light=True),
)

FOLDER: Final = Path(__file__).resolve().parent.parent / "screenshots"

_ID: Final = re.compile(r"terminal-\d+-?")
_FONT: Final = re.compile(r"\s*@font-face \{[^}]*\}")
_RUN: Final = re.compile(
    r'(<text class="[\w-]+" )x="([\d.]+)"([^>]*?)textLength="([\d.]+)"([^>]*)>([^<]*)</text>'
)
_SPACE: Final = "&#160;"
_CELL: Final = 12.2
"""The width of a character in a picture."""
_FONTS: Final = "Fira Code, DejaVu Sans Mono, Menlo, Consolas"
"""Fonts of the reader's machine, since a picture must not download any."""
_STYLE: Final = re.compile(r"\.(terminal[\w-]*r\d+) \{([^}]*)\}")
_TEXT: Final = re.compile(
    r'<text class="([\w-]+)" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>',
)


def draw(picture: Picture) -> str:
    """Draw a picture as SVG; always the same one.

    Raises:
        RuntimeError: An event loop is running; await `drawn` instead.
    """
    return asyncio.run(drawn(picture))


async def drawn(picture: Picture) -> str:
    """Draw a picture as SVG; always the same one."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        recordings = Path("recordings")
        recordings.mkdir()
        app = picture.fixture.app(recordings, light=picture.light)
        async with app.run_test(size=picture.size) as pilot:
            await picture.fixture.set_up(pilot)
            return exported(app, picture.title)


def exported(app: App[Any], title: str) -> str:
    """Return what an app shows as SVG that is the same each time and downloads no fonts."""
    svg = app.export_screenshot(title=f"ChaosOps: {title}", simplify=True)
    plain = _FONT.sub("", _ID.sub("terminal-", svg)).replace("Fira Code", _FONTS)
    return _RUN.sub(_trimmed, plain)


def _trimmed(run: re.Match[str]) -> str:
    """Trim the spaces around a run of text, since not every viewer keeps them."""
    begin, x, middle, length, end, text = run.groups()
    words = text.replace(_SPACE, "\xa0")
    bare = words.strip("\xa0")
    lead = len(words) - len(words.lstrip("\xa0"))
    start, width = float(x) + lead * _CELL, float(length) - (len(words) - len(bare)) * _CELL
    text = bare.replace("\xa0", _SPACE)
    return f'{begin}x="{start:.4g}"{middle}textLength="{width:.4g}"{end}>{text}</text>'


def words_of(svg: str) -> list[str]:
    """Return what a picture shows, a line for each run of text in one style: place, style, text.

    Other versions of the libraries may use other tags for the same picture.
    """
    styles = dict(_STYLE.findall(_ID.sub("terminal-", svg)))
    return [
        f"{float(y):.0f} {float(x):.0f} {styles.get(kind, '').strip()} {unescape(text)}"
        for kind, x, y, text in _TEXT.findall(_ID.sub("terminal-", svg))
    ]


def main(folder: Path) -> None:
    """Draw all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        (folder / f"{picture.name}.svg").write_text(draw(picture), encoding="utf-8")
        say(f"{folder / picture.name}.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
