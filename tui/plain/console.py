"""The plain mode's input and output: a terminal or a pipe."""

from __future__ import annotations

import codecs
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable
from typing import Final, TextIO, TypeVar

from chaosops.errors import ChaosOpsError
from chaosops.output import broken, write
from chaosops.play.formatting import shown
from chaosops.text_safety import clean

MAX_LINE: Final = 65_536
"""The longest line that is read, in bytes; the rest is dropped."""

MOST_IDLE: Final = 1_000
"""The most lines of a program in a row without any progress."""

LEAVE: Final = frozenset({"quit", "exit", "q"})
"""Words that leave the game at any prompt."""

_REMINDS_AFTER: Final = 20.0
"""Seconds between two notices about an answer that is waited for."""

_CHUNK = 65_536
_AHEAD = 64
"""How many lines are read ahead."""
_WIDEST = 100

Answered = TypeVar("Answered")


class UndecodableError(ChaosOpsError):
    """A line has a byte that is invalid in its encoding."""


class IdleInputError(ChaosOpsError):
    """A program keeps sending lines without making progress."""


class Keyboard:
    """The lines of a file descriptor, read in a daemon thread.

    They are hardly read ahead, so that the writer waits. Bypassing
    Python's buffer leaves no lock held if the process ends during a read.
    """

    def __init__(self, descriptor: int, encoding: str = "utf-8") -> None:
        """Read from a descriptor.

        Args:
            encoding: The Python name of the input's encoding.
        """
        self._descriptor, self._encoding = descriptor, encoding
        self._lines: queue.Queue[bytes | None] = queue.Queue(_AHEAD)
        self._put_back: list[str | None] = []
        self._thread: threading.Thread | None = None
        self._ended = False

    @property
    def is_terminal(self) -> bool:
        """Whether a person types; otherwise the lines come from a pipe or a file."""
        return os.isatty(self._descriptor)

    @property
    def holds_back(self) -> bool:
        """Whether a line was put back and not read again yet."""
        return bool(self._put_back)

    def put_back(self, line: str | None) -> None:
        """Put back a line, to be read next."""
        self._put_back.append(line)

    def line(self, timeout: float | None = None) -> str | None:
        """Return the next line without its end; None at the end of the input.

        Raises:
            TimeoutError: There was none within `timeout` seconds.
            UndecodableError: It is invalid in the encoding of the input; it is dropped.
        """
        if self._put_back:
            return self._put_back.pop()
        if self._ended:
            return None
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, name="keyboard", daemon=True)
            self._thread.start()
        try:
            raw = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None
        self._ended = raw is None
        return None if raw is None else _decoded(raw, self._encoding)

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                chunk = os.read(self._descriptor, _CHUNK)
            except OSError:
                chunk = b""
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._lines.put(line)
            rest = rest[: MAX_LINE + 1]
        if rest:
            self._lines.put(rest)
        self._lines.put(None)


def _decoded(raw: bytes, encoding: str) -> str:
    # Truncating a long line may split a character, which is then left out.
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        text = decoder.decode(raw[:MAX_LINE], len(raw) <= MAX_LINE)
    except UnicodeDecodeError as error:
        raise UndecodableError(
            f"byte {raw[error.start]:#04x} at place {error.start + 1} of this line is not "
            f"{encoding.upper()}, and nothing was done: type it again, or set LANG or "
            "PYTHONIOENCODING to the encoding of the input"
        ) from None
    return clean(text.rstrip("\r"))


class Console:
    """Prints paragraphs and reads lines.

    On a terminal, paragraphs are wrapped between words; in a pipe each stays one line, and input
    is repeated after the prompt, so that the output alone is a complete transcript.

    A program that makes no progress for long is cut off: whoever asks for a
    line calls `progressed` whenever one had an effect.
    """

    def __init__(self, keyboard: Keyboard, out: TextIO, *, typed: bool) -> None:
        """Create a console.

        Args:
            typed: Whether a person types in the same terminal as the output.
        """
        self._keyboard, self._out, self.typed = keyboard, out, typed
        self._idle = 0

    def say(self, *lines: str) -> None:
        """Print each text as a line, or as a wrapped paragraph."""
        write(self._out, "".join(f"{self._wrapped(line)}\n" for line in lines))

    def gap(self, lines: int = 1) -> None:
        """Print empty lines."""
        write(self._out, "\n" * lines)

    def ask(self, prompt: str) -> str | None:
        """Prompt for a line; None at the end of the input.

        Raises:
            IdleInputError: A program has sent too many lines since its last progress.
        """
        while True:
            write(self._out, f"{self._wrapped(prompt)} ")
            try:
                line = self._next()
            except UndecodableError as error:
                self.say(*([] if self.typed else [""]), f"{_upper(str(error))}.")
                continue
            if line is None:
                write(self._out, "\n")
            elif not self.typed:
                write(self._out, f"{shown(line)}\n")
            return None if line is None else line.strip()

    def progressed(self) -> None:
        """Note that a line had a new effect, so that the sender is not stuck in a loop."""
        self._idle = 0

    def _next(self, timeout: float | None = None) -> str | None:
        """Return the next line, and count it if a program sends it."""
        if self._idle >= MOST_IDLE and not self.by_person:
            raise IdleInputError(
                f"{MOST_IDLE} lines in a row came to nothing, and no more are read: send a "
                "command that takes a turn, such as pass"
            )
        try:
            line = self._keyboard.line(timeout)
        except UndecodableError:
            self._idle += 1
            raise
        self._idle += 1
        return line

    def wait_for(
        self,
        answers: queue.SimpleQueue[Answered],
        *,
        patience: float,
        notice: Callable[[float], str],
        give_up: Callable[[str | None], bool],
    ) -> Answered | None:
        """Wait for an answer of someone else; None if the player stopped waiting.

        Args:
            patience: Seconds after which a notice is printed, and typed lines are read.
            notice: Words the notice, given the seconds so far; it is repeated from time to time.
            give_up: Whether a typed line, or the end of the input, stops waiting.
        """
        began = time.monotonic()
        try:
            return answers.get(timeout=patience)
        except queue.Empty:
            self.say(notice(patience))
        told = time.monotonic()
        while True:
            now = time.monotonic()
            if now - told >= _REMINDS_AFTER:
                told = now
                self.say(notice(now - began))
            try:
                return answers.get(timeout=0.1)
            except queue.Empty:
                if self._keyboard.holds_back:
                    continue
            try:
                line = self._next(timeout=0.1)
            except TimeoutError:
                continue
            except UndecodableError:
                line = ""
            if give_up(line):
                return None
            if self.by_person:
                self.say(notice(time.monotonic() - began))
            else:
                # What a program sends ahead is meant for later prompts.
                self._keyboard.put_back(line)

    @property
    def by_person(self) -> bool:
        """Whether a person types the lines, wherever the output goes."""
        return self._keyboard.is_terminal

    @property
    def rows(self) -> int:
        """The height of the terminal in lines; 0 in a pipe."""
        return shutil.get_terminal_size().lines if self.typed else 0

    def _wrapped(self, line: str) -> str:
        width = min(_WIDEST, shutil.get_terminal_size().columns - 1) if self.typed else 0
        return broken(clean(line), width, 2 if line.startswith("- ") else 0)


def _upper(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
