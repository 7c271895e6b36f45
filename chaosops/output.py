"""Writes all text to standard output and standard error.

File names, policies' answers and people's words may contain terminal escapes, so every text is
cleaned here. On a terminal, long lines are wrapped between words.
"""

from __future__ import annotations

import os
import sys
import textwrap
from typing import Final, TextIO

from chaosops.text_safety import clean

_ASCII: Final = str.maketrans(
    {
        "…": "...",
        "⏎": "/",
        "·": "-",
        "→": "->",
        "✔": "+",
        "█": "#",
        "│": "|",
        "\ufffd": "?",
        "\xa0": " ",
    }
)
"""Replacements for the program's own symbols in encodings that lack them."""
_ERASE_LINE: Final = "\r\x1b[K"
_NARROWEST: Final = 20


def write(stream: TextIO | None, text: str, *, erases_line: bool = False) -> None:
    """Write text as it is, without anything in it that could control a terminal.

    Args:
        stream: None, which stands for a closed standard stream, discards the text.
        erases_line: Replace the line that the terminal's cursor is on.
    """
    if stream is None:
        return
    stream.write((_ERASE_LINE if erases_line else "") + fitting(clean(text), stream))
    stream.flush()


def fitting(text: str, stream: TextIO) -> str:
    """Return the text with characters that the stream can't encode spelled in ASCII."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def say(text: str = "", *, err: bool = False, hanging: int = 2) -> None:
    """Write lines for people, wrapped to the terminal's width.

    Args:
        err: Write to standard error.
        hanging: Indent of the continuation lines, in spaces.
    """
    stream = sys.stderr if err else sys.stdout
    width = columns_of(stream)
    lines = clean(text).split("\n")
    write(stream, "".join(f"{broken(line, width, hanging)}\n" for line in lines))


def print_data(text: str) -> None:
    """Write text for programs to standard output, without wrapping."""
    write(sys.stdout, f"{text}\n")


def broken(line: str, width: int, hanging: int = 0) -> str:
    """Wrap a line between words; a word that is too long stays whole.

    Args:
        width: In columns; 0 for no wrapping.
        hanging: Extra indent of the continuation lines, in spaces.
    """
    if width < _NARROWEST or len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())][: width // 2]
    return textwrap.fill(
        line,
        width,
        subsequent_indent=indent + " " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def columns_of(stream: TextIO | None) -> int:
    """Return the width of a standard stream's terminal, or 0 if it isn't a terminal."""
    try:
        if stream is None or not stream.isatty():
            return 0
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0
