"""What is wrong with a file: where it is, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from chaosops.text_safety import clean

FieldPath = tuple[str | int, ...]
"""The keys and list positions that lead to a value."""

MAX_PROBLEMS = 100
"""Problems that are spelled out for one file; the next one stands for all that are left."""

_MAX_SHOWN = 60
_MAX_LISTED = 20
_MAX_COMPARED = 200


class Problem(NamedTuple):
    """One thing that is wrong, as text: `file:line: field: message`.

    Attributes:
        line: Counts from 1; 0 for the file or folder as a whole.
        field: The keys that lead there, such as `faults.0.effects.1.value`; may be empty.
        message: One line that names the cure.
    """

    path: Path
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        place = shown_path(self.path) + (f":{self.line}" if self.line else "")
        return ": ".join(part for part in (place, self.field, self.message) if part)


class Wrong(NamedTuple):
    """What is wrong with a field, before its line is looked up.

    Attributes:
        whole: Found by looking at a part as a whole, after its fields were found to be fine.
        others: Fields that the message speaks of as `LINES`; their lines are put there.
    """

    path: FieldPath
    message: str
    whole: bool = False
    others: tuple[FieldPath, ...] = ()


LINES = "{lines}"
"""Where a message names other lines of the file."""

MORE = "more problems follow from here; fix the others first"
"""The message of the one that stands for all that are left."""


def dotted(path: FieldPath) -> str:
    """The field's name as people write it."""
    return ".".join(shown(str(part), 40) for part in path)


def shown(text: str, limit: int = _MAX_SHOWN) -> str:
    """A stranger's text, fit to stand in a one-line message."""
    short = text if len(text) <= limit else text[: limit - 3] + "..."
    return "".join(" " if char in "\t\n" else char for char in clean(short))


def shown_path(path: Path) -> str:
    """The path, fit to stand in a one-line message."""
    return shown(str(path), 1000)


def instead(name: str, known: Iterable[str]) -> str:
    """The cure for a name that is not known: the one that was meant, or all there are."""
    names = list(known)
    comparable = len(name) <= _MAX_SHOWN and len(names) <= _MAX_COMPARED
    close = difflib.get_close_matches(name, names, 1) if comparable else []
    if close:
        return f'did you mean "{close[0]}"?'
    return f"there are: {listed(names)}" if names else "there are none"


def listed(names: Iterable[str]) -> str:
    """Names in a row; of very many, the first."""
    every = list(names)
    more = f" and {len(every) - _MAX_LISTED} more" if len(every) > _MAX_LISTED else ""
    return f"{', '.join(every[:_MAX_LISTED])}{more}"
