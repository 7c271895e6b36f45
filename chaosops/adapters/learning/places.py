"""Places by what a seat sees of them, so that what is learned holds in any fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from chaosops.agents.healthy import HEALTHY
from chaosops.agents.perception import Fact
from chaosops.env.models import Health, RoleView, Sign


class Place(StrEnum):
    """A service or an automation agent, by its part in the incident."""

    DEEPEST = "deepest"
    CALLER = "caller"
    CALLEE = "callee"
    EVIDENCE = "evidence"
    BEHIND = "behind"
    ENTRY = "entry"
    NEWEST_AGENT = "newest agent"
    SECOND_AGENT = "second agent"
    THIRD_AGENT = "third agent"


SERVICES: Final = (Place.DEEPEST, Place.CALLER, Place.CALLEE, Place.EVIDENCE, Place.BEHIND)
"""The places of services at which a seat looks."""

TO_CHANGE: Final = (Place.DEEPEST, Place.EVIDENCE, Place.BEHIND)
"""The places of services that a seat changes: fewer, since most changes elsewhere do harm."""

AGENTS: Final = (Place.NEWEST_AGENT, Place.SECOND_AGENT, Place.THIRD_AGENT)
"""The places of automation agents, by how recently each acted."""

_HEALTHS: Final = tuple(Health)
_SICK: Final = 0.02
_SHARED_BY_MANY: Final = frozenset(
    {
        Sign.ERRORS_HIGH,
        Sign.LATENCY_HIGH,
        Sign.IDLE_BUT_SLOW,
        Sign.TRAFFIC_SURGE,
        Sign.FAILING_DEPENDENCY,
        Sign.SLOW_DEPENDENCY,
        Sign.DEPLOYED_RECENTLY,
        Sign.CONFIG_CHANGED,
        Sign.FLAG_SWITCHED,
    }
)
"""Signs that most causes show somewhere, so that they say little about the place."""


def places(view: RoleView, known: Sequence[Fact]) -> Mapping[Place, str]:
    """Return the name that each place has now; places that there are none of are left out.

    The deepest place is the worst unhealthy service all of whose callees are well; its caller and
    its callee are the worst ones of those. The evidence is where the newest telling sign was seen,
    and what is behind it is what that sign points to.

    Args:
        known: What the seat has read so far.
    """
    pain = _pain(view)
    calls = {node.name: node.calls for node in view.graph}
    order = {name: k for k, name in enumerate(calls)}

    def worst(names: Sequence[str]) -> str | None:
        return max(names, key=lambda name: (pain.get(name, 0.0), -order[name]), default=None)

    sick = [name for name in calls if pain.get(name, 0.0) > _SICK]
    ends = [name for name in sick if not any(callee in sick for callee in calls[name])]
    deepest = worst(ends or list(calls))
    called = {callee for callees in calls.values() for callee in callees}
    found = {
        Place.DEEPEST: deepest,
        Place.CALLER: worst([name for name in calls if deepest in calls[name]]),
        Place.CALLEE: worst(calls[deepest]) if deepest else None,
        Place.ENTRY: worst([name for name in calls if name not in called]),
    }
    telling = _telling([fact for fact in known if fact.place in calls])
    if telling is not None:
        found[Place.EVIDENCE] = telling.place
        found[Place.BEHIND] = telling.by if telling.by in calls else None
    found.update(zip(AGENTS, _agents(view), strict=False))
    return {place: name for place, name in found.items() if name}


def _pain(view: RoleView) -> dict[str, float]:
    """Return how badly each service does, from whatever the role sees of it."""
    if view.services is not None:
        return {now.service: _HEALTHS.index(now.health) + now.errors for now in view.services}
    if view.health is not None:
        return {name: float(_HEALTHS.index(health)) for name, health in view.health}
    pain: dict[str, float] = {}
    for alert in view.alerts:
        pain[alert.service] = pain.get(alert.service, 0.0) + 1.0
    return pain


def _telling(known: Sequence[Fact]) -> Fact | None:
    return max(
        (fact for fact in known if fact.sign not in HEALTHY),
        key=lambda fact: (fact.sign not in _SHARED_BY_MANY, fact.minute, fact.place, fact.sign),
        default=None,
    )


def _agents(view: RoleView) -> tuple[str, ...]:
    acted = [event.agent for event in reversed(view.audit or ())]
    return tuple(dict.fromkeys((*acted, *(view.agents or ()))))
