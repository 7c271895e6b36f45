"""Finds the services of a topology that can play a cause's parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import CallMode, CallSpec, ServiceSpec, Topology
from chaosops.scenarios.cause import At, Cause, Draw, Fit, Trait


class Placement(NamedTuple):
    """The services of a cause by name; `caller` is None if it needs none."""

    place: str
    caller: str | None


def placements(cause: Cause, topology: Topology) -> Iterator[Placement]:
    """Yield every place that a cause fits, with every caller, in the topology's order."""
    for service in topology.services:
        if not _fits(cause.place, service, topology):
            continue
        if cause.caller is None:
            yield Placement(service.name, None)
            continue
        for other in topology.services:
            for call in other.calls:
                if call.to == service.name and _fits_caller(cause.caller, other, call, topology):
                    yield Placement(service.name, other.name)


def parts_of(spot: Placement, topology: Topology) -> dict[At, str | None]:
    """Return which service has each part where a cause is placed; None where none has."""
    services = {service.name: service for service in topology.services}
    place = services[spot.place]
    handed = (call.to for call in place.calls if call.mode is CallMode.ASYNC)
    asked = (
        call.behind
        for service in topology.services
        for call in service.calls
        if call.to == spot.place and call.behind
    )
    return {
        At.PLACE: spot.place,
        At.CALLER: spot.caller,
        At.ENTRY: topology.entries[0].service,
        At.STORE: None if place.pool is None else place.pool.to,
        At.CONSUMER: next(handed, None) if place.kind is ServiceKind.QUEUE else None,
        At.CACHE: next(asked, None),
    }


def _fits(fit: Fit, service: ServiceSpec, topology: Topology) -> bool:
    behind = any(
        call.behind is not None and call.to == service.name
        for other in topology.services
        for call in other.calls
    )
    has = {
        Trait.POOLED: service.pool is not None,
        Trait.SHARDED: service.shards > 1,
        Trait.DISK: service.disk is not None,
        Trait.SEVERAL_INSTANCES: service.replicas > 1,
        Trait.CACHED: behind,
        Trait.NEEDED: service.name in _needed(topology),
    }
    return service.kind in fit.kinds and all(has[trait] for trait in fit.traits)


def _needed(topology: Topology) -> set[str]:
    """Return the services that required calls lead to from an entry."""
    calls = {service.name: service.calls for service in topology.services}
    found: set[str] = set()
    open_ = [entry.service for entry in topology.entries]
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += [call.to for call in calls[name] if call.mode is CallMode.REQUIRED]
    return found


def _fits_caller(fit: Fit, service: ServiceSpec, call: CallSpec, topology: Topology) -> bool:
    kinds = {other.name: other.kind for other in topology.services}
    asked = call.mode is CallMode.FALLBACK and kinds[call.to] is ServiceKind.CACHE
    is_needed = call.mode is CallMode.REQUIRED or asked or service.kind is ServiceKind.QUEUE
    if service.kind not in fit.kinds or not is_needed:
        return False
    has = {
        Trait.POOLED: service.pool is not None and service.pool.to == call.to,
        Trait.CACHED: call.behind is not None,
        Trait.SEVERAL_INSTANCES: service.replicas > 1,
        Trait.SHARDED: service.shards > 1,
        Trait.DISK: service.disk is not None,
        Trait.NEEDED: service.name in _needed(topology),
    }
    return all(has[trait] for trait in fit.traits)


def sites(drawn: Draw) -> frozenset[str]:
    """Return where a drawn cause may be said to be: its place, and where it is cleared."""
    parts = {
        At.PLACE: drawn.place,
        At.CALLER: drawn.caller,
        At.ENTRY: drawn.entry,
        At.STORE: drawn.store,
        At.CONSUMER: drawn.consumer,
        At.CACHE: drawn.cache,
    }
    cleared = {parts[move.at] for move in drawn.cause.clears}
    return frozenset(name for name in (drawn.place, *cleared) if name is not None)
