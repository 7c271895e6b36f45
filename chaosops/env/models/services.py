"""Services: their tier, their health, and what they call."""

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


class ServiceNode(NamedTuple):
    """A service in the dependency graph, with the names of what it calls."""

    name: str
    kind: ServiceKind
    calls: tuple[str, ...]
