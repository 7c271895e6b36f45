"""Lines over time as braille dots: 2 dots per cell horizontally, 4 vertically."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from tui.widgets.instruments.axis import Axis

_BLANK: Final = 0x2800
_DOTS: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bit of a dot, by its column and row within the cell."""
ACROSS: Final = 2
DOWN: Final = 4


class PlotCell(NamedTuple):
    """A cell of a plot.

    Attributes:
        sign: Its character, a blank if it is empty.
        line: The number of its line; None if it is empty.
    """

    sign: str
    line: int | None


EMPTY: Final = PlotCell(" ", None)


class Plot:
    """A canvas on which lines are drawn one after the other, later ones on top."""

    def __init__(self, width: int, height: int, axis: Axis, first: int, last: int) -> None:
        """Create an empty canvas.

        Args:
            width, height: In cells.
            first, last: The minutes at the left and the right edge.
        """
        self.width, self.height = max(1, width), max(1, height)
        self._axis, self._first, self._last = axis, first, max(first, last)
        self._bits: dict[tuple[int, int], int] = {}
        self._line: dict[tuple[int, int], int] = {}

    def column(self, minute: int) -> int:
        """Return the column of a minute."""
        return self._across(minute) // ACROSS

    def minute(self, column: int) -> int:
        """Return the minute nearest to a column."""
        share = (column + 0.5) / self.width
        return self._first + round(share * (self._last - self._first))

    def row(self, value: float) -> int:
        """Return the row of a value, from the top."""
        return self._down(value) // DOWN

    def draw(self, line: int, values: Sequence[float | None], start: int) -> None:
        """Draw a line, interrupted at missing values.

        Args:
            start: The minute of the first value.
        """
        before: tuple[int, int] | None = None
        for i, value in enumerate(values):
            if value is None:
                before = None
                continue
            point = (self._across(start + i), self._down(value))
            for x, y in _between(before or point, point):
                self._dot(line, x, y)
            before = point

    def cell(self, x: int, y: int) -> PlotCell:
        """Return the cell at a position."""
        bits = self._bits.get((x, y), 0)
        return PlotCell(chr(_BLANK + bits), self._line[x, y]) if bits else EMPTY

    def _across(self, minute: int) -> int:
        span = self._last - self._first
        if span == 0:
            return self.width * ACROSS - 1
        share = min(1.0, max(0.0, (minute - self._first) / span))
        return round(share * (self.width * ACROSS - 1))

    def _down(self, value: float) -> int:
        most = self.height * DOWN - 1
        return most - round(self._axis.share(value) * most)

    def _dot(self, line: int, x: int, y: int) -> None:
        place = (x // ACROSS, y // DOWN)
        kept = self._bits.get(place, 0) if self._line.get(place) == line else 0
        if not kept:
            # Two lines in one cell can only have one colour: that of the later one.
            self._line[place] = line
        self._bits[place] = kept | _DOTS[x % ACROSS][y % DOWN]


def _between(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the dots of a straight line, both ends included."""
    (x0, y0), (x1, y1) = start, end
    count = max(abs(x1 - x0), abs(y1 - y0))
    if count == 0:
        yield end
        return
    for i in range(count + 1):
        yield x0 + round(i * (x1 - x0) / count), y0 + round(i * (y1 - y0) / count)
