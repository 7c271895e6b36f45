"""Draws for the generator: the same on every Python, from a seed and a purpose."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

from chaosops.scenarios.random_streams import below, between

_ItemT = TypeVar("_ItemT")


class SeededDice:
    """A random stream for one purpose.

    Args:
        parts: What the stream depends on, such as a seed and the name of the purpose.
    """

    def __init__(self, *parts: object) -> None:
        self._name = ":".join(map(str, parts))
        digest = hashlib.sha256(f"generated:{self._name}".encode()).digest()
        self._random = Random(int.from_bytes(digest[:8], "big"))

    def of(self, *parts: object) -> SeededDice:
        """Return a stream of its own, which draws from this one don't change."""
        return SeededDice(self._name, *parts)

    def below(self, bound: int) -> int:
        """Draw a number from 0 up to a bound, which is left out."""
        return below(self._random, bound)

    def between(self, first: int, last: int) -> int:
        """Draw a number from the first to the last, which may be drawn too."""
        return between(self._random, (first, last))

    def within(self, low: float, high: float) -> float:
        """Draw a number between two others."""
        return low + (high - low) * self._random.random()

    def chance(self, share: float) -> bool:
        """Whether something happens that does in a share of all cases."""
        return self._random.random() < share

    def pick(self, items: Sequence[_ItemT]) -> _ItemT:
        """Draw one of some items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[_ItemT]) -> list[_ItemT]:
        """Return the items in a random order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _each in range(len(left))]

    def some(self, items: Iterable[_ItemT], most: int) -> list[_ItemT]:
        """Draw up to a number of the items, and keep their order."""
        kept = list(items)
        chosen = set(self.shuffled(range(len(kept)))[:most])
        return [item for i, item in enumerate(kept) if i in chosen]
