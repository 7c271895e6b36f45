"""The shape of a series: its bounds, its newest value, and since when it has moved.

It is derived from the series alone. The usual value is the median of its first third; a value is
away from it if it differs by more than four times the usual scatter (the median absolute
deviation, scaled to a standard deviation) and by more than a fiftieth of the usual value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Final, NamedTuple

_FEWEST: Final = 6
"""The least number of values for describing a movement."""
_SCATTERS: Final = 4.0
_TO_DEVIATION: Final = 1.4826
_LEAST_SHARE: Final = 0.02
_FLAT_SHARE: Final = 0.1
"""The scatter if the first third has none, for example after rounding."""


class Shape(NamedTuple):
    """The shape of a series, without judgement. Minutes are counted from the page.

    Attributes:
        low, high: Its bounds.
        high_at: The minute of the highest value, the last of several.
        now: Its newest value.
        now_at: The minute of that; earlier than the last if the newest were not collected.
        usual: Its usual value.
        since: The minute since which it has been away from that; None if it is not.
        gaps: Minutes without a value.
    """

    low: float
    high: float
    high_at: int
    now: float
    now_at: int
    usual: float
    since: int | None
    gaps: int

    @property
    def rose(self) -> bool:
        """Whether it is above its usual value."""
        return self.now > self.usual


def shape_of(values: Sequence[float | None], start: int) -> Shape | None:
    """Return the shape of a series; None if no value was collected.

    Args:
        start: The minute of the first value.
    """
    known = [
        (start + i, value)
        for i, value in enumerate(values)
        if value is not None and math.isfinite(value)
    ]
    if not known:
        return None
    figures = [value for _, value in known]
    high = max(figures)
    high_at = max(minute for minute, value in known if value == high)
    now_at, now = known[-1]
    first = figures[: max(1, len(figures) // 3)]
    usual = median(first)
    since = _moved_since(known, usual, first) if len(figures) >= _FEWEST else None
    return Shape(min(figures), high, high_at, now, now_at, usual, since, len(values) - len(figures))


def _moved_since(
    known: Sequence[tuple[int, float]], usual: float, first: Sequence[float]
) -> int | None:
    """Return the minute since which all values but at most one are away on the same side."""
    scatter = median(abs(value - usual) for value in first) * _TO_DEVIATION
    band = max(_SCATTERS * scatter, _LEAST_SHARE * abs(usual))
    if scatter == 0.0:
        band = max(band, _FLAT_SHARE * abs(usual))
    last = known[-1][1] - usual
    if abs(last) <= band:
        return None
    side = math.copysign(1.0, last)
    since, excepted = known[-1][0], False
    for minute, value in reversed(known[:-1]):
        if (value - usual) * side > band:
            since = minute
        elif excepted or since == known[-1][0]:
            break
        else:
            excepted = True
    return since
