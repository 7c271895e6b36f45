"""What the terminal needs besides a screen: text it can take, and a title that is given back."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tui.words import shown

_KEEP_TITLE = "\x1b[22;2t"
_GIVE_BACK_TITLE = "\x1b[23;2t"
_WITHOUT_TITLE = frozenset({"linux", "dumb", "unknown", ""})


def has_title() -> bool:
    """Whether the terminal has a title that can be set."""
    return os.environ.get("TERM", "") not in _WITHOUT_TITLE


def title_sequence(title: str) -> str:
    """What sets the window's title."""
    return f"\x1b]2;{shown(title, 120)}\x07"


@contextmanager
def prepared() -> Iterator[None]:
    """The terminal, ready for a screen while this lasts, and then with its title as it was.

    Textual writes text to stderr in the encoding of the locale. Without a locale that is ASCII,
    which has none of the shapes of the game, though the terminal itself can show them.
    """
    stream = sys.__stderr__
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="replace")
    _write(_KEEP_TITLE)
    try:
        yield
    finally:
        _write(_GIVE_BACK_TITLE)


def _write(sequence: str) -> None:
    stream = sys.__stderr__
    if stream is not None and stream.isatty() and has_title():
        with suppress(OSError, ValueError):
            stream.write(sequence)
            stream.flush()
