"""Lines in and lines out: what the plain mode knows of the terminal, or of the pipe."""

from __future__ import annotations

import os
import queue
import shutil
import textwrap
import threading
from collections.abc import Callable
from typing import Final, TextIO, TypeVar

from chaosops.env.text_safety import clean

MAX_LINE: Final = 65_536
"""The longest line that is read, in bytes; what goes past it is dropped."""

LEAVE: Final = frozenset({"quit", "exit", "q"})
"""Words that leave, wherever a line is asked for."""

_CHUNK = 65_536
_WIDEST = 100

_ASCII: Final = {ord("…"): "...", ord("⏎"): "/", ord("·"): "-", ord("→"): "->", ord("✔"): "+"}
"""What stands for the typographic signs where the output cannot show them."""

Answered = TypeVar("Answered")


class Keyboard:
    """The lines of a file descriptor, read in a thread that does not keep the process alive.

    Reading past Python's own buffer leaves no lock held when the process ends in mid-read.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ended = False

    @property
    def is_terminal(self) -> bool:
        """Whether somebody types; else the lines come through a pipe or from a file."""
        return os.isatty(self._descriptor)

    def line(self, timeout: float | None = None) -> str | None:
        """The next line without its end; None at the end of the input.

        Raises:
            TimeoutError: There was none in `timeout` seconds.
        """
        if self._ended:
            return None
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, name="keyboard", daemon=True)
            self._thread.start()
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None
        self._ended = line is None
        return line

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
                self._lines.put(_decoded(line))
            rest = rest[:MAX_LINE]
        if rest:
            self._lines.put(_decoded(rest))
        self._lines.put(None)


def _decoded(raw: bytes) -> str:
    return clean(raw[:MAX_LINE].decode("utf-8", errors="replace").rstrip("\r"))


class Console:
    """Says paragraphs and asks for lines.

    On a terminal, paragraphs are wrapped between words; in a pipe each stays one line, and what
    was read is repeated after the prompt, so that the output alone tells the whole game.
    """

    def __init__(self, keyboard: Keyboard, out: TextIO, *, typed: bool) -> None:
        """Read and write.

        Args:
            typed: Somebody types into the terminal that the output goes to.
        """
        self._keyboard, self._out, self.typed = keyboard, out, typed
        self._is_plain_ascii = (
            not (getattr(out, "encoding", None) or "utf-8").lower().startswith("utf")
        )

    def say(self, *lines: str) -> None:
        """Write each as a line, or as a paragraph where it is long."""
        for line in lines:
            self._write(f"{self._wrapped(self._fit(line))}\n")
        self._out.flush()

    def gap(self, lines: int = 1) -> None:
        """Leave lines empty."""
        self._write("\n" * lines)

    def ask(self, prompt: str) -> str | None:
        """The next line that is typed; None at the end of the input."""
        self._write(self._fit(f"{prompt} "))
        self._out.flush()
        line = self._keyboard.line()
        if line is None:
            self._write("\n")
        elif not self.typed:
            self._write(f"{self._fit(line)}\n")
        return None if line is None else line.strip()

    def wait_for(
        self,
        answers: queue.SimpleQueue[Answered],
        *,
        patience: float,
        notice: str,
        give_up: Callable[[str | None], bool],
    ) -> Answered | None:
        """The answer of somebody else; None where it was given up.

        Args:
            patience: Seconds after which the notice is said, and typed lines are listened to.
            give_up: Whether a typed line, or the end of the input, gives the answer up.
        """
        try:
            return answers.get(timeout=patience)
        except queue.Empty:
            self.say(notice)
        while True:
            try:
                return answers.get(timeout=0.1)
            except queue.Empty:
                try:
                    line = self._keyboard.line(timeout=0.1)
                except TimeoutError:
                    continue
                if give_up(line):
                    return None
                self.say(notice)

    @property
    def by_person(self) -> bool:
        """Whether the lines are typed, wherever the output goes."""
        return self._keyboard.is_terminal

    @property
    def rows(self) -> int:
        """Lines that the terminal shows at once; 0 in a pipe."""
        return shutil.get_terminal_size().lines if self.typed else 0

    def _fit(self, text: str) -> str:
        if self._is_plain_ascii:
            return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
        return text

    def _wrapped(self, line: str) -> str:
        width = min(_WIDEST, shutil.get_terminal_size().columns - 1) if self.typed else 0
        if width < 20 or len(line) <= width:
            return line
        indent = "  " if line.startswith("- ") else ""
        return textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False)

    def _write(self, text: str) -> None:
        self._out.write(text)
