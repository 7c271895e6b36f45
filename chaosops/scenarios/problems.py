"""Problems of files: where they are, and how to fix them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from chaosops.text_safety import clean

FieldPath = tuple[str | int, ...]
"""The path to a value: keys and list indices."""

MAX_PROBLEMS = 100
"""The most problems that are reported for a file; the next one stands for the rest."""

_MAX_SHOWN = 60
_MAX_LISTED = 20
_MAX_COMPARED = 200


class Problem(NamedTuple):
    """A problem; its text is `file:line: field: message`.

    Attributes:
        line: Counts from 1; 0 for the file or folder as a whole.
        field: Its path, such as `casts.0.places.1`; may be empty.
        message: One line that says how to fix it.
    """

    path: Path
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        place = shown_path(self.path) + (f":{self.line}" if self.line else "")
        return ": ".join(part for part in (place, self.field, self.message) if part)


class Wrong(NamedTuple):
    """A problem of a field, before its line is looked up.

    Attributes:
        whole: Whether it was found in a part as a whole, after its fields were valid.
    """

    path: FieldPath
    message: str
    whole: bool = False


MORE = "more problems follow from here; fix the others first"
"""The message that stands for the remaining problems."""


def dotted(path: FieldPath) -> str:
    """Join a path with dots."""
    return ".".join(shown(str(part), 40) for part in path)


def shown(text: str, limit: int = _MAX_SHOWN) -> str:
    """Clean and shorten a foreign text for a one-line message."""
    short = text if len(text) <= limit else text[: limit - 3] + "..."
    return "".join(" " if char in "\t\n" else char for char in clean(short))


def shown_path(path: Path) -> str:
    """Clean a path for a one-line message."""
    return shown(str(path), 1000)


def instead(name: str, known: Iterable[str]) -> str:
    """Suggest a known name for an unknown one, or list all names."""
    names = list(known)
    comparable = len(name) <= _MAX_SHOWN and len(names) <= _MAX_COMPARED
    close = difflib.get_close_matches(name, names, 1) if comparable else []
    if close:
        return f'did you mean "{close[0]}"?'
    return f"there are: {listed(names)}" if names else "there are none"


def listed(names: Iterable[str]) -> str:
    """Join names; of very many, the first ones."""
    every = list(names)
    more = f" and {len(every) - _MAX_LISTED} more" if len(every) > _MAX_LISTED else ""
    return f"{', '.join(every[:_MAX_LISTED])}{more}"
