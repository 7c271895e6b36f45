"""The measurements of each service by minute, over the last hour."""

from __future__ import annotations

from collections import deque
from math import exp, fsum
from typing import Final

from chaosops.env.failing import failing_by_zone
from chaosops.env.noise import around, uniform
from chaosops.env.physics.cache import Cache
from chaosops.env.physics.disk import IOS, STRIPES, Disk
from chaosops.env.physics.handles import Handles
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.monitor import Monitor
from chaosops.env.physics.node import Link, Node
from chaosops.env.physics.partitions import Partitions
from chaosops.env.physics.plans import Plans
from chaosops.env.physics.pool import Pool
from chaosops.env.physics.probes import Probes
from chaosops.env.physics.sessions import Sessions
from chaosops.env.physics.shard import Shards
from chaosops.env.physics.zones import Zones

HOUR: Final = 60
"""How many minutes instruments go back."""

LN_20: Final = 2.995732273553991
LN_100: Final = 4.605170185988092
_HEAPS: Final = 78.0
SHOWS: Final = 0.15
"""How much of what a heap holds is seen from outside, as a share."""

_BACKGROUND_ERRORS: Final = 0.0004
_SPREAD_OF_FIXED: Final = 1.25
_WORTH_LOGGING: Final = 0.004
_NEARLY: Final = 0.9


class ServiceSample:
    """The measurements of one service in one minute; -1 for what a service doesn't have.

    Attributes:
        rps: Incoming requests per second.
        errors: Share that failed; `reported` is the share that monitoring shows.
        delay: Minutes by which figures are collected late.
        p50, p95, p99: Latency, in milliseconds.
        busy, memory, disk, pool: In use, percent. What a collected heap holds is not seen from
            outside: it is given back late, so its instances show most of their limit in use.
        heap: Mean of what the instances' heaps hold, percent of their limit.
        hit: Cache hits, percent.
        backlog: Requests that wait.
        instances: How many were ready.
        iops, await_ms, disk_queue, disk_busy: Of all volumes: operations a second, the mean time
            of one, operations in them, percent of the time in which there was one.
        sessions, active, waiting: Of a database.
        shard_busy: CPU utilization of the busiest shard, percent.
        late: For each call of the service, the share of its requests in which an attempt ran
            into the timeout; empty if next to none did.
        starved: Share of its requests that found no connection in the pool.
        by_busy: CPU utilization of each instance, percent; empty if all are alike.
        by_memory: Memory of each instance, percent; empty if all are alike.
        by_pool: Connections in use of each instance; empty if all are alike.
        by_lag, by_out: Of each partition of a queue: the messages that wait, and the messages a
            second that are handed out; empty without partitions.
        by_zone: Share that failed in each zone, -1 in one without instances; empty if all are
            alike.
        by_volume: Time of an operation on each volume of a database; empty if all are alike.
    """

    __slots__ = (
        "active",
        "await_ms",
        "backlog",
        "busy",
        "by_busy",
        "by_lag",
        "by_memory",
        "by_out",
        "by_pool",
        "by_volume",
        "by_zone",
        "delay",
        "disk",
        "disk_busy",
        "disk_queue",
        "errors",
        "heap",
        "hit",
        "instances",
        "iops",
        "late",
        "memory",
        "p50",
        "p95",
        "p99",
        "pool",
        "reported",
        "rps",
        "sessions",
        "shard_busy",
        "starved",
        "waiting",
    )

    def __init__(self) -> None:
        self.rps = self.errors = self.p50 = self.p95 = self.p99 = self.busy = 0.0
        self.memory = self.heap = self.disk = self.pool = self.hit = -1.0
        self.backlog = self.instances = self.reported = 0.0
        self.delay = 0
        self.iops = self.await_ms = self.disk_queue = self.disk_busy = -1.0
        self.sessions = self.active = self.waiting = self.shard_busy = -1.0
        self.starved = 0.0
        self.late: tuple[float, ...] = ()
        self.by_busy: tuple[float, ...] = ()
        self.by_memory: tuple[float, ...] = ()
        self.by_pool: tuple[float, ...] = ()
        self.by_lag: tuple[float, ...] = ()
        self.by_out: tuple[float, ...] = ()
        self.by_volume: tuple[float, ...] = ()
        self.by_zone: tuple[float, ...] = ()


