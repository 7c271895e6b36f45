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
from typing import Final

from chaosops.env.plan import Plan

_SECONDS: Final = 60.0
_MEMORY_PRESSURE: Final = 80.0
_WARMING: Final = 0.25
_KILLED_CAPACITY: Final = 0.35
_LONGEST_WAIT_MS: Final = 30_000.0
_LONGEST_PATIENCE_MS: Final = 8_000.0
_NO_WAIT_BELOW: Final = 0.3
_NEVER_LATE: Final = 12.0
_SURELY: Final = 0.999
_SAME: Final = 3e-3
_RESEND_MS: Final = 200.0
_PACKETS: Final = 10
_TAIL_SHARE: Final = 0.05
_STALE_AFTER: Final = 30.0
_STALE_FULLY: Final = 150.0
_STALE_READS: Final = 0.35
_CATCH_UP: Final = 60.0


class Levers:
    """What faults, wrong fixes and work in progress do to the services this minute.

    One value a service, in the topology's order.
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
        shed: Share of the users that an entry turns away.
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
        self.shed = [0.0] * n
        self.lost = [0.0] * n
        self.lag = [0.0] * n
        self.call_fail = [0.0] * plan.edges
        self.call_ms = [specs[edge.to].base_ms for row in plan.calls for edge in row]
        self.is_steady = False
        self._hold = list(self.call_ms)
        self._drain = [spec.replicas * spec.rps_per_replica for spec in specs]
        self._starved = [0.0] * n
        self._dropped = 0.0
        self._ok = [1.0] * n
        self._attempts = [1.0] * plan.edges
        self._retries = [0.0] * n
        self._found = [1.0] * n
        self._fails = [0.0] * n
        self._ms = [0.0] * n
        self._slowest = [0.0] * n
        self._missed = [1.0 - hit for hit in self.hit]
        self._strengths: list[float] = []
        self._capacity = [0.0] * n
        self._room = [0.0] * n
        self._demand = [1.0] * n
        self._own_ms = [0.0] * n
        self._sound = [1.0] * n
        self._fresh = [1.0] * n
        self._own_ok = [1.0] * n
        self._skew = [0.0] * n
        self._slice_ms = [0.0] * n
        self._power = [1.0] * n

    def advance(self, levers: Levers, traffic: float) -> None:
        """One minute, with user demand at `traffic` times the topology's."""
        plan = self.plan
        self.is_steady = True
        offered = [0.0] * plan.size
        for i, rps in plan.entries:
            offered[i] += rps * traffic * levers.demand[i] * (1.0 - self.shed[i])
        self._resolve_names(levers)
        self._weigh(levers)
        if levers.retries != self._retries:
            self._count_attempts(levers.retries)
        self._starved = [0.0] * plan.size
        self._flow_down(levers, offered)
        self._flow_up(levers)
        ok = self._ok
        self._users(ok, levers)
        self._age(levers)
        for i in plan.caches:
            rate = min(1.0, (plan.specs[i].hit_rate or 0.0) * levers.hit_rate[i])
            hit = rate * self.warmth[i] * ok[i]
            if not -_SAME < hit - self.hit[i] < _SAME:
                self.is_steady = False
            self.hit[i] = hit
            self._missed[i] = 1.0 - hit

    def _flow_down(self, levers: Levers, offered: list[float]) -> None:
        """Demand, from the entries to what they call; what each service itself makes of it."""
        room, demand = self._room, self._demand
        own_ok, own_ms, slice_ms = self._own_ok, self._own_ms, self._slice_ms
        power, missed, drain = self._power, self._missed, self._drain
        rps, ok, errors, busy = self.rps, self._ok, self.errors, self.busy
        fixed, wait, attempts, found = self.fixed_ms, self.wait_ms, self._attempts, self._found
        hold_ms = levers.hold_ms
        for i, is_drained, calls in self.plan.rows:
            load = offered[i] * demand[i]
            rps[i] = load
            limit = room[i]
            if load < limit:
                served = load
                now = load / limit
                ok[i] = own_ok[i]
                fixed[i] = own_ms[i]
                if is_drained:
                    drain[i] = limit * (1.0 - errors[i])
            else:
                served, now, ok[i], fixed[i] = self.crowded(i, load)
            busy[i] = now
            if now < _NO_WAIT_BELOW:
                wait[i] = 0.0
            else:
                spare = 1.0 - now
                wait[i] = slice_ms[i] * now ** power[i] / (spare if spare > 0.005 else 0.005)
            for e, to, per, _required, _waits, _timeout, _retries, behind, pooled in calls:
                rate = served * per
                if behind >= 0:
                    rate *= missed[behind]
                rate *= attempts[e]
                if pooled:
                    rate = self.take_from_pool(i, e, rate, hold_ms[i])
                offered[to] += rate * found[to]

    def _flow_up(self, levers: Levers) -> None:
        """Success and latency, from what is called to its callers."""
        ok, errors, fixed, wait = self._ok, self.errors, self.fixed_ms, self.wait_ms
        call_fail, call_ms, attempts = self.call_fail, self.call_ms, self._attempts
        found, fails, ms, slowest = self._found, self._fails, self._ms, self._slowest
        missed, more_retries = self._missed, levers.retries
        steady = True
        for i, _is_drained, calls in self.plan.rows_up:
            good, still, moving = ok[i], fixed[i], wait[i]
            for e, to, per, required, waits, timeout, retries, behind, pooled in calls:
                took, fail = ms[to], fails[to]
                is_late = False
                if slowest[to] > timeout * _SURELY:
                    fixed_to, wait_to = fixed[to], wait[to]
                    if fixed_to >= timeout:
                        fail = 1.0
                    elif wait_to * _NEVER_LATE > timeout - fixed_to:
                        late = exp((fixed_to - timeout) / wait_to)
                        fail = 1.0 - (1.0 - fail) * (1.0 - late)
                    if took >= timeout:
                        took, is_late = timeout, True
                if pooled:
                    took, fail = self.held_for(i, e, took, timeout, fail)
                    is_late = took >= timeout
                call_ms[e] = took
                share = per if behind < 0 else per * missed[behind]
                part = share if share < 1.0 else 1.0
                before = call_fail[e]
                if fail == 0.0 and before == 0.0:
                    if waits:
                        still += part * fixed[to]
                        moving += part * wait[to]
                else:
                    if steady and not -_SAME < fail - before < _SAME:
                        steady = False
                    call_fail[e] = fail
                    lost, tries = fail, 1.0
                    if fail > 1e-4:
                        extra = retries + more_retries[to]
                        if extra > 0.0:
                            lost = fail ** (extra + 1.0)
                            tries = extra + 1.0 if fail > 0.9999 else (1.0 - lost) / (1.0 - fail)
                    attempts[e] = tries
                    if waits and is_late:
                        still += part * tries * timeout
                    elif waits:
                        still += part * tries * fixed[to]
                        moving += part * tries * wait[to]
                    if required and lost > 0.0:
                        good *= 1.0 - share * lost if share <= 1.0 else (1.0 - lost) ** share
            ok[i], fixed[i], wait[i] = good, still, moving
            errors[i] = 1.0 - good
            fails[i] = 1.0 - good * found[i]
            ms[i] = still + moving
            slowest[i] = still + _NEVER_LATE * moving
        if not steady:
            self.is_steady = False

    def _resolve_names(self, levers: Levers) -> None:
        """Callers lose or find a service as their cached answers run out, over its DNS TTL."""
        if levers.unreachable == self.lost:
            return
        for i, aim in enumerate(levers.unreachable):
            now = self.lost[i]
            if aim != now:
                self.is_steady = False
                step = 1.0 / self.plan.specs[i].dns_ttl
                self.lost[i] = min(aim, now + step) if aim > now else max(aim, now - step)
                self._found[i] = 1.0 - self.lost[i]

    def _count_attempts(self, more_retries: list[float]) -> None:
        """How often callers try now, where the last minute counted with other retries."""
        self._retries = more_retries.copy()
        for edges in self.plan.calls:
            for edge in edges:
                fail, tries = self.call_fail[edge.number], 1.0
                extra = edge.retries + more_retries[edge.to]
                if fail > 1e-4 and extra > 0.0:
                    lost = fail ** (extra + 1.0)
                    tries = extra + 1.0 if fail > 0.9999 else (1.0 - lost) / (1.0 - fail)
                self._attempts[edge.number] = tries

    def _weigh(self, levers: Levers) -> None:
        """What each service could do this minute, whatever is asked of it.

        That changes seldom, so it is worked out again only where something it follows from did.
        """
        now = [
            *levers.errors,
            *levers.latency_ms,
            *levers.loss,
            *levers.skew,
            *levers.demand,
            *levers.capacity,
            *levers.replicas,
            *self.replicas,
            *self.memory,
            *self.disk,
            *self.lag,
        ]
        before = self._strengths
        if now == before:
            return
        self._strengths = now
        n = self.plan.size
        for i in range(n):
            strength = now[i::n]
            if strength != before[i::n]:
                self._weigh_one(i, *strength)

    def _weigh_one(
        self,
        i: int,
        errors: float,
        latency_ms: float,
        loss: float,
        skew: float,
        demand: float,
        capacity_left: float,
        replicas_left: float,
        replicas: float,
        memory: float,
        disk: float,
        lag: float,
    ) -> None:
        plan = self.plan
        spec = plan.specs[i]
        serving = self.serving[i] = replicas * replicas_left
        capacity = serving * spec.rps_per_replica * capacity_left
        base = spec.base_ms
        if memory > _MEMORY_PRESSURE:
            over = (memory - _MEMORY_PRESSURE) / (100.0 - _MEMORY_PRESSURE)
            base *= 1.0 + 5.0 * over * over
            if memory >= 100.0:
                capacity *= _KILLED_CAPACITY
        sound = 1.0 - errors
        if disk >= 100.0:
            sound *= 1.0 - plan.write_share[i]
        fresh = 1.0
        if lag > _STALE_AFTER:
            stale = min(1.0, (lag - _STALE_AFTER) / (_STALE_FULLY - _STALE_AFTER))
            fresh = 1.0 - _STALE_READS * stale
        extra_ms = latency_ms
        if loss > 0.0:
            extra_ms += resend_ms(loss)
        slots = max(1.0, spec.servers * serving)
        self._capacity[i] = capacity
        self._demand[i] = 1.0 if plan.is_entry[i] else demand
        self._own_ms[i] = base + extra_ms
        self._sound[i] = sound
        self._fresh[i] = fresh
        self._own_ok[i] = sound * fresh
        self._skew[i] = skew
        self._make_room(i)
        self._slice_ms[i] = base / slots
        self._power[i] = sqrt(2.0 * (slots + 1.0)) - 1.0

    def _make_room(self, i: int) -> None:
        """Up to which load nobody waits or fails for it; below 0 where that has to be looked at."""
        is_plain = not self.plan.is_queue[i] and self._skew[i] <= 0.0 and self.backlog[i] <= 0.0
        self._room[i] = self._capacity[i] if is_plain else -1.0

    def crowded(self, i: int, load: float) -> tuple[float, float, float, float]:
        """The minute of a service whose load may be more than it can serve, or gathers in a place.

        Returns:
            Requests served, how busy that makes it, the share it answers, and the time that one
            takes without waiting for a free server.
        """
        capacity, own_ms = self._capacity[i], self._own_ms[i]
        good = self._sound[i]
        if self._skew[i] > 0.0:
            good *= 1.0 - self._hot_shard(i, load, capacity, self._skew[i])
        good *= self._fresh[i]
        served, queue_ms = self._queue(i, load, capacity)
        if self._dropped > 0.0 and load > 0.0:
            good *= 1.0 - min(1.0, self._dropped / load)
        if capacity > 0.0:
            return served, served / capacity, good, own_ms + queue_ms
        return served, 1.0, 0.0, own_ms + queue_ms

    def held_for(
        self, i: int, e: int, took: float, timeout: float, fail: float
    ) -> tuple[float, float]:
        """How long a call through a pool takes in the end, and the share of them that fails."""
        hold, starved = self._hold, self._starved[i]
        held = hold[e]
        change = took - held
        if -0.002 * held < change < 0.002 * held:
            hold[e] = took
        else:
            hold[e] = held + 0.65 * change
            self.is_steady = False
        if starved > 0.0:
            fail = 1.0 - (1.0 - fail) * (1.0 - starved)
            took += starved * (timeout - took)
        return took, fail

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
            self._make_room(i)
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
            self._make_room(i)
        if is_queue:
            return served, 0.0
        wait_ms = waiting / limit * 1000.0 if limit > 0.0 else _LONGEST_WAIT_MS
        return served, min(wait_ms, _LONGEST_WAIT_MS)

    def take_from_pool(self, i: int, e: int, rate: float, extra_hold: float) -> float:
        """The calls a second that get a connection, out of those that want one."""
        spec, serving = self.plan.specs[i], self.serving[i]
        if spec.pool is None or serving <= 0.0:
            return rate
        slots = spec.pool.size * serving * self.pool_limit[i]
        used = rate * (self._hold[e] + extra_hold) / 1000.0
        self.pool[i] = used / slots
        if used <= slots:
            return rate
        self._starved[i] = 1.0 - slots / used
        return rate * slots / used

    def _users(self, ok: list[float], levers: Levers) -> None:
        total = good = 0.0
        for i, rps in self.plan.entries:
            load = rps * levers.demand[i]
            total += load
            late = exp(-_LONGEST_PATIENCE_MS / self.wait_ms[i]) if self.wait_ms[i] > 1.0 else 0.0
            if self.fixed_ms[i] >= _LONGEST_PATIENCE_MS:
                late = 1.0
            good += load * (1.0 - self.shed[i]) * ok[i] * (1.0 - late) * (1.0 - self.lost[i])
        self.users_ok = good / total if total else 1.0

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

    def shed_load(self, i: int, share: float) -> None:
        """Turn away this share of the users that come in at an entry, 0 to 1."""
        self.is_steady = False
        self.shed[i] = share

    def restarted(self, i: int) -> None:
        """A service came back: memory, connections and backlog are dropped, its cache is cold."""
        self.is_steady = False
        self.memory[i] = self.plan.specs[i].memory / self.memory_limit[i]
        self.backlog[i] = 0.0
        self.cooled(i)
        for edge in self.plan.calls[i]:
            self.call_fail[edge.number] = 0.0
            self._attempts[edge.number] = 1.0

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
