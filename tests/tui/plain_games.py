"""Games of the plain mode: lines typed into a pipe, or by somebody who takes their time."""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterable
from typing import Final

from chaosops.play.session import Session
from chaosops.recording.reader import Recording, read_recording
from tui.plain.console import Console, Keyboard
from tui.plain.game import PlainGame

SPELLED_OUT: Final = re.compile("[\u00b7\u2022\u203a\u2190-\u21ff\u2300-\u27bf]")
"""Signs that a screen reader names one by one: dots, arrows, boxes, blocks, stars."""


class Typed(Console):
    """Lines that count as typed, though they come from elsewhere."""

    @property
    def by_person(self) -> bool:
        return True


def console(lines: Iterable[str], out: io.StringIO, *, by_person: bool = True) -> Console:
    """A console whose input is a pipe that ends after the lines.

    Args:
        by_person: The lines count as typed all the same.
    """
    read, write = os.pipe()

    def fill() -> None:
        with os.fdopen(write, "wb") as pipe:
            pipe.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))

    threading.Thread(target=fill, daemon=True).start()
    return (Typed if by_person else Console)(Keyboard(read), out, typed=False)


def played(game: Session, *lines: str, patience: float = 8.0, by_person: bool = True) -> str:
    """What is said while the lines are typed, or come through a pipe."""
    out = io.StringIO()
    PlainGame(game, console(lines, out, by_person=by_person), patience=patience).play()
    return out.getvalue()


def recording_of(game: Session) -> Recording:
    """The recording of a game, which is closed."""
    game.close()
    assert game.recording is not None
    return read_recording(game.recording)


class Watch:
    """A clock that stands until it is turned."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class SlowTypist(Typed):
    """Somebody who needs so many seconds for each line."""

    def __init__(self, out: io.StringIO, watch: Watch, *lines: tuple[float, str]) -> None:
        super().__init__(Keyboard(os.open(os.devnull, os.O_RDONLY)), out, typed=False)
        self._watch, self._left = watch, list(lines)

    def ask(self, prompt: str) -> str | None:
        self.say(prompt)
        if not self._left:
            return None
        seconds, line = self._left.pop(0)
        self._watch.now += seconds
        return line
