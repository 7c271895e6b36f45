"""Fleets of a few services, and minutes of them under pressure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.plan import FleetPlan
from chaosops.env.service import Service
from chaosops.env.service_flow import Physics

from chaosops.env.models.topology import Topology
from tests.worlds import fleet

Change = Callable[[int, FaultEffects, Physics], None]


def _nothing(minute: int, effects: FaultEffects, physics: Physics) -> None:
    """An ordinary minute."""


def front(to: str, **call: Any) -> dict[str, Any]:
    """An edge that nothing can slow down, so that what is seen comes from what it calls."""
    calls = [{"to": to, "timeout_ms": 1000, **call}]
    return {
        "name": "front",
        "kind": "edge",
        "rps_per_replica": 1e6,
        "replicas": 1,
        "base_ms": 1,
        "calls": calls,
    }


def called(**changes: Any) -> dict[str, Any]:
    """What that edge calls: `back`, an application of one replica, or as it is changed."""
    return {
        "name": "back",
        "kind": "app",
        "replicas": 1,
        "servers": 4,
        "rps_per_replica": 100,
        "base_ms": 40,
        **changes,
    }


def after(topology: Topology, minutes: int, change: Change = _nothing) -> Physics:
    """The physics after so many minutes; `change` comes before each one."""
    physics = Physics(FleetPlan(topology))
    for minute in range(minutes):
        effects = FaultEffects(physics.plan.size)
        change(minute, effects, physics)
        physics.take_effects(effects)
        physics.advance(1.0)
    return physics


def cache_and_db() -> Topology:
    """Services 0 to 2: an edge that asks a cache, and a database for the cache's misses."""
    top = front("cache", mode="fallback")
    top["calls"].append({"to": "db", "behind": "cache"})
    cache = called(name="cache", kind="cache", rps_per_replica=10_000, base_ms=1, hit_rate=0.95)
    return fleet([top, cache, called(name="db", kind="database", rps_per_replica=1_000)], rps=100)


def named(physics: Physics, name: str) -> Service:
    """A service by its name."""
    return physics.services[physics.plan.index[name]]


def each_minute(
    topology: Topology,
    minutes: int,
    figure: Callable[[Physics], float],
    change: Change,
) -> list[float]:
    """A figure at the beginning of each minute; `change` comes after it is taken."""
    seen: list[float] = []

    def look_and_change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        seen.append(figure(physics))
        change(minute, effects, physics)

    after(topology, minutes, look_and_change)
    return seen