def quantile(node: Node, above: float, tail: float) -> float:
    """Return the latency that a share `above` of requests exceeds, in milliseconds.

    Args:
        tail: How many mean waits an exponential wait is exceeded by that share: ln(1 / above).

    Ordinary requests take the fixed part and an exponential wait; the slow ones, which are the
    share `tail`, take `tail_ms`. Where they are about as many as lie above the quantile, it lies
    between the two.
    """
    ordinary = _SPREAD_OF_FIXED * node.fixed_ms + node.wait_ms * tail
    slow = node.tail / above
    if slow < 0.5 or node.tail_ms <= ordinary:
        return ordinary
    part = 1.0 if slow > 1.5 else slow - 0.5
    return ordinary + part * (node.tail_ms - ordinary)


class Volume:
    """A volume of a service in one minute.

    Attributes:
        iops: Operations a second; `await_ms` is the time of each.
        stripes: Devices that share them.
    """

    __slots__ = ("await_ms", "iops", "name", "stripes")

    def __init__(self, name: str, iops: float, await_ms: float, stripes: float) -> None:
        self.name = name
        self.iops = iops
        self.await_ms = await_ms
        self.stripes = stripes


def volumes(mesh: Mesh, disk: Disk) -> list[Volume]:
    """Return the volumes of a service: one per caller's table, or one of each instance alike."""
    instances = max(1.0, mesh.nodes[disk.service].instances)
    if not mesh.nodes[disk.service].traits.is_database:
        # An instance has a disk of its own, with one operation per request.
        return [Volume("vol-data", disk.iops / IOS / instances, disk.await_ms, 1.0)]
    plans = mesh.part(disk.service, "plans")
    stripes = STRIPES * instances / len(disk.callers) if disk.callers else STRIPES
    links = [mesh.links[number] for number in disk.callers]
    scans = [0.0] * len(links)
    if isinstance(plans, Plans):
        scans = [link.rate * plans.flipped[k] for k, link in enumerate(links)]
    total = max(1e-9, fsum(scans))
    return [
        Volume(
            f"vol-{link.traits.table}",
            link.reaching * IOS + disk.scanning * scans[k] / total,
            disk.volume_await_ms(k),
            stripes,
        )
        for k, link in enumerate(links)
    ]


def _late(link: Link, to: Node) -> float:
    """Return the share of a caller's requests in which an attempt ran into the timeout."""
    others = 1.0 - link.starved
    if link.broken_ms < _NEARLY * link.traits.timeout_ms:
        others *= 1.0 - link.broken
    others *= 1.0 - link.refused
    if to.traits.is_external:
        others *= 1.0 - to.fails  # a third party says that it failed
    if others <= 0.0:
        return 0.0
    late = 1.0 - (1.0 - link.fail) / others
    share = link.traits.per_request * link.passes * link.attempts * late
    return 0.0 if late < _WORTH_LOGGING else share if share < 1.0 else 1.0


