"""Replays as terminal recordings: asciinema casts, version 2.

A cast is a file of JSON lines: a header, then events of what the terminal shows, with their times.
The same recording in the same size always gives the same file.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from rich.color import ColorSystem
from rich.segment import Segment
from textual.pilot import Pilot
from textual.strip import Strip

from chaosops.output import broken
from chaosops.play.replay_model import replay_of
from chaosops.recording.reader import Recording
from chaosops.text_safety import clean
from tui.app import ChaosOpsApp
from tui.plain.replay import ending, opening, turn_lines
from tui.screen_requests import OpenReplay
from tui.screens.factory import LazyScreenFactory

_HOLD: Final = 3.0
"""Seconds for which the last turn stays."""
_CLEAR: Final = "\x1b[?25l\x1b[2J\x1b[H"
_END: Final = "\x1b[?25h"


class CastSize(NamedTuple):
    """The size of the terminal in a cast, in characters."""

    columns: int
    lines: int


class CastEvent(NamedTuple):
    """What the terminal gets, and when.

    Attributes:
        at: Seconds from the beginning.
    """

    at: float
    output: str


def cast_text(title: str, size: CastSize, events: Iterable[CastEvent]) -> str:
    """Return the text of a cast."""
    header = {
        "version": 2,
        "width": size.columns,
        "height": size.lines,
        "title": clean(title),
        "env": {"TERM": "xterm-256color"},
    }
    rows = [json.dumps(header), *(json.dumps([each.at, "o", each.output]) for each in events)]
    return "\n".join((*rows, ""))


def screen_cast(
    recording: Recording,
    size: CastSize,
    seconds: float,
    advance: Callable[[], None],
    folders: tuple[Path, ...] = (),
) -> str:
    """Return the cast of a replay on its screen, as each acting role sees it.

    Args:
        seconds: How long each turn is shown.
        advance: Called after each turn.
        folders: Where scenarios are, besides the built-in set, to verify it.

    Raises:
        RuntimeError: An event loop is running.
    """
    pictures = asyncio.run(_pictures(recording, size, advance, folders))
    return cast_text(_title(recording), size, _timed(pictures, seconds))


def plain_cast(
    recording: Recording, size: CastSize, seconds: float, advance: Callable[[], None]
) -> str:
    """Return the cast of a replay as lines of text.

    Args:
        seconds: How long each turn is shown before the next one.
        advance: Called after each turn.
    """
    return cast_text(
        _title(recording), size, _timed(_texts(recording, size.columns, advance), seconds)
    )


def _title(recording: Recording) -> str:
    return f"ChaosOps: {replay_of(recording).title}"


def _timed(outputs: Iterable[str], seconds: float) -> Iterator[CastEvent]:
    count = 0
    for count, output in enumerate(outputs, 1):
        yield CastEvent(round((count - 1) * seconds, 3), output)
    yield CastEvent(round(max(0, count - 1) * seconds + _HOLD, 3), _END)


def _texts(recording: Recording, columns: int, advance: Callable[[], None]) -> Iterator[str]:
    def wrapped(lines: Iterable[str]) -> str:
        rows = "\n".join(broken(clean(line), columns, 2) for line in lines)
        return "".join(f"{row}\r\n" for row in rows.split("\n"))

    start = f"{_CLEAR}{wrapped(opening(recording))}"
    score = 0.0
    for turn in recording.turns:
        score += turn.frame.reward
        yield f"{start}\r\n{wrapped(turn_lines(turn, score))}"
        start = ""
        advance()
    yield f"{start}\r\n{wrapped(ending(recording))}"


async def _pictures(
    recording: Recording, size: CastSize, advance: Callable[[], None], folders: tuple[Path, ...]
) -> list[str]:
    request = OpenReplay(replay_of(recording), folders=folders)
    app = ChaosOpsApp(lambda: LazyScreenFactory().make(request), pace=0)
    app.animation_level = "none"
    found: list[str] = []
    shown: list[str] = []
    async with app.run_test(size=size) as pilot:
        for turn in range(max(1, len(recording.turns))):
            if turn:
                await pilot.press("right")
            await _settled(pilot)
            rows = [_ansi(strip) for strip in app.screen._compositor.render_strips()]
            changed = _changes(shown, rows)
            found.append(changed if shown else f"{_CLEAR}{changed}")
            shown = rows
            advance()
    return found


async def _settled(pilot: Pilot[int]) -> None:
    """Wait until the recording is verified and everything is drawn."""
    await pilot.pause()
    while len(pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


def _changes(before: list[str], now: list[str]) -> str:
    """Return what turns one picture into the next: the lines that differ, each at its place."""
    return "".join(
        f"\x1b[{number};1H{line}"
        for number, (old, line) in enumerate(zip_longest(before, now, fillvalue=""), 1)
        if old != line
    )


def _ansi(strip: Strip) -> str:
    """Return a line with its colours as escape sequences."""
    return "".join(_drawn(segment) for segment in strip)


def _drawn(segment: Segment) -> str:
    text, style, _ = segment
    safe = clean(text).replace("\n", " ")
    return safe if style is None else style.render(safe, color_system=ColorSystem.TRUECOLOR)
