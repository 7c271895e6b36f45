"""Lays rows of cells out as rows of a pane."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from textual.content import Content

from chaosops.play.cells import CellPlace, Piece, placed, unplaced
from chaosops.presenter import Entry
from tui.widgets.basic.lines import Row


class Layout(NamedTuple):
    """The places of a row's cells in a pane. A cell without a place comes last.

    Attributes:
        head: The first cells. When a row wraps, its further lines are indented by their width.
        body: The cells after them.
        without: The names of cells to leave out, which the pane shows elsewhere.
        subject: The name of the cell with the service or agent that a row is about.
    """

    head: Sequence[CellPlace]
    body: Sequence[CellPlace]
    without: Collection[str] = ()
    subject: str = ""

    def pieces(self, entry: Entry) -> tuple[tuple[Piece, ...], int]:
        """Return the texts of a row with their styles, and the indent of its further lines."""
        head = tuple(placed(entry, self.head))
        body = placed(entry, self.body)
        rest = unplaced(entry, (*self.head, *self.body), self.without)
        indent = sum(len(text) for text, _style in head)
        return tuple(_merged((*head, *body, *rest))), indent

    def row(self, entry: Entry) -> Row:
        """Make the row of a pane."""
        pieces, indent = self.pieces(entry)
        return Row(Content.assemble(*pieces), indent, self.subject_of(entry))

    def subject_of(self, entry: Entry) -> str:
        """Return the service or agent that a row is about; empty if there is none."""
        return str(entry.find(self.subject) or "") if self.subject else ""


def _merged(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join neighboring pieces of the same style."""
    for style, same in groupby(pieces, itemgetter(1)):
        yield "".join(text for text, _style in same), style


class KeptRows:
    """Makes rows, and keeps the objects of those that were there the last time.

    Most rows of a long list stay the same from turn to turn, and are wrapped only once.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[tuple[Piece, ...], int, str], Row] = {}

    def rows(self, entries: Iterable[Entry], layout: Layout) -> list[Row]:
        """Make a row for each entry."""
        before, self._made = self._made, {}
        rows = []
        for entry in entries:
            pieces, indent = layout.pieces(entry)
            key = (pieces, indent, layout.subject_of(entry))
            row = self._made.get(key) or before.get(key)
            self._made[key] = row = row or Row(Content.assemble(*pieces), indent, key[2])
            rows.append(row)
        return rows
