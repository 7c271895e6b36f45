"""Finds log lines by their words. Needs no screen."""

from __future__ import annotations

from typing import Final, NamedTuple

from chaosops.env.models import RoleView
from chaosops.play.plain_dialect import ON_SCREEN
from chaosops.presenter import Entry, entries

LEAST_TYPED: Final = 3
"""The least that is typed before lines are searched for; less is in most of them."""
_MOST: Final = 5


class FoundLines(NamedTuple):
    """The log lines that have all the words.

    Attributes:
        lines: The newest of them, the newest first.
        total: How many there are.
    """

    lines: tuple[str, ...] = ()
    total: int = 0


def searched(line: Entry) -> str:
    """Return the part of a line that is searched, which is all but the time, ignoring case."""
    return ON_SCREEN.joined(cell for cell in line.cells if cell.name != "time").casefold()


def lines_found(view: RoleView, typed: str) -> FoundLines:
    """Return the lines in a role's logs that have all the words; none for very few letters."""
    words = typed.casefold().split()
    if len("".join(words)) < LEAST_TYPED:
        return FoundLines()
    found = [
        line
        for line in entries(view, "logs", "logs")
        if all(word in searched(line) for word in words)
    ]
    newest = found[: -_MOST - 1 : -1]
    return FoundLines(tuple(ON_SCREEN.joined(line.cells) for line in newest), len(found))
