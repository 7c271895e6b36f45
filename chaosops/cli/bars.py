"""Bars of text for figures that stand side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

SIZE: Final = 10
"""Characters of a bar; one for both signs has as many on each side of its zero line."""

_FULL: Final = "█"
_ZERO: Final = "│"


def share_bar(share: float, size: int = SIZE) -> str:
    """A share from 0 to 1."""
    return _FULL * _length(share, 1.0, size)


def signed_bar(value: float, end: float, size: int = SIZE) -> str:
    """A value beside its zero line: negative ones go to the left of it, positive ones to the right.

    Args:
        end: The value, or minus that, at which a bar is full.
    """
    length = _length(abs(value), end, size)
    if value < 0:
        # The blanks before it stay where cells are put in line.
        return (_FULL * length).rjust(size, _BLANK) + _ZERO
    return _BLANK * size + _ZERO + _FULL * length


_BLANK: Final = "\N{NO-BREAK SPACE}"


def round_end(values: Iterable[float]) -> float:
    """The least round number (1, 2 or 5 times a power of ten) that no value goes beyond."""
    most = max((abs(value) for value in values), default=0.0)
    if not most:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= most)


def _length(part: float, whole: float, size: int) -> int:
    """So many characters of a bar; what is not nothing is one at least."""
    return max(round(size * part / whole), 1) if part else 0
