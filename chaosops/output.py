"""The one way of text to standard output and standard error.

File names, policies' answers and what people wrote may hold terminal escapes. Here they are taken
out, whatever the text is made of. On a terminal, lines that do not fit are broken between words.
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
"""What stands for signs of ours where an encoding does not have them."""
_ERASE_LINE: Final = "\r\x1b[K"
_NARROWEST: Final = 20


def write(stream: TextIO | None, text: str, *, erases_line: bool = False) -> None:
    """Write text with its line ends, and nothing in it that could drive a terminal.

    Args:
        stream: None, as a standard stream that was closed is, takes nothing.
        erases_line: Put it in place of the line that the terminal's cursor is on.
    """
    if stream is None:
        return
    stream.write((_ERASE_LINE if erases_line else "") + fitting(clean(text), stream))
    stream.flush()


def fitting(text: str, stream: TextIO) -> str:
    """The text in what the stream's encoding has; other signs are spelled in ASCII."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def say(text: str = "", *, err: bool = False, hanging: int = 2) -> None:
    """Write lines for people; a terminal's width breaks them between words.

    Args:
        err: Write to standard error.
        hanging: Spaces before what goes on below a line that does not fit.
    """
    stream = sys.stderr if err else sys.stdout
    width = columns_of(stream)
    lines = clean(text).split("\n")
    write(stream, "".join(f"{broken(line, width, hanging)}\n" for line in lines))


def print_data(text: str) -> None:
    """Write what programs read to standard output: no line of it is broken."""
    write(sys.stdout, f"{text}\n")


def broken(line: str, width: int, hanging: int = 0) -> str:
    """A line as several that fit, broken between words; a word that is too long stays whole.

    Args:
        width: In columns; 0 for as wide as it is.
        hanging: Spaces before what goes on, besides those that the line begins with.
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
    """How wide a standard stream's terminal is; 0 where it is none."""
    try:
        if stream is None or not stream.isatty():
            return 0
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0
