"""The rating of a seat: how well it did in a shift, and in the newest ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.play.shifts.results import ShiftResult
from chaosops.play.stars import STARS

_STARS: Final = 60.0
_RESOLVED: Final = 25.0
_BUDGET: Final = 15.0

NEWEST: Final = 10
"""How many shifts a seat's rating over several is the mean of."""

EXPLAINED: Final = (
    f"A seat's rating is at most 100: {_STARS:.0f} for its stars, {_RESOLVED:.0f} for resolved "
    f"incidents, {_BUDGET:.0f} for the error budget that is left. What was not played counts as 0."
)


def seats_in(played: Iterable[ShiftResult]) -> tuple[AgentRole, ...]:
    """Return the seats that people played in a shift."""
    roles = {role for result in played for role in result.stars}
    return tuple(role for role in TURN_ORDER if role in roles)


def rating_of(role: AgentRole, played: Sequence[ShiftResult], incidents: int) -> int:
    """Rate a seat in a finished shift, from 0 to 100.

    Args:
        incidents: How many the shift has, played or not.
    """
    stars = sum(len(result.stars.get(role, ())) for result in played) / (incidents * len(STARS))
    resolved = sum(result.resolved for result in played) / incidents
    budget = played[-1].budget / 100.0 if played else 0.0
    return round(_STARS * stars + _RESOLVED * resolved + _BUDGET * budget)


def mean_rating(ratings: Sequence[int]) -> int | None:
    """Return the rating over the newest shifts; None if there is none.

    Args:
        ratings: Of all shifts, the oldest first.
    """
    newest = ratings[-NEWEST:]
    return round(fmean(newest)) if newest else None
