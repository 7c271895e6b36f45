"""A part of a reading as facts, a line each, shortened to fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from chaosops.text.blocks import one_line

_MORE: Final = 24
"""Characters reserved for saying how much was left out."""


class PartFacts(NamedTuple):
    """A part of a reading.

    Attributes:
        title: Its title, with what all its lines have in common.
        lines: A fact each, the most important first if not all may fit.
        what: What the lines are, in the plural: "rows".
    """

    title: str
    lines: tuple[str, ...]
    what: str

    def text(self) -> str:
        """Return all of it on one line."""
        return one_line(": ".join((self.title, "; ".join(self.lines) or "none")))


def fitted(parts: Sequence[PartFacts], room: int) -> tuple[PartFacts, ...]:
    """Return the parts with as many of their lines as fit; each part gets an equal share.

    Titles always stay, shortened if there are too many. A part that lost lines ends
    with a line that says how many.

    Args:
        room: Characters for all parts together, as `PartFacts.text` writes them.
    """
    share = room // max(1, len(parts)) - _MORE
    titles = [_cut(part.title, max(8, share)) for part in parts]
    left = room - sum(len(title) + _MORE for title in titles)
    kept: list[list[str]] = [[] for _ in parts]
    open_parts = [i for i, part in enumerate(parts) if part.lines]
    while open_parts:
        for i in tuple(open_parts):
            line = parts[i].lines[len(kept[i])]
            if len(line) + 2 > left:
                open_parts.remove(i)
                continue
            left -= len(line) + 2
            kept[i].append(line)
            if len(kept[i]) == len(parts[i].lines):
                open_parts.remove(i)
    return tuple(
        PartFacts(title, (*lines, *_rest(len(part.lines) - len(lines), part.what)), part.what)
        for part, title, lines in zip(parts, titles, kept, strict=True)
    )


def _rest(count: int, what: str) -> tuple[str, ...]:
    return (f"{what} left out: {count}",) if count else ()


def _cut(text: str, limit: int) -> str:
    line = one_line(text)
    return line if len(line) <= limit else f"{line[: limit - 3]}..."