def measure(mesh: Mesh, seed: int, minute: int) -> list[ServiceSample]:
    """Measure each service, with noise."""
    samples: list[ServiceSample] = []
    for node in mesh.nodes:
        i = node.number
        sample = ServiceSample()
        sample.rps = node.offered
        shaken = uniform(seed, minute, i)
        failed = 1.0 - node.ok
        sample.errors = failed + (1.0 - failed) * _BACKGROUND_ERRORS * (0.3 + shaken)
        sample.reported = sample.errors
        jitter = around(seed, minute, 500 + i)
        sample.p50 = (node.fixed_ms + 0.7 * node.wait_ms) * (1.0 + 0.04 * jitter)
        sample.p95 = quantile(node, 0.05, LN_20) * (1.0 + 0.08 * jitter)
        sample.p99 = quantile(node, 0.01, LN_100) * (1.0 + 0.16 * jitter)
        if sample.p50 > sample.p95:
            sample.p50 = sample.p95
        sample.busy = min(100.0, node.busy * 100.0 + 1.5 * jitter)
        sample.backlog = node.backlog
        sample.instances = node.instances
        if any(link.fail > _WORTH_LOGGING for link in node.links):
            sample.late = tuple([_late(link, mesh.nodes[link.to]) for link in node.links])
        samples.append(sample)
    for part in mesh.parts:
        sample = samples[part.service]
        if isinstance(part, Memory):
            sample.memory = sample.heap = part.used
            if mesh.nodes[part.service].traits.is_app:
                jitter = around(seed, minute, 800 + part.service)
                sample.memory = _HEAPS + SHOWS * part.used + 4.0 * jitter
            if part.injected_leak > 0.0 or any(part.leaked):
                sample.by_memory = tuple([part.of(k) for k in range(len(part.leaked))])
        elif isinstance(part, Pool):
            sample.pool = part.used * 100.0
            link = mesh.links[part.link]
            sample.starved = min(1.0, link.traits.per_request * link.passes) * link.starved
            if part.injected_leaked > 0.0:
                sample.by_pool = tuple(part.leaked)
        elif isinstance(part, Disk):
            sample.disk = part.used
            iops = waiting = stripes = 0.0
            for volume in volumes(mesh, part):
                iops += volume.iops
                waiting += volume.iops * volume.await_ms
                stripes += volume.stripes
            sample.iops = iops
            sample.disk_queue = waiting / 1000.0
            sample.await_ms = part.await_ms
            if iops > 0.0:
                sample.await_ms = 1000.0 * sample.disk_queue / iops
            sample.disk_busy = 100.0 * (1.0 - exp(-sample.disk_queue / max(1.0, stripes)))
            if any(slow > 1.0 for slow in part.slow):
                sample.by_volume = tuple(
                    [part.volume_await_ms(k) for k in range(len(part.callers))]
                )
        elif isinstance(part, Cache):
            sample.hit = part.hit * 100.0
        elif isinstance(part, Sessions):
            sample.sessions = part.open
            sample.active = part.active
            sample.waiting = part.waiting
        elif isinstance(part, Handles):
            if part.spinning > 0.0:
                busy = mesh.nodes[part.service].busy
                sample.by_busy = tuple([100.0 * part.busy_of(k, busy) for k in range(part.count)])
        elif isinstance(part, Probes):
            if part.out > 0.0:
                instances = mesh.instances[part.service]
                n = instances.count
                for k in range(n):
                    if instances.serves(k, minute) and part.is_out(k, minute, n):
                        sample.instances -= 1.0
        elif isinstance(part, Zones):
            fails = mesh.nodes[part.service].ok < 1.0 - _WORTH_LOGGING
            if fails or mesh.instances[part.service].count < part.count:
                sample.by_zone = failing_by_zone(mesh, part.service, minute, part.count)
        elif isinstance(part, Shards):
            sample.shard_busy = part.busy * 100.0
        elif isinstance(part, Monitor):
            sample.reported = part.reported(sample.errors)
            sample.delay = int(part.late)
        elif isinstance(part, Partitions):
            sample.by_lag = tuple(part.lags())
            sample.by_out = tuple(part.gave)
    return samples


class History:
    """The samples of the last hour, oldest first.

    Attributes:
        last: The minute of the newest one.
    """

    def __init__(self) -> None:
        self.minutes: deque[list[ServiceSample]] = deque(maxlen=HOUR)
        self.last = 0

    def copy(self) -> History:
        """Return an independent copy."""
        twin = History()
        twin.minutes = self.minutes.copy()
        twin.last = self.last
        return twin

    def add(self, minute: int, samples: list[ServiceSample]) -> None:
        """Add a minute."""
        self.minutes.append(samples)
        self.last = minute

    @property
    def first(self) -> int:
        """The minute of the oldest one."""
        return self.last - len(self.minutes) + 1

    def collected(self) -> list[ServiceSample]:
        """Return the newest samples that monitoring has of each service."""
        newest = self.minutes[-1]
        if not any(sample.delay for sample in newest):
            return newest
        found = []
        for i, sample in enumerate(newest):
            back = min(sample.delay, len(self.minutes) - 1)
            found.append(self.minutes[-1 - back][i])
        return found

    def of(self, service: int) -> list[ServiceSample]:
        """Return a service's samples, oldest first."""
        return [samples[service] for samples in self.minutes]
