"""Copies of the parts of a world, so that an opening is simulated once and played many times."""

from __future__ import annotations

from collections import deque
from copy import copy
from random import Random
from typing import Final, TypeVar

_T = TypeVar("_T")

_OWN: Final = frozenset({list, dict, set, deque})


def copied(part: _T) -> _T:
    """A copy with collections of its own, and random streams that go on from the same place.

    What is in the collections is shared: it must be immutable.
    """
    twin = copy(part)
    for name, value in vars(part).items():
        if type(value) in _OWN:
            setattr(twin, name, copy(value))
        elif type(value) is Random:
            stream = Random(0)
            stream.setstate(value.getstate())
            setattr(twin, name, stream)
    return twin
