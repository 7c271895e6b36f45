"""Services: their tier, their health, and their dependencies."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Health(StrEnum):
    """The health of a service, from its error rate and latency relative to the usual ones."""

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
    """A service in the dependency graph, with the names of its dependencies."""

    name: str
    kind: ServiceKind
    calls: tuple[str, ...]
