"""A topology as the physics reads it: services and calls by number, computed once."""

from __future__ import annotations

from math import fsum
from typing import Final

from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import CallMode, CallSpec, ServiceSpec, Topology

_ANY_RETRIES: Final = 1e9

_WRITES: Final = {ServiceKind.DATABASE: 0.45, ServiceKind.QUEUE: 0.9}


class LinkTraits:
    """A call from one service to another, as in the topology.

    Attributes:
        number: Its index among all calls, caller by caller.
        behind: The cache in front of the called service, -1 if there is none.
        retries_allowed: The most retries per request to a service that is full.
        pool_size: Connections that one instance of the caller keeps; 0 without a pool.
        table: The table that it mostly reads and writes.
    """

    __slots__ = (
        "behind",
        "caller",
        "number",
        "per_request",
        "pool_size",
        "required",
        "retries",
        "retries_allowed",
        "table",
        "timeout_ms",
        "to",
        "waits",
    )

    def __init__(
        self,
        number: int,
        caller: int,
        to: int,
        behind: int,
        call: CallSpec,
        spec: ServiceSpec,
        retries_allowed: float,
    ) -> None:
        self.number = number
        self.caller = caller
        self.to = to
        self.behind = behind
        self.per_request = call.per_request
        self.required = call.mode is CallMode.REQUIRED
        self.waits = call.mode is not CallMode.ASYNC
        self.timeout_ms = float(call.timeout_ms)
        self.retries = float(call.retries)
        self.retries_allowed = retries_allowed
        pooled = spec.pool is not None and spec.pool.to == call.to
        self.pool_size = float(spec.pool.size) if pooled and spec.pool is not None else 0.0
        self.table = call.table or spec.name


class ServiceTraits:
    """A service as in the topology.

    Attributes:
        number: Its index in the topology's order.
        links: Numbers of the calls that it makes; `callers` has those that are made to it.
        entry_rps: User requests per second; 0 if users don't call it.
        usual_rps: Requests per second on an ordinary day.
        reach: Share of all user requests that fail if it answers none.
        queue_limit: Requests that may wait; `longest_wait_ms` is the longest mean wait that such a
            queue allows, a quarter of the time that it holds.
        write_share: Share of its requests that write.
        cores: CPU cores that an instance requests.
    """

    __slots__ = (
        "base_ms",
        "callers",
        "cores",
        "disk",
        "disk_gb",
        "dns_ttl",
        "entry_rps",
        "has_disk",
        "hit_rate",
        "is_app",
        "is_cache",
        "is_database",
        "is_external",
        "is_queue",
        "kind",
        "links",
        "longest_wait_ms",
        "max_replicas",
        "memory",
        "memory_gb",
        "name",
        "number",
        "queue_limit",
        "reach",
        "replicas",
        "request_mb",
        "rps_per_replica",
        "servers",
        "sessions",
        "shards",
        "usual_rps",
        "write_share",
        "zones",
    )

    def __init__(self, number: int, spec: ServiceSpec, links: range, entry_rps: float) -> None:
        self.number = number
        self.name = spec.name
        self.kind = spec.kind
        self.is_app = spec.kind in (ServiceKind.APP, ServiceKind.EDGE)
        self.is_queue = spec.kind is ServiceKind.QUEUE
        self.is_database = spec.kind is ServiceKind.DATABASE
        self.is_external = spec.kind is ServiceKind.EXTERNAL
        self.is_cache = spec.hit_rate is not None
        self.has_disk = spec.disk is not None
        self.links = links
        self.callers: tuple[int, ...] = ()
        self.entry_rps = entry_rps
        self.usual_rps = 0.0
        self.reach = 0.0
        self.base_ms = spec.base_ms
        self.rps_per_replica = spec.rps_per_replica
        self.servers = float(spec.servers)
        self.cores = self.servers / 2.0
        self.replicas = spec.replicas
        self.max_replicas = spec.max_replicas
        self.longest_wait_ms = max(5.0, spec.queue_seconds * 1000.0 / 4.0)
        self.queue_limit = spec.queue_seconds * spec.rps_per_replica * spec.replicas
        self.memory = spec.memory
        self.memory_gb = spec.memory_gb
        self.request_mb = spec.request_mb
        self.disk = 0.0 if spec.disk is None else spec.disk
        self.disk_gb = spec.disk_gb
        self.hit_rate = 0.0 if spec.hit_rate is None else spec.hit_rate
        self.shards = float(spec.shards)
        self.sessions = float(spec.sessions)
        self.zones = spec.zones
        self.dns_ttl = float(spec.dns_ttl)
        self.write_share = _WRITES.get(spec.kind, 0.0)


class Blueprint:
    """The constants of a fleet.

    Attributes:
        services: In the topology's order.
        links: All calls, caller by caller.
        order: Numbers of the services, every caller before what it calls.
        users: User requests per second to all entries.
        index: Numbers of the services by name.
    """

    def __init__(self, topology: Topology, retries_allowed: float | None = None) -> None:
        """Read a topology.

        Args:
            retries_allowed: The retry budget of all callers for a service that is full, as a share
                of their requests; None for as many retries as the calls have.
        """
        self.topology = topology
        allowed = _ANY_RETRIES if retries_allowed is None else retries_allowed
        self.index = {spec.name: i for i, spec in enumerate(topology.services)}
        entries = {entry.service: entry.rps for entry in topology.entries}
        self.services: list[ServiceTraits] = []
        self.links: list[LinkTraits] = []
        for i, spec in enumerate(topology.services):
            first = len(self.links)
            for call in spec.calls:
                behind = -1 if call.behind is None else self.index[call.behind]
                to = self.index[call.to]
                self.links.append(LinkTraits(len(self.links), i, to, behind, call, spec, allowed))
            made = range(first, len(self.links))
            self.services.append(ServiceTraits(i, spec, made, entries.get(spec.name, 0.0)))
        for service in self.services:
            service.callers = tuple(link.number for link in self.links if link.to == service.number)
        self.order = list(topology.order())
        self.users = fsum(entries.values())
        self._measure()

    def _measure(self) -> None:
        """Compute how many requests each service gets, and how many users depend on it."""
        for i in self.order:
            service = self.services[i]
            service.usual_rps += service.entry_rps
            service.reach += service.entry_rps / self.users
            for number in service.links:
                link = self.links[number]
                if link.required and link.waits:
                    share = service.reach * min(1.0, link.per_request)
                    called = self.services[link.to]
                    called.reach = max(called.reach, share)
                rate = service.usual_rps * link.per_request
                if link.behind >= 0:
                    rate *= 1.0 - self.services[link.behind].hit_rate
                self.services[link.to].usual_rps += rate

    def link_between(self, caller: int, to: int) -> int:
        """Return the number of the call from one service to another; -1 if there is none."""
        for number in self.services[caller].links:
            if self.links[number].to == to:
                return number
        return -1
