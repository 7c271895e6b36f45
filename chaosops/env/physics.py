"""One minute of the fleet: demand down the graph, latency and success back up.

The model, minute by minute and in a fixed order:

- Demand flows from the entries to what they call. A call that failed last minute is tried again,
  so with a failed share f and r retries a caller sends (1 - f^(r+1)) / (1 - f) attempts a request.
- Waiting follows Sakasegawa's approximation of an M/M/c queue (Sakasegawa 1977): the mean wait is
  S/c * u^(sqrt(2(c+1))-1) / (1-u) for c servers with service time S at utilisation u. For four
  servers of 40 ms that makes 71, 120, 219 and 519 ms in all at 80, 90, 95 and 98 %.
- Past saturation a backlog forms, bounded by the service's queue; who waits in it longer than the
  caller's timeout was served for nothing, and counts as failed.
- A pool is a cliff: it carries size / hold time calls a second, and the rest fail at the timeout.
- A shard has its part of the capacity: what gathers on one beyond that fails, while the mean over
  all shards looks well.
- A packet that is lost is sent again after 200 ms, so loss shows as latency in steps of 200 ms.
- Who reads a copy that is more than 30 seconds behind may not find what was just written.
- A cache sends its misses on: a hit rate that falls from 95 to 50 % is ten times the load behind.
- A request succeeds when every required call does; latency adds along the path and is cut at each
  timeout. Mean waits are taken as exponential, so a call is late with the probability
  exp(-(timeout - fixed part) / wait), and the 95th percentile of a wait is 3 times its mean.
"""

from __future__ import annotations

import math
from math import exp, sqrt
from typing import Final, NamedTuple

from chaosops.env.models import ServiceKind
from chaosops.env.topology import CallMode, Topology

_SECONDS: Final = 60.0
_MEMORY_PRESSURE: Final = 80.0
_WARMING: Final = 0.25
_KILLED_CAPACITY: Final = 0.35
_LONGEST_WAIT_MS: Final = 30_000.0
_LONGEST_PATIENCE_MS: Final = 8_000.0
_NO_WAIT_BELOW: Final = 0.3
_NEVER_LATE: Final = 12.0
_SAME: Final = 3e-3
_RESEND_MS: Final = 200.0
_PACKETS: Final = 10
_TAIL_SHARE: Final = 0.05
_STALE_AFTER: Final = 30.0
_STALE_FULLY: Final = 150.0
_STALE_READS: Final = 0.35
_CATCH_UP: Final = 60.0
_WRITE_SHARE: Final = {ServiceKind.DATABASE: 0.45, ServiceKind.QUEUE: 0.9}


