"""The three stars of a game, and what each needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

LEAST_BUDGET: Final = 50
"""The error budget that has to be left for the first star, in percent."""


class Star(StrEnum):
    """What a star is for."""

    USERS = "users"
    CAUSE = "cause"
    CLEAN = "clean"


STARS: Final[Mapping[Star, str]] = MappingProxyType(
    {
        Star.USERS: f"resolved with at least {LEAST_BUDGET} % of the error budget left",
        Star.CAUSE: (
            "resolved, with the right cause and place named before the cure was ordered, and "
            "after one of its telling looks; you named it, or took that look"
        ),
        Star.CLEAN: (
            "resolved, and no order, answer or update of yours was wrong, or made without a reading"
        ),
    }
)
"""What each star needs. A seat that only passed, or ordered a fix blind, earns none."""


def shape_of(stars: Collection[Star]) -> str:
    """Return the stars in a fixed order, those that were not earned hollow: "★☆★"."""
    return "".join("★" if star in stars else "☆" for star in Star)
