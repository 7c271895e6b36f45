"""Prepares the terminal: the encoding of its text, its title, and restoring both."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from chaosops.play.formatting import shown

_KEEP_TITLE = "\x1b[22;2t"
_GIVE_BACK_TITLE = "\x1b[23;2t"
_WITHOUT_TITLE = frozenset({"linux", "dumb", "unknown", ""})

_RESET = (
    "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1004l"
    "\x1b[<u\x1b[?1049l\x1b[?25h"
)
"""Synchronized output, pastes, line wrap, mouse, focus, Kitty keys, the other screen, cursor."""


def has_title() -> bool:
    """Whether the terminal has a title that can be set."""
    return os.environ.get("TERM", "") not in _WITHOUT_TITLE


def title_sequence(title: str) -> str:
    """Return the sequence that sets the window's title."""
    return f"\x1b]2;{shown(title, 120)}\x07"


@contextmanager
def prepared() -> Iterator[Callable[[], None]]:
    """Prepare the terminal for a screen, and restore its title and modes afterwards.

    Textual writes text to stderr in the encoding of the locale. Without a locale that is ASCII,
    which has none of the shapes of the game, though the terminal itself can show them.

    Yields:
        A function that restores the terminal from any state. It waits for nothing but the
        terminal, and any thread may call it.
    """
    stream = sys.__stderr__
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="replace")
    set_modes = _modes_setter()

    def give_back() -> None:
        set_modes()
        _write_at_once(_RESET + (_GIVE_BACK_TITLE if has_title() else ""))

    _write(_KEEP_TITLE)
    try:
        yield give_back
    finally:
        _write(_GIVE_BACK_TITLE)
        set_modes()


def _modes_setter() -> Callable[[], None]:
    """Return a function that restores the current modes of the terminal's input."""
    if sys.platform == "win32" or sys.__stdin__ is None:
        return lambda: None
    import termios

    try:
        place = sys.__stdin__.fileno()
        modes = termios.tcgetattr(place)
    except (OSError, ValueError, termios.error):
        return lambda: None

    def set_modes() -> None:
        with suppress(termios.error):
            termios.tcsetattr(place, termios.TCSANOW, modes)

    return set_modes


def _write_at_once(sequence: str) -> None:
    stream = sys.__stderr__
    if stream is not None and stream.isatty():
        with suppress(OSError, ValueError):
            os.write(stream.fileno(), sequence.encode())


def _write(sequence: str) -> None:
    stream = sys.__stderr__
    if stream is not None and stream.isatty() and has_title():
        with suppress(OSError, ValueError):
            stream.write(sequence)
            stream.flush()
