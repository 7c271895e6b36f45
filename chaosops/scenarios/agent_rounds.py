"""When the automation of a situation acts by its written policies, and on which services.

Work comes in spells: some minutes apart, an agent does the same to the same service a few times.
Every agent has such a spell around the onset, often at the service where the cause is, so that
neither the number of its acts nor their minutes nor their targets tell who is guilty. The one that
is guilty has fewer of these acts, since those that follow from its changed policy come on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from types import MappingProxyType
from typing import Final

from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import Topology
from chaosops.scenarios.agent_policies import (
    AutoscalerPolicy,
    DeployPolicy,
    DrawnController,
    DrawnRelease,
    DrawnRound,
    HealthCheckPolicy,
    RenewalPolicy,
)
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.fitting import Placement
from chaosops.scenarios.random_streams import below, between

_BEFORE: Final = (-52, -26)
_EARLY: Final = 0.25
_MANY: Final = 4
_AROUND: Final = (-4, 4)
_AFTER: Final = ((9, 16), (26, 36), (46, 58), (68, 80))
_ACTS: Final = (1, 3)
_SHOWN: Final[Mapping[str, int]] = MappingProxyType({"autoscaler": 2, "patcher": 2})
_MOSTLY_SHOWN: Final = 3
_APART: Final = (3, 5)
_AT_PLACE: Final = 0.6
_MOVED: Final = (-5, 4)
_MEASURING: Final = (AutoscalerPolicy, HealthCheckPolicy)


def with_rounds(
    drawn: tuple[DrawnController, ...],
    cause: Cause,
    spot: Placement,
    topology: Topology,
    dice: Random,
) -> tuple[DrawnController, ...]:
    """Return controllers that act by their policies as well; deploy bots have releases instead.

    Args:
        spot: Where the cause is.
        dice: A stream of their own; only its `random()` is used.
    """
    apps = [spec.name for spec in topology.services if spec.kind is ServiceKind.APP]
    earlier = _EARLY if len(drawn) < _MANY else 0.0  # The audit log is to stay short.
    found = []
    for one in drawn:
        # What was renewed in full a moment ago can't expire.
        open_to = [name for name in apps if name != spot.place or not _is_kept(one, cause)]
        if isinstance(one.standing, DeployPolicy):
            found.append(one.model_copy(update={"releases": tuple(_moved(one.releases, dice))}))
        else:
            rounds = tuple(_rounds(one, spot, open_to, earlier, dice))
            found.append(one.model_copy(update={"rounds": rounds}))
    return tuple(found)


def _moved(releases: Iterable[DrawnRelease], dice: Random) -> Iterator[DrawnRelease]:
    """Move releases by some minutes, except for the guilty one."""
    for release in releases:
        by = between(dice, _MOVED)
        yield release if release.is_faulty else release.model_copy(update={"at": release.at + by})


def _is_kept(drawn: DrawnController, cause: Cause) -> bool:
    """Whether the agent would renew the very certificate that the cause is about."""
    is_about = any(effect.part == "certificate" for effect in cause.effects)
    return is_about and isinstance(drawn.standing, RenewalPolicy)


def _rounds(
    drawn: DrawnController, spot: Placement, apps: Iterable[str], earlier: float, dice: Random
) -> Iterator[DrawnRound]:
    early, acts = int(dice.random() < earlier), between(dice, _ACTS)
    if drawn.place is not None:
        acts = max(0, acts - _SHOWN.get(drawn.standing.kind, _MOSTLY_SHOWN))
    # Of an autoscaler these are the minutes between two steps, and it doesn't step in its rounds.
    least = 0 if isinstance(drawn.standing, _MEASURING) else drawn.standing.minutes_between
    free = _BEFORE[0]
    for span, count in ((_BEFORE, early), (_AROUND, acts), *((span, 1) for span in _AFTER)):
        gaps = [max(least, between(dice, _APART)) for _each in range(count)]
        minute = between(dice, span) - sum(gaps[1:])
        for gap in gaps:
            minute = max(minute, free)
            yield DrawnRound(at=minute, services=_order(spot, apps, dice))
            free = minute + least
            minute += gap


def _order(spot: Placement, apps: Iterable[str], dice: Random) -> tuple[str, ...]:
    """Return the services in an order that begins at the cause more often than elsewhere."""
    left = sorted(apps)
    order = [left.pop(below(dice, len(left))) for _each in range(len(left))]
    near = next((name for name in (spot.place, spot.caller) if name in order), None)
    if dice.random() < _AT_PLACE and near is not None:
        order = [near, *(name for name in order if name != near)]
    return tuple(order)
