"""Services in a view: their tier, their health, and the golden signals of one minute."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Health(StrEnum):
    """A service at a glance, from its error share and latency against what is usual for it."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    CRITICAL = "critical"
    DOWN = "down"


class ServiceKind(StrEnum):
    """The tier a service belongs to."""

    EDGE = "edge"
    APP = "app"
    CACHE = "cache"
    QUEUE = "queue"
    DATABASE = "database"
    EXTERNAL = "external"


class ServiceSignals(NamedTuple):
    """The golden signals of one service over one minute, and its saturation.

    What a role does not see, or a service does not have, is None.

    Attributes:
        rps: Requests a second offered to the service.
        errors: Share of those that failed, 0 to 1, four decimals.
        p95_ms: Latency at the 95th percentile, along the whole call path.
        busy: Compute in use, percent.
        memory: Memory in use, percent of the limit.
        disk: Disk in use, percent.
        pool: Connections in use, percent of the pool.
        hit: Cache hits, percent.
        backlog: Requests or messages that wait.
        replicas: Instances that serve.
        lag: Seconds that copies of the data are behind.
    """

    service: str
    health: Health
    rps: int | None
    errors: float
    p95_ms: int
    busy: int | None
    memory: int | None
    disk: int | None
    pool: int | None
    hit: int | None
    backlog: int | None
    replicas: int | None
    lag: int | None = None


class ServiceNode(NamedTuple):
    """A service in the dependency graph, with the names of what it calls."""

    name: str
    kind: ServiceKind
    calls: tuple[str, ...]
