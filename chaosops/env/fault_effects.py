"""Fault effects as the numbers that the services of the first edition compute with."""

from __future__ import annotations


class FaultEffects:
    """What faults, wrong fixes and work in progress do to the services this minute.

    Each list has one value per service, in the topology's order.
    """

    __slots__ = (
        "capacity",
        "demand",
        "disk_per_minute",
        "errors",
        "hit_rate",
        "hold_ms",
        "lag_per_minute",
        "latency_ms",
        "loss",
        "memory_per_minute",
        "replicas",
        "retries",
        "skew",
        "unreachable",
    )

    def __init__(self, services: int) -> None:
        self.errors = [0.0] * services
        self.unreachable = [0.0] * services
        self.latency_ms = [0.0] * services
        self.hold_ms = [0.0] * services
        self.memory_per_minute = [0.0] * services
        self.disk_per_minute = [0.0] * services
        self.retries = [0.0] * services
        self.skew = [0.0] * services
        self.loss = [0.0] * services
        self.lag_per_minute = [0.0] * services
        self.capacity = [1.0] * services
        self.replicas = [1.0] * services
        self.hit_rate = [1.0] * services
        self.demand = [1.0] * services

    def flat(self) -> list[float]:
        """Return all values, effect by effect, sorted by name."""
        return [
            *self.capacity,
            *self.demand,
            *self.disk_per_minute,
            *self.errors,
            *self.hit_rate,
            *self.hold_ms,
            *self.lag_per_minute,
            *self.latency_ms,
            *self.loss,
            *self.memory_per_minute,
            *self.replicas,
            *self.retries,
            *self.skew,
            *self.unreachable,
        ]
