"""Writes Markdown from text that may be a stranger's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from chaosops.play.formatting import shown

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>|~#$]|&(?=[#\w])|!(?=\[)|(?<=:)/(?=/)|(?<=[wW])\.")
_ITEM: Final = re.compile(r"^(\d*)([-+=]|(?<=\d)[.)](?=\s|$))")
_LONGEST: Final = 600


def escaped(text: object, limit: int = _LONGEST) -> str:
    """Return text that Markdown shows as it is, on one line: no markup, links, HTML or controls."""
    line = " ".join(shown(text, limit).split())
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", line)


def paragraph(text: object, limit: int = _LONGEST) -> str:
    """Return the same for the beginning of a line, where it can't become a list or a heading."""
    return _ITEM.sub(r"\1\\\2", escaped(text, limit))


def table(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a table whose cells are escaped; nothing without rows."""
    body = [f"| {' | '.join(escaped(cell) for cell in row)} |" for row in rows]
    if not body:
        return []
    return [f"| {' | '.join(heading)} |", f"|{' --- |' * len(heading)}", *body]


def bullets(items: Iterable[object]) -> list[str]:
    """Return a list of escaped items."""
    return [f"- {paragraph(item)}" for item in items]
