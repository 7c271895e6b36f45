"""Text bars, to compare figures at a glance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

SIZE: Final = 10
"""Length of a full bar in characters; a signed bar has as many on each side of its zero line."""

_FULL: Final = "█"
_ZERO: Final = "│"


def share_bar(share: float, size: int = SIZE) -> str:
    """Draw a share from 0 to 1."""
    return _FULL * _length(share, 1.0, size)


def signed_bar(value: float, end: float, size: int = SIZE) -> str:
    """Draw a value from a zero line: negative values to the left, positive values to the right.

    Args:
        end: The absolute value at which a bar is full.
    """
    length = _length(abs(value), end, size)
    if value < 0:
        # No-break spaces survive the stripping of table cells.
        return (_FULL * length).rjust(size, _BLANK) + _ZERO
    return _BLANK * size + _ZERO + _FULL * length


_BLANK: Final = "\N{NO-BREAK SPACE}"


def round_end(values: Iterable[float]) -> float:
    """Return the least round number (1, 2 or 5 times a power of ten) that no value exceeds."""
    most = max((abs(value) for value in values), default=0.0)
    if not most:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= most)


def _length(part: float, whole: float, size: int) -> int:
    """Return the length of a bar in characters; at least one, unless the part is zero."""
    return max(round(size * part / whole), 1) if part else 0
