"""Whole numbers from a random stream of which only `random()` is used."""

from __future__ import annotations

from random import Random


def below(dice: Random, bound: int) -> int:
    """A number from 0 up to a bound, which is left out."""
    return int(dice.random() * bound)


def between(dice: Random, span: tuple[int, int]) -> int:
    """A number from the first to the second, which may be drawn too."""
    return span[0] + below(dice, span[1] - span[0] + 1)
