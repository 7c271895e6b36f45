"""Games of the plain mode: lines typed into a pipe, or by somebody who takes their time."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterable

from chaosops.recording.reader import Recording, read_recording
from tui.plain.console import Console, Keyboard
from tui.plain.game import PlainGame
from tui.session import Session


def console(lines: Iterable[str], out: io.StringIO) -> Console:
    """A console whose input is a pipe that ends after the lines."""
    read, write = os.pipe()

    def fill() -> None:
        with os.fdopen(write, "wb") as pipe:
            pipe.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))

    threading.Thread(target=fill, daemon=True).start()
    return Console(Keyboard(read), out, typed=False)


def played(game: Session, *lines: str, patience: float = 8.0) -> str:
    """What is said while the lines are typed."""
    out = io.StringIO()
    PlainGame(game, console(lines, out), patience=patience).play()
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


class SlowTypist(Console):
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
