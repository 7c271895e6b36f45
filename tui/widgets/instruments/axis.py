"""The axes of a chart: bounds that hold the data, with ticks at round values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

_ROUND: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_MINUTE_STEPS: Final = (1, 2, 5, 10, 15, 20, 30, 60)
_LABEL: Final = 8
"""The least cells between two times of day."""


class Axis(NamedTuple):
    """An axis of values.

    Attributes:
        low, high: Its bounds, which contain the data.
        step: The distance between two ticks.
    """

    low: float
    high: float
    step: float

    def share(self, value: float) -> float:
        """Return the position of a value, from 0 at the bottom to 1 at the top."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def ticks(self) -> tuple[float, ...]:
        """The values with a label, from bottom to top."""
        count = round((self.high - self.low) / self.step)
        return tuple(self.low + i * self.step for i in range(count + 1))

    def label(self, value: float) -> str:
        """Format a tick's value: "12k", "0.02"."""
        if abs(value) < self.step / 2:
            return "0"
        for limit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
            if max(abs(self.low), abs(self.high)) >= limit and abs(value) < 1e12:
                unit = limit if letter != "k" else 1e3
                return f"{_decimals(value / unit, self.step / unit)}{letter}"
        if abs(value) >= 1e12:
            return f"{value:.1e}"
        return _decimals(value, self.step)


def axis_for(values: Sequence[float], *, ticks: int, from_zero: bool = True) -> Axis:
    """Return an axis for values.

    Args:
        ticks: The approximate number of steps.
        from_zero: Whether to begin at zero if no value is below it; otherwise fit the data.
    """
    low, high = min(values, default=0.0), max(values, default=0.0)
    if from_zero:
        low, high = min(0.0, low), max(0.0, high)
    if low == high:
        low, high = (low, low + 1.0) if low == 0.0 else (low - abs(low) / 10, high + abs(high) / 10)
    step = _round_step((high - low) / max(1, ticks))
    bottom, top = math.floor(low / step), math.ceil(high / step)
    while bottom * step > low:
        bottom -= 1
    while top * step < high or top <= bottom:
        top += 1
    return Axis(bottom * step, top * step, step)


def minute_ticks(first: int, last: int, width: int, paged_at: int) -> tuple[int, ...]:
    """Return the minutes with a time of day below them: round ones, as many as fit.

    Args:
        width: The width for all of them, in cells.
        paged_at: The minute of the day of minute 0.
    """
    most = max(1, width // _LABEL)
    span = max(1, last - first)
    step = next((step for step in _MINUTE_STEPS if span / step <= most), _MINUTE_STEPS[-1])
    return tuple(minute for minute in range(first, last + 1) if (paged_at + minute) % step == 0)


def _round_step(raw: float) -> float:
    power: float = 10.0 ** math.floor(math.log10(raw)) if raw > 1e-300 else 1e-300
    return next(step * power for step in _ROUND if step * power >= raw * (1 - 1e-9))


def _decimals(value: float, step: float) -> str:
    places = 0
    while places < 6 and abs(round(step, places) - step) > step * 1e-3:
        places += 1
    return f"{value:.{places}f}"
