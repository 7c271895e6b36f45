"""A topology as the physics reads it: services and calls by index, in the order of a minute."""

from __future__ import annotations

from typing import Final, NamedTuple

from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import CallMode, Topology

_WRITE_SHARE: Final = {ServiceKind.DATABASE: 0.45, ServiceKind.QUEUE: 0.9}


class Edge(NamedTuple):
    """A call, with its services as indices. `behind` is -1 if no cache is in front."""

    to: int
    per_request: float
    required: bool
    waits: bool
    timeout_ms: float
    retries: int
    behind: int
    pooled: bool


class FleetPlan:
    """A topology compiled to indices; the same for every episode on it."""

    def __init__(self, topology: Topology) -> None:
        services = topology.services
        index = {service.name: i for i, service in enumerate(services)}
        self.calls: list[tuple[Edge, ...]] = []
        for service in services:
            row = []
            for call in service.calls:
                row.append(
                    Edge(
                        index[call.to],
                        call.per_request,
                        call.mode is CallMode.REQUIRED,
                        call.mode is not CallMode.ASYNC,
                        float(call.timeout_ms),
                        call.retries,
                        -1 if call.behind is None else index[call.behind],
                        service.pool is not None and service.pool.to == call.to,
                    )
                )
            self.calls.append(tuple(row))
        self.size = len(services)
        self.index = index
        self.specs = services
        self.entries = tuple((index[entry.service], entry.rps) for entry in topology.entries)
        self.is_entry = [service in dict(self.entries) for service in range(self.size)]
        self.write_share = [_WRITE_SHARE.get(service.kind, 0.0) for service in services]
        self.is_queue = [service.kind is ServiceKind.QUEUE for service in services]
        self.queue_limit = [
            service.queue_seconds * service.rps_per_replica * service.replicas
            for service in services
        ]
        self.order = topology.order()
        self.drained = {
            edge.to
            for queue, calls in enumerate(self.calls)
            for edge in calls
            if self.is_queue[queue] and not edge.waits
        }
