"""When a limit will be reached if it goes on like this, as far as a role can see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import TURN_ORDER, RoleView, Status
from chaosops.env.models.signals import SIGNALS, SignalFormat
from chaosops.presenter import service_pasts

_WINDOWS: Final = (5, 10)
"""Minutes over which the slope is measured; each gives an end of the range."""
_LEAST_RISE: Final = 3.0
"""Points over the longest window below which a rise may be noise."""
_FARTHEST: Final = 20
"""Minutes beyond which a limit isn't told."""
_CLEAR: Final = 4.0
"""How many times its scatter around the line a rise over the longest window has to be."""
_RECENT: Final = 3
"""Minutes in which the error budget must have been spent, for its end to be told."""
_SHARPEST: Final = 3
_SHARP: Final = 6
"""How many times as far, or how many minutes farther, the latest may be than the soonest."""
_FULL: Final = 100.0
_LIMITED: Final = tuple(
    spec for spec in SIGNALS if spec.is_of_a_limit and spec.format is SignalFormat.PERCENT
)


class MinuteRange(NamedTuple):
    """A range of minutes from now."""

    soonest: int
    latest: int

    @property
    def words(self) -> str:
        """Word it: "in 9-13 min", or "in about 9 min"."""
        if self.latest <= self.soonest + 1:
            return f"in about {self.soonest} min"
        return f"in {self.soonest}-{self.latest} min"


class ExpectedLimit(NamedTuple):
    """A signal of a service that is heading for its limit.

    Attributes:
        signal: Its name in texts for people.
        turns: How many turns the role has before that, at least.
    """

    service: str
    signal: str
    reached: MinuteRange
    turns: int

    @property
    def words(self) -> str:
        """Word it: "memory: limit in 9-13 min (2 of your turns)"."""
        turns = "before your next turn"
        if self.turns:
            turns = f"{self.turns} of your turns" if self.turns > 1 else "1 of your turns"
        return f"{self.signal}: limit {self.reached.words} ({turns})"


def expected_limits(view: RoleView) -> list[ExpectedLimit]:
    """Return the limits that are near, the soonest first, from the role's own series alone."""
    return sorted(_limits(view), key=lambda limit: (limit.reached, limit.service))


def _limits(view: RoleView) -> Iterator[ExpectedLimit]:
    for past in service_pasts(view, max(_WINDOWS)) or ():
        for spec in _LIMITED:
            values = [value for value in past.series.get(spec.name, ()) if value is not None]
            reached = _until(_FULL, values)
            if reached is not None and reached.latest <= _FARTHEST:
                turns = reached.soonest // len(TURN_ORDER)
                yield ExpectedLimit(past.service, spec.spoken or spec.name, reached, turns)


def budget_left(steps: Sequence[EpisodeStep], status: Status) -> MinuteRange | None:
    """Return when the error budget will be empty; None if not within the incident.

    It isn't told while the objective is met, or while nothing of it is spent.

    Args:
        steps: The turns so far.
        status: Now.
    """
    before = [step.observation.view.status for step in steps[-max(_WINDOWS) :]]
    by_minute = {each.minute: float(each.budget) for each in (*before, status)}
    spent = [_FULL - by_minute[minute] for minute in sorted(by_minute)]
    if status.users_ok >= status.slo or spent[-1] <= spent[-_RECENT:][0]:
        return None
    return _until(_FULL, spent, farthest=status.turns - status.minute)


def _until(limit: float, values: Sequence[float], farthest: int = _FARTHEST) -> MinuteRange | None:
    """Return when minute values will reach a limit; None if they don't rise enough."""
    if len(values) < min(_WINDOWS) or values[-1] >= limit:
        return None
    windows = [values[-minutes:] for minutes in _WINDOWS]
    slopes = [_slope(window) for window in windows]
    rise = slopes[-1] * (len(windows[-1]) - 1)
    if min(slopes) <= 0 or rise < max(_LEAST_RISE, _CLEAR * _scatter(windows[-1], slopes[-1])):
        return None
    left = limit - values[-1]
    soonest, latest = (max(1, round(left / slope)) for slope in (max(slopes), min(slopes)))
    is_sharp = latest <= max(_SHARPEST * soonest, soonest + _SHARP)
    return MinuteRange(soonest, latest) if soonest <= farthest and is_sharp else None


def _slope(values: Sequence[float]) -> float:
    """Return the change by the minute of the line that fits best."""
    middle = (len(values) - 1) / 2
    mean = sum(values) / len(values)
    rise = sum((at - middle) * (value - mean) for at, value in enumerate(values))
    return rise / sum((at - middle) ** 2 for at in range(len(values)))


def _scatter(values: Sequence[float], slope: float) -> float:
    """Return the standard deviation of values around their line."""
    middle = (len(values) - 1) / 2
    mean = sum(values) / len(values)
    off = sum((value - mean - slope * (at - middle)) ** 2 for at, value in enumerate(values))
    return sqrt(off / len(values))
