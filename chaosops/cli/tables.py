"""Text tables that fit the terminal without breaking words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence

_GAP = "  "
_SPACES = re.compile("[ \t\r\n]+")


def table(rows: Sequence[Sequence[str]], width: int = 0, right: Collection[int] = ()) -> str:
    """Format rows as a table that is no wider than it needs to be.

    If it is wider than the terminal, cells wrap between words. If that isn't enough, each row
    becomes its first cell with the other cells, named, below it.

    Args:
        rows: The heading first; all of the same length.
        width: The available width in characters; 0 for no limit.
        right: Indices of right-aligned columns.
    """
    cells = [[_SPACES.sub(" ", cell).strip(" ") for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [max((len(word) for cell in column for word in cell.split(" ")), default=0)
             for column in columns]  # fmt: skip
    room = width - len(_GAP) * (len(columns) - 1)
    if width:
        if sum(least) > room:
            return _listed(cells, width)
        while (over := sum(widths) - room) > 0:
            # Shrink the widest column first, but keep some of its excess for the next pass.
            at = max(range(len(widths)), key=lambda place: widths[place] - least[place])
            widths[at] -= min(over, max(1, (widths[at] - least[at]) // 2))
    return "\n".join(line for row in cells for line in _lines(row, widths, right))


def _lines(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> list[str]:
    parts = [
        textwrap.wrap(cell, max(1, size), break_long_words=False, break_on_hyphens=False) or [""]
        for cell, size in zip(row, widths, strict=True)
    ]
    lines = []
    for number in range(max(map(len, parts))):
        texts = [part[number] if number < len(part) else "" for part in parts]
        lines.append(
            _GAP.join(
                text.rjust(size) if place in right else text.ljust(size)
                for place, (text, size) in enumerate(zip(texts, widths, strict=True))
            ).rstrip()
        )
    return lines


def _listed(cells: Sequence[Sequence[str]], width: int) -> str:
    heading, *rows = cells
    lines = []
    for row in rows:
        named = [f"{name.lower()} {cell}" for name, cell in zip(heading[1:], row[1:], strict=True)]
        lines.append(row[0])
        lines += textwrap.wrap(
            ", ".join(named),
            width,
            initial_indent=_GAP,
            subsequent_indent=_GAP,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)
