"""Sizes a generated fleet, so that it carries its own load and every service is about half busy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from chaosops.env.models import ServiceKind
from chaosops.generation.dice import SeededDice
from chaosops.generation.fleet_plan import PlannedService

HIT_RATE: Final = 0.9
_BUSY: Final = (0.38, 0.5)
_SLOWEST_MS: Final = 45
_POOL_FACTOR: Final = 6
_LEAST_POOL: Final = 4
_ANSWER_S: Final = 0.012
_SESSIONS: Final = 200

_BASE_MS: Final[Mapping[ServiceKind, tuple[float, float]]] = {
    ServiceKind.EDGE: (4, 6),
    ServiceKind.APP: (10, 30),
    ServiceKind.CACHE: (1, 1),
    ServiceKind.QUEUE: (5, 7),
    ServiceKind.DATABASE: (7, 9),
    ServiceKind.EXTERNAL: (60, 100),
}
_REPLICAS: Final[Mapping[ServiceKind, tuple[int, int]]] = {
    ServiceKind.EDGE: (3, 4),
    ServiceKind.APP: (3, 4),
    ServiceKind.CACHE: (3, 3),
    ServiceKind.QUEUE: (3, 3),
    ServiceKind.DATABASE: (3, 4),
    ServiceKind.EXTERNAL: (4, 6),
}


def loads_of(
    services: Sequence[PlannedService], entries: Mapping[str, float]
) -> Mapping[str, float]:
    """Return the requests per second that reach each service on an ordinary day.

    Args:
        services: Callers before what they call.
        entries: The requests per second of users, by the service that they reach.
    """
    loads = {service.name: entries.get(service.name, 0.0) for service in services}
    left = {service.name: service for service in services}
    callers: dict[str, int] = dict.fromkeys(left, 0)
    for service in services:
        for call in service.calls:
            callers[call.to] += 1
    ready = [name for name, count in callers.items() if count == 0]
    while ready:
        service = left.pop(ready.pop())
        for call in service.calls:
            share = call.per_request * ((1 - HIT_RATE) if call.behind else 1)
            loads[call.to] += loads[service.name] * share
            callers[call.to] -= 1
            if callers[call.to] == 0:
                ready.append(call.to)
    return loads


def sized(service: PlannedService, load: float, pools: int, dice: SeededDice) -> dict[str, Any]:
    """Return the fields of a service's file entry, but for its calls.

    Args:
        load: Its requests per second.
        pools: Connections that callers keep to it altogether.
    """
    kind = service.kind
    low, high = _BASE_MS[kind]
    replicas = dice.between(*_REPLICAS[kind])
    base = round(dice.within(low, high))
    needed = load / dice.within(*_BUSY) / replicas
    servers = max(1, math.ceil(needed * base / 1000))
    # With the number of servers rounded up, serving slower keeps the share that is busy.
    base = max(base, min(math.floor(servers * 1000 / max(needed, 1)), _SLOWEST_MS))
    if kind is ServiceKind.CACHE:
        base = 1
    fields: dict[str, Any] = {
        "name": service.name,
        "kind": kind.value,
        "replicas": replicas,
        "max_replicas": replicas if kind is ServiceKind.EXTERNAL else 3 * replicas,
        "rps_per_replica": servers * 1000 // base,
        "servers": servers,
        "base_ms": base,
        "memory": dice.between(36, 58),
    }
    if kind in (ServiceKind.EDGE, ServiceKind.APP):
        fields["queue_seconds"] = 0.2
    if kind is ServiceKind.APP:
        disk = dice.between(33, 40)
        fields |= {"disk": disk, "disk_gb": 120, "request_mb": 0.03, "dns_ttl": 4}
    elif kind is ServiceKind.CACHE:
        fields |= {"hit_rate": HIT_RATE, "queue_seconds": 2}
    elif kind is ServiceKind.QUEUE:
        fields |= {"disk": dice.between(30, 44), "queue_seconds": 240, "shards": 12}
    elif kind is ServiceKind.DATABASE:
        sessions = max(_SESSIONS, 50 * math.ceil(pools * 1.5 / 50))
        fields |= {"memory_gb": 16, "disk": dice.between(52, 64), "disk_gb": 400}
        fields |= {"queue_seconds": 5, "shards": 4, "sessions": sessions, "dns_ttl": 4}
    elif kind is ServiceKind.EXTERNAL:
        fields["dns_ttl"] = 10
    return fields


def pool_size(calls_per_second: float, replicas: int) -> int:
    """Return the connections that each replica keeps for so many calls."""
    at_once = calls_per_second / replicas * _ANSWER_S
    return max(_LEAST_POOL, math.ceil(_POOL_FACTOR * at_once))