class Levers:
    """What faults, wrong fixes and work in progress do to the services this minute.

    One value a service, in the topology's order; `reset` makes all of them neutral.
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


class Edge(NamedTuple):
    """A call, with its services as indices. `behind` is -1 where no cache is in front."""

    number: int
    to: int
    per_request: float
    required: bool
    waits: bool
    timeout_ms: float
    retries: int
    behind: int
    pooled: bool


class Row(NamedTuple):
    """A service and its calls, as the two passes over the graph read them.

    `down` has for each call (edge, callee, calls a request, retries, cache in front, pooled), `up`
    has (edge, callee, calls a request, required, waits, timeout, retries, cache in front, pooled).
    """

    service: int
    rps_per_replica: float
    servers: int
    base_ms: float
    is_plain: bool
    down: tuple[tuple[int, int, float, int, int, bool], ...]
    up: tuple[tuple[int, int, float, bool, bool, float, int, int, bool], ...]


class Plan:
    """A topology compiled to indices; the same for every episode on it."""

    def __init__(self, topology: Topology) -> None:
        services = topology.services
        index = {service.name: i for i, service in enumerate(services)}
        edges = 0
        self.calls: list[tuple[Edge, ...]] = []
        for service in services:
            row = []
            for call in service.calls:
                row.append(
                    Edge(
                        edges,
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
                edges += 1
            self.calls.append(tuple(row))
        self.size = len(services)
        self.edges = edges
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
        self.caches = tuple(i for i, spec in enumerate(services) if spec.hit_rate is not None)
        self.rows = tuple(self._row(i) for i in topology.order())
        self.rows_up = tuple(row for row in reversed(self.rows) if row.up)

    def _row(self, i: int) -> Row:
        spec, calls = self.specs[i], self.calls[i]
        return Row(
            i,
            spec.rps_per_replica,
            spec.servers,
            spec.base_ms,
            not self.is_queue[i],
            tuple((c.number, c.to, c.per_request, c.retries, c.behind, c.pooled) for c in calls),
            tuple(
                (
                    c.number,
                    c.to,
                    c.per_request,
                    c.required,
                    c.waits,
                    c.timeout_ms,
                    c.retries,
                    c.behind,
                    c.pooled,
                )
                for c in calls
            ),
        )


def resend_ms(loss: float) -> float:
    """What lost packets add to a call of ten packets at the 95th percentile, in milliseconds.

    Every round that loses at least one packet costs another 200 ms; there are as many as happen
    to at least one call in twenty: none at 0.5 % loss, one at 1 %, three at 5 %.
    """
    any_lost = 1.0 - math.pow(1.0 - min(loss, 0.5), _PACKETS)
    if any_lost < _TAIL_SHARE:
        return 0.0
    return _RESEND_MS * int(math.log(_TAIL_SHARE) / math.log(any_lost) + 1e-9)


class Physics:
    """The fleet's physical state. Every list has one value a service, in the topology's order.

    Attributes:
        rps: Offered load, requests a second.
        errors: Share of requests that failed.
        fixed_ms, wait_ms: The two parts of the mean latency along the call path.
        busy: Compute in use, share of capacity.
        memory, disk: Percent of the limit.
        pool: Connections in use, share of the pool.
        hit: Share of look-ups answered, for a cache.
        backlog: Requests that wait.
        replicas: Instances there should be; `serving` is how many there are.
        lag: Seconds that copies of the data are behind.
        killed: Services whose memory ran out this minute.
        users_ok: Share of user requests that succeeded this minute.
        lost: Share of calls that do not find the service.
        call_fail, call_ms: For each edge, the failed share of attempts and the mean time.
        is_steady: The last minute left everything as it found it, so that another one with the
            same levers and the same traffic would be the same again.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        n = plan.size
        specs = plan.specs
        self.rps = [0.0] * n
        self.errors = [0.0] * n
        self.fixed_ms = [spec.base_ms for spec in specs]
        self.wait_ms = [0.0] * n
        self.busy = [0.0] * n
        self.memory = [spec.memory for spec in specs]
        self.memory_limit = [1.0] * n
        self.disk = [spec.disk or 0.0 for spec in specs]
        self.pool = [0.0] * n
        self.pool_limit = [1.0] * n
        self.hit = [spec.hit_rate or 0.0 for spec in specs]
        self.warmth = [1.0] * n
        self.backlog = [0.0] * n
        self.replicas = [spec.replicas for spec in specs]
        self.serving = [float(spec.replicas) for spec in specs]
        self.killed: tuple[int, ...] = ()
        self.users_ok = 1.0
        self.shed = 0.0
        self.lost = [0.0] * n
        self.lag = [0.0] * n
        self.call_fail = [0.0] * plan.edges
        self.call_ms = [specs[edge.to].base_ms for row in plan.calls for edge in row]
        self.is_steady = False
        self._hold = list(self.call_ms)
        self._drain = [spec.replicas * spec.rps_per_replica for spec in specs]
        self._starved = [0.0] * n
        self._dropped = 0.0
        self._exponents: dict[float, float] = {}

    def advance(self, levers: Levers, traffic: float) -> None:
        """One minute, with user demand at `traffic` times the topology's."""
        plan = self.plan
        self.is_steady = True
        offered = [0.0] * plan.size
        for i, rps in plan.entries:
            offered[i] += rps * traffic * levers.demand[i] * (1.0 - self.shed)
        self._resolve_names(levers)
        ok = self._serve(offered, levers)
        self._answer(ok, levers)
        self.errors = [1.0 - share for share in ok]
        self._users(ok, levers)
        self._age(levers)
        for i in plan.caches:
            rate = min(1.0, (plan.specs[i].hit_rate or 0.0) * levers.hit_rate[i])
            hit = rate * self.warmth[i] * ok[i]
            if not -_SAME < hit - self.hit[i] < _SAME:
                self.is_steady = False
            self.hit[i] = hit

    def _resolve_names(self, levers: Levers) -> None:
        """Callers lose or find a service as their cached answers run out, over its DNS TTL."""
        for i, aim in enumerate(levers.unreachable):
            now = self.lost[i]
            if aim != now:
                self.is_steady = False
                step = 1.0 / self.plan.specs[i].dns_ttl
                self.lost[i] = min(aim, now + step) if aim > now else max(aim, now - step)

    def _serve(self, offered: list[float], levers: Levers) -> list[float]:
        """Demand down the graph; returns the share each service itself would answer."""
        plan = self.plan
        own_ok = [1.0] * plan.size
        starved = self._starved = [0.0] * plan.size
        fixed, wait, busy_now, rps = self.fixed_ms, self.wait_ms, self.busy, self.rps
        memory, disk, backlog, drain = self.memory, self.disk, self.backlog, self._drain
        replicas, serving_now, hit, call_fail = (
            self.replicas,
            self.serving,
            self.hit,
            self.call_fail,
        )
        errors, exponents = self.errors, self._exponents
        unreachable, more_retries = self.lost, levers.retries
        for i, per_replica, servers, base_ms, is_plain, calls, _up in plan.rows:
            base = base_ms
            load = offered[i]
            if levers.demand[i] != 1.0 and not plan.is_entry[i]:
                load *= levers.demand[i]
            rps[i] = load
            serving = serving_now[i] = replicas[i] * levers.replicas[i]
            capacity = serving * per_replica * levers.capacity[i]
            if memory[i] > _MEMORY_PRESSURE:
                over = (memory[i] - _MEMORY_PRESSURE) / (100.0 - _MEMORY_PRESSURE)
                base *= 1.0 + 5.0 * over * over
                if memory[i] >= 100.0:
                    capacity *= _KILLED_CAPACITY
            good = 1.0 - levers.errors[i]
            if disk[i] >= 100.0:
                good *= 1.0 - plan.write_share[i]
            if levers.skew[i] > 0.0:
                good *= 1.0 - self._hot_shard(i, load, capacity, levers.skew[i])
            if self.lag[i] > _STALE_AFTER:
                stale = min(1.0, (self.lag[i] - _STALE_AFTER) / (_STALE_FULLY - _STALE_AFTER))
                good *= 1.0 - _STALE_READS * stale
            extra_ms = levers.latency_ms[i]
            if levers.loss[i] > 0.0:
                extra_ms += resend_ms(levers.loss[i])
            if is_plain and load < capacity and backlog[i] <= 0.0:
                drain[i] = capacity * (1.0 - errors[i])
                served = load
                fixed[i] = base + extra_ms
            else:
                served, queue_ms = self._queue(i, load, capacity)
                fixed[i] = base + extra_ms + queue_ms
                if self._dropped > 0.0 and load > 0.0:
                    good *= 1.0 - min(1.0, self._dropped / load)
            if capacity > 0.0:
                busy = busy_now[i] = served / capacity
                own_ok[i] = good
            else:
                busy = busy_now[i] = 1.0
                own_ok[i] = 0.0
            if busy < _NO_WAIT_BELOW:
                wait[i] = 0.0
            else:
                c = servers * serving
                if c < 1.0:
                    c = 1.0
                power = exponents.get(c)
                if power is None:
                    power = exponents[c] = sqrt(2.0 * (c + 1.0)) - 1.0
                spare = 1.0 - busy
                wait[i] = base / c * math.pow(busy, power) / (spare if spare > 0.005 else 0.005)
            for e, to, per, retries, behind, pooled in calls:
                rate = served * per
                if behind >= 0:
                    rate *= 1.0 - hit[behind]
                fail = call_fail[e]
                if fail > 1e-4:
                    extra = retries + more_retries[to]
                    if extra > 0.0:
                        rate *= (
                            extra + 1.0
                            if fail > 0.9999
                            else (1.0 - math.pow(fail, extra + 1.0)) / (1.0 - fail)
                        )
                if pooled:
                    rate = self._take_from_pool(i, e, rate, levers.hold_ms[i], serving, starved)
                offered[to] += rate * (1.0 - unreachable[to])
        return own_ok

    def _answer(self, ok: list[float], levers: Levers) -> None:
        """Success and latency up the graph, into `ok` and the two latency lists."""
        fixed, wait, hit = self.fixed_ms, self.wait_ms, self.hit
        call_fail, call_ms, hold, starved = self.call_fail, self.call_ms, self._hold, self._starved
        unreachable, more_retries = self.lost, levers.retries
        steady = self.is_steady
        for row in self.plan.rows_up:
            i = row.service
            good, still, moving = ok[i], fixed[i], wait[i]
            for e, to, per, required, waits, timeout, retries, behind, pooled in row.up:
                share = per if behind < 0 else per * (1.0 - hit[behind])
                fixed_to, wait_to = fixed[to], wait[to]
                took = fixed_to + wait_to
                fail = 1.0 - ok[to] * (1.0 - unreachable[to])
                if fixed_to >= timeout:
                    fail = 1.0
                elif wait_to * _NEVER_LATE > timeout - fixed_to:
                    late = exp((fixed_to - timeout) / wait_to)
                    fail = 1.0 - (1.0 - fail) * (1.0 - late)
                if took > timeout:
                    took = timeout
                if pooled:
                    held = hold[e]
                    change = took - held
                    if -0.002 * held < change < 0.002 * held:
                        hold[e] = took
                    else:
                        hold[e] = held + 0.65 * change
                        steady = False
                    if starved[i] > 0.0:
                        fail = 1.0 - (1.0 - fail) * (1.0 - starved[i])
                        took += starved[i] * (timeout - took)
                call_ms[e] = took
                if steady and not -_SAME < fail - call_fail[e] < _SAME:
                    steady = False
                call_fail[e] = fail
                if not waits:
                    continue
                part = share if share < 1.0 else 1.0
                lost = fail
                if fail > 1e-4:
                    extra = retries + more_retries[to]
                    if extra > 0.0:
                        lost = math.pow(fail, extra + 1.0)
                        part *= extra + 1.0 if fail > 0.9999 else (1.0 - lost) / (1.0 - fail)
                if took >= timeout:
                    still += part * timeout
                else:
                    still += part * fixed_to
                    moving += part * wait_to
                if required and lost > 0.0:
                    good *= 1.0 - share * lost if share <= 1.0 else (1.0 - lost) ** share
            ok[i], fixed[i], wait[i] = good, still, moving
        self.is_steady = steady

    def _hot_shard(self, i: int, load: float, capacity: float, skew: float) -> float:
        """The share of all requests that fails because one shard takes more than it can."""
        shards = self.plan.specs[i].shards
        hot = 1.0 / shards + skew * (1.0 - 1.0 / shards)
        hot_load = hot * load
        room = capacity / shards
        return hot * (1.0 - room / hot_load) if hot_load > room else 0.0

    def _queue(self, i: int, load: float, capacity: float) -> tuple[float, float]:
        """Serve what can be served; what is left waits or, where the queue is full, is dropped."""
        limit = capacity
        is_queue = self.plan.is_queue[i]
        if is_queue:
            for edge in self.plan.calls[i]:
                if not edge.waits:
                    limit = min(limit, self._drain[edge.to])
        else:
            self._drain[i] = capacity * (1.0 - self.errors[i])
        before = waiting = self.backlog[i]
        self._dropped = 0.0
        if waiting <= 0.0 and load < limit:
            return load, 0.0
        served = min(limit, load + waiting / _SECONDS)
        waiting += (load - served) * _SECONDS
        most = self.plan.queue_limit[i]
        if waiting > most:
            self._dropped = (waiting - most) / _SECONDS
            waiting = most
        self.backlog[i] = waiting if waiting > 0.5 else 0.0
        if self.backlog[i] != before:
            self.is_steady = False
        if is_queue:
            return served, 0.0
        wait_ms = waiting / limit * 1000.0 if limit > 0.0 else _LONGEST_WAIT_MS
        return served, min(wait_ms, _LONGEST_WAIT_MS)

    def _take_from_pool(
        self,
        i: int,
        e: int,
        rate: float,
        extra_hold: float,
        serving: float,
        starved: list[float],
    ) -> float:
        spec = self.plan.specs[i]
        if spec.pool is None or serving <= 0.0:
            return rate
        slots = spec.pool.size * serving * self.pool_limit[i]
        used = rate * (self._hold[e] + extra_hold) / 1000.0
        self.pool[i] = used / slots
        if used <= slots:
            return rate
        starved[i] = 1.0 - slots / used
        return rate * slots / used

    def _users(self, ok: list[float], levers: Levers) -> None:
        total = good = 0.0
        for i, rps in self.plan.entries:
            load = rps * levers.demand[i]
            total += load
            late = exp(-_LONGEST_PATIENCE_MS / self.wait_ms[i]) if self.wait_ms[i] > 1.0 else 0.0
            if self.fixed_ms[i] >= _LONGEST_PATIENCE_MS:
                late = 1.0
            good += load * ok[i] * (1.0 - late) * (1.0 - self.lost[i])
        self.users_ok = (good / total) * (1.0 - self.shed) if total else 1.0

    def _age(self, levers: Levers) -> None:
        specs = self.plan.specs
        killed: list[int] = []
        if any(levers.memory_per_minute) or max(self.memory) >= 100.0:
            for i, rate in enumerate(levers.memory_per_minute):
                if self.memory[i] >= 100.0:
                    self.memory[i] = specs[i].memory / self.memory_limit[i]
                    self.is_steady = False
                if rate:
                    self.is_steady = False
                    self.memory[i] += rate / self.memory_limit[i]
                    if self.memory[i] >= 100.0:
                        self.memory[i] = 100.0
                        killed.append(i)
        if any(levers.disk_per_minute):
            for i, rate in enumerate(levers.disk_per_minute):
                if rate and specs[i].disk is not None and self.disk[i] < 100.0:
                    self.is_steady = False
                    self.disk[i] = min(100.0, self.disk[i] + rate)
        if any(levers.lag_per_minute) or any(self.lag):
            for i, rate in enumerate(levers.lag_per_minute):
                if rate or self.lag[i]:
                    self.is_steady = False
                    self.lag[i] = max(0.0, self.lag[i] + (rate or -_CATCH_UP))
        for i in self.plan.caches:
            if self.warmth[i] < 1.0:
                self.is_steady = False
                self.warmth[i] += (1.0 - self.warmth[i]) * _WARMING
                if self.warmth[i] > 0.995:
                    self.warmth[i] = 1.0
        self.killed = tuple(killed)

    def shed_load(self, share: float) -> None:
        """Turn away this share of the users' requests at the door, 0 to 1."""
        self.is_steady = False
        self.shed = share

    def restarted(self, i: int) -> None:
        """A service came back: memory, connections and backlog are dropped, its cache is cold."""
        self.is_steady = False
        self.memory[i] = self.plan.specs[i].memory / self.memory_limit[i]
        self.backlog[i] = 0.0
        self.cooled(i)
        for edge in self.plan.calls[i]:
            self.call_fail[edge.number] = 0.0

    def cooled(self, i: int) -> None:
        """A cache was emptied, and warms again over minutes."""
        self.is_steady = False
        if self.plan.specs[i].hit_rate is not None:
            self.warmth[i] = 0.0

    def scaled(self, i: int, replicas: int) -> None:
        """A service has this many replicas now, or as many as it can have; its data spreads."""
        replicas = min(replicas, self.plan.specs[i].max_replicas)
        self.is_steady = False
        if self.plan.specs[i].disk is not None:
            self.disk[i] = min(100.0, self.disk[i] * self.replicas[i] / replicas)
        self.replicas[i] = replicas

    def purged(self, i: int) -> None:
        """What waits is gone, a disk is back to what it held at first, a cache is empty."""
        spec = self.plan.specs[i]
        self.backlog[i] = 0.0
        if spec.disk is not None:
            self.disk[i] = min(self.disk[i], spec.disk)
        self.cooled(i)

    def raised(self, i: int, limit: str) -> None:
        """A limit is half as high again; only memory and connections bind by themselves."""
        self.is_steady = False
        if limit == "memory":
            self.memory_limit[i] *= 1.5
            self.memory[i] /= 1.5
        elif limit == "connections":
            self.pool_limit[i] *= 1.5
