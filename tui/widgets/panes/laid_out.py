"""Rows of a pane from rows of cells."""

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
    """Where the cells of a row stand in a pane. A cell without a place comes last.

    Attributes:
        head: Where a row wraps, its later lines begin below what follows these.
        without: The cells that are left out, since the pane tells them elsewhere.
    """

    head: Sequence[CellPlace]
    body: Sequence[CellPlace]
    without: Collection[str] = ()

    def pieces(self, entry: Entry) -> tuple[tuple[Piece, ...], int]:
        """The texts of a row with their styles, and where its later lines begin."""
        head = tuple(placed(entry, self.head))
        body = placed(entry, self.body)
        rest = unplaced(entry, (*self.head, *self.body), self.without)
        indent = sum(len(text) for text, _style in head)
        return tuple(_merged((*head, *body, *rest))), indent

    def row(self, entry: Entry) -> Row:
        """The row of a pane."""
        pieces, indent = self.pieces(entry)
        return Row(Content.assemble(*pieces), indent)


def _merged(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, neighbors of one style as one."""
    for style, same in groupby(pieces, itemgetter(1)):
        yield "".join(text for text, _style in same), style


class KeptRows:
    """Makes rows; those that were there the last time are the same objects.

    So much of a long list stays the same from turn to turn, and is wrapped once.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[tuple[Piece, ...], int], Row] = {}

    def rows(self, entries: Iterable[Entry], layout: Layout) -> list[Row]:
        """A row for each entry."""
        before, self._made = self._made, {}
        rows = []
        for entry in entries:
            key = layout.pieces(entry)
            row = self._made.get(key) or before.get(key)
            self._made[key] = row = row or Row(Content.assemble(*key[0]), key[1])
            rows.append(row)
        return rows
