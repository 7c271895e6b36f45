"""One service in one minute: its capacity, its latency, and how it degrades.

- Waiting follows Sakasegawa's approximation of an M/M/c queue (Sakasegawa 1977): the mean wait is
  S/c * u^(sqrt(2(c+1))-1) / (1-u) for c servers with service time S at utilisation u. For four
  servers of 40 ms that makes 71, 120, 219 and 519 ms in all at 80, 90, 95 and 98 %.
- Past saturation a backlog forms, bounded by the service's queue.
- A pool carries size / hold time calls a second, and the rest fail at the timeout.
- A shard has its part of the capacity: load beyond that fails, while the mean over
  all shards looks healthy.
- A read from a replica that lags by more than 30 seconds may miss what was just written.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.plan import FleetPlan
from chaosops.env.service_call import ServiceCall, resend_ms

SAME: Final = 3e-3
"""Changes of a share that are smaller than this are ignored."""

_SECONDS: Final = 60.0
_MEMORY_PRESSURE: Final = 80.0
_WARMING: Final = 0.25
_KILLED_CAPACITY: Final = 0.35
_LONGEST_WAIT_MS: Final = 30_000.0
_NO_WAIT_BELOW: Final = 0.3
_STALE_AFTER: Final = 30.0
_STALE_FULLY: Final = 150.0
_STALE_READS: Final = 0.35
_CATCH_UP: Final = 60.0


class Service:
    """The physical state of a service.

    Attributes:
        number, name: Its index in the topology's order, and its name.
        calls: Its calls, in the topology's order.
        rps: Offered load, requests a second.
        ok, errors: Share of requests that succeeded, and that failed.
        fixed_ms, wait_ms: The two parts of the mean latency along the call path.
        busy: CPU utilization, as a share.
        memory, disk: Percent of the limit.
        pool: Connections in use, share of the pool.
        hit, missed: Shares of look-ups answered and not answered, for a cache.
        backlog: Requests that wait.
        replicas: The wanted instances; `serving` is how many there are.
        lag: Seconds that copies of the data are behind.
        lost, found: Shares of calls that don't resolve its name, and that do.
        shed: Share of the users that an entry rejects.
        offered: Load that its callers have put on it in the minute that is being simulated.
        answer_fail, answer_ms, slowest_ms: What its callers see: the failed share of
            attempts, and the mean and the longest time of one.
        extra_retries: Added to its callers' retries; negative for fewer.
        demand_factor: Factor of its load; of an entry, of its users.
        starved: Share of the calls through its pool that found no connection.
        was_killed: Whether it ran out of memory in this minute.
        moves: Whether its state has changed since the last minute, so that
            another minute with the same effects and traffic would give other results.
        must_weigh, must_age: Whether its capacity, or its degradation, will change next minute.
    """

    __slots__ = (
        "_base_ms",
        "_capacity",
        "_drain",
        "_effect_capacity",
        "_effect_disk",
        "_effect_errors",
        "_effect_hit_rate",
        "_effect_hold_ms",
        "_effect_lag",
        "_effect_latency_ms",
        "_effect_loss",
        "_effect_memory",
        "_effect_replicas",
        "_effect_skew",
        "_effect_unreachable",
        "_first_disk",
        "_first_memory",
        "_fresh",
        "_has_disk",
        "_hit_rate",
        "_is_cache",
        "_is_drained",
        "_is_entry",
        "_is_queue",
        "_memory_limit",
        "_most_replicas",
        "_most_waiting",
        "_own_demand",
        "_own_ms",
        "_own_ok",
        "_pool_limit",
        "_pool_size",
        "_power",
        "_room",
        "_rps_per_replica",
        "_servers",
        "_shards",
        "_slice_ms",
        "_sound",
        "_ttl_step",
        "_warmth",
        "_write_share",
        "answer_fail",
        "answer_ms",
        "backlog",
        "busy",
        "calls",
        "demand_factor",
        "disk",
        "errors",
        "extra_retries",
        "fixed_ms",
        "found",
        "hit",
        "lag",
        "lost",
        "memory",
        "missed",
        "moves",
        "must_age",
        "must_weigh",
        "name",
        "number",
        "offered",
        "ok",
        "pool",
        "replicas",
        "rps",
        "serving",
        "shed",
        "slowest_ms",
        "starved",
        "wait_ms",
        "was_killed",
    )

    def __init__(self, plan: FleetPlan, number: int) -> None:
        spec = plan.specs[number]
        self.number = number
        self.name = spec.name
        self.calls: list[ServiceCall] = []
        self._is_entry = plan.is_entry[number]
        self._is_queue = plan.is_queue[number]
        self._is_drained = number in plan.drained
        self._is_cache = spec.hit_rate is not None
        self._has_disk = spec.disk is not None
        self._rps_per_replica = spec.rps_per_replica
        self._servers = float(spec.servers)
        self._base_ms = spec.base_ms
        self._most_replicas = spec.max_replicas
        self._shards = float(spec.shards)
        self._write_share = plan.write_share[number]
        self._most_waiting = plan.queue_limit[number]
        self._pool_size = 0.0 if spec.pool is None else float(spec.pool.size)
        self._ttl_step = 1.0 / spec.dns_ttl
        self._first_memory = spec.memory
        self._first_disk = spec.disk or 0.0
        self._hit_rate = spec.hit_rate or 0.0
        self._memory_limit = self._pool_limit = self._warmth = 1.0
        self._effect_errors = self._effect_latency_ms = self._effect_loss = self._effect_skew = 0.0
        self._effect_unreachable = self._effect_hold_ms = self.extra_retries = 0.0
        self._effect_memory = self._effect_disk = self._effect_lag = 0.0
        self._effect_capacity = self._effect_replicas = self._effect_hit_rate = 1.0
        self.rps = self.errors = self.wait_ms = self.busy = self.pool = self.backlog = 0.0
        self.lost = self.lag = self.shed = self.starved = self.offered = 0.0
        self.ok = self.found = self.demand_factor = self._own_demand = 1.0
        self.fixed_ms = self._base_ms
        self.memory = self._first_memory
        self.disk = self._first_disk
        self.hit = self._hit_rate
        self.missed = 1.0 - self.hit
        self.replicas = spec.replicas
        self.serving = float(spec.replicas)
        self.answer_fail = self.answer_ms = self.slowest_ms = 0.0
        self._drain = self.serving * self._rps_per_replica
        self._capacity = self._room = self._own_ms = self._slice_ms = 0.0
        self._sound = self._fresh = self._own_ok = self._power = 1.0
        self.was_killed = False
        self.moves = self.must_weigh = self.must_age = True

    def take_effects(self, effects: FaultEffects, i: int) -> None:
        """Set the fault effects from now on: those on service `i`."""
        self._effect_capacity = effects.capacity[i]
        self.demand_factor = effects.demand[i]
        self._effect_disk = effects.disk_per_minute[i]
        self._effect_errors = effects.errors[i]
        self._effect_hit_rate = effects.hit_rate[i]
        self._effect_hold_ms = effects.hold_ms[i]
        self._effect_lag = effects.lag_per_minute[i]
        self._effect_latency_ms = effects.latency_ms[i]
        self._effect_loss = effects.loss[i]
        self._effect_memory = effects.memory_per_minute[i]
        self._effect_replicas = effects.replicas[i]
        self.extra_retries = effects.retries[i]
        self._effect_skew = effects.skew[i]
        self._effect_unreachable = effects.unreachable[i]
        self.must_weigh = self.must_age = True

    def weigh(self) -> None:
        """Begin a minute: compute its capacity, and who still resolves its name."""
        self.must_weigh = False
        if self._effect_unreachable != self.lost:
            self._resolve_name()
        serving = self.serving = self.replicas * self._effect_replicas
        capacity = serving * self._rps_per_replica * self._effect_capacity
        base = self._base_ms
        if self.memory > _MEMORY_PRESSURE:
            over = (self.memory - _MEMORY_PRESSURE) / (100.0 - _MEMORY_PRESSURE)
            base *= 1.0 + 5.0 * over * over
            if self.memory >= 100.0:
                capacity *= _KILLED_CAPACITY
        sound = 1.0 - self._effect_errors
        if self.disk >= 100.0:
            sound *= 1.0 - self._write_share
        fresh = 1.0
        if self.lag > _STALE_AFTER:
            stale = min(1.0, (self.lag - _STALE_AFTER) / (_STALE_FULLY - _STALE_AFTER))
            fresh = 1.0 - _STALE_READS * stale
        extra_ms = self._effect_latency_ms
        if self._effect_loss > 0.0:
            extra_ms += resend_ms(self._effect_loss)
        slots = max(1.0, self._servers * serving)
        self._capacity = capacity
        self._own_demand = 1.0 if self._is_entry else self.demand_factor
        self._own_ms = base + extra_ms
        self._sound = sound
        self._fresh = fresh
        self._own_ok = sound * fresh
        self._make_room()
        self._slice_ms = base / slots
        self._power = sqrt(2.0 * (slots + 1.0)) - 1.0

    def _resolve_name(self) -> None:
        """Let callers lose or find it as their cached DNS answers expire."""
        aim, now = self._effect_unreachable, self.lost
        step = self._ttl_step
        self.lost = min(aim, now + step) if aim > now else max(aim, now - step)
        self.found = 1.0 - self.lost
        self.must_weigh = self.moves = True

    def _make_room(self) -> None:
        """Compute up to which load nothing waits or fails; below 0 if it has to be simulated."""
        is_plain = not self._is_queue and self._effect_skew <= 0.0 and self.backlog <= 0.0
        self._room = self._capacity if is_plain else -1.0

    def serve(self) -> float:
        """Serve the offered load for a minute.

        Returns:
            Requests a second that are served.
        """
        load = self.offered * self._own_demand
        self.offered = 0.0
        self.rps = load
        room = self._room
        if load < room:
            served = load
            busy = load / room
            self.ok = self._own_ok
            self.fixed_ms = self._own_ms
            if self._is_drained:
                self._drain = room * (1.0 - self.errors)
        else:
            served, queue_ms, dropped = self._queue(load)
            good = self._sound
            if self._effect_skew > 0.0:
                good *= 1.0 - self._hot_shard(load)
            good *= self._fresh
            if dropped > 0.0 and load > 0.0:
                good *= 1.0 - min(1.0, dropped / load)
            capacity = self._capacity
            self.ok = good if capacity > 0.0 else 0.0
            self.fixed_ms = self._own_ms + queue_ms
            busy = served / capacity if capacity > 0.0 else 1.0
        self.busy = busy
        if busy < _NO_WAIT_BELOW:
            self.wait_ms = 0.0
        else:
            spare = 1.0 - busy
            crowd: float = busy**self._power
            self.wait_ms = self._slice_ms * crowd / (spare if spare > 0.005 else 0.005)
        return served

    def _hot_shard(self, load: float) -> float:
        """Return the share of all requests that fails because one shard is overloaded."""
        hot = 1.0 / self._shards + self._effect_skew * (1.0 - 1.0 / self._shards)
        hot_load = hot * load
        room = self._capacity / self._shards
        return hot * (1.0 - room / hot_load) if hot_load > room else 0.0

    def _queue(self, load: float) -> tuple[float, float, float]:
        """Serve what can be served; the rest waits or, once the queue is full, is dropped.

        Returns:
            Requests a second that are served, the time they waited in milliseconds, and requests
            a second that are dropped.
        """
        limit = self._capacity
        if self._is_queue:
            for call in self.calls:
                if not call.waits:
                    limit = min(limit, call.to._drain)
        else:
            self._drain = limit * (1.0 - self.errors)
        before = waiting = self.backlog
        if waiting <= 0.0 and load < limit:
            self._make_room()
            return load, 0.0, 0.0
        served = min(limit, load + waiting / _SECONDS)
        waiting += (load - served) * _SECONDS
        dropped = 0.0
        if waiting > self._most_waiting:
            dropped = (waiting - self._most_waiting) / _SECONDS
            waiting = self._most_waiting
        self.backlog = waiting if waiting > 0.5 else 0.0
        if self.backlog != before:
            self.moves = True
            self._make_room()
        if self._is_queue:
            return served, 0.0, dropped
        wait_ms = waiting / limit * 1000.0 if limit > 0.0 else _LONGEST_WAIT_MS
        return served, min(wait_ms, _LONGEST_WAIT_MS), dropped

    def take_from_pool(self, call: ServiceCall, rate: float) -> float:
        """Take connections from the pool for the calls that want one.

        Returns:
            The calls a second that get one.
        """
        self.starved = 0.0
        if self.serving <= 0.0:
            return rate
        slots = self._pool_size * self.serving * self._pool_limit
        used = rate * (call.hold_ms + self._effect_hold_ms) / 1000.0
        self.pool = used / slots
        if used <= slots:
            return rate
        self.starved = 1.0 - slots / used
        return rate * slots / used

    def hold(self, call: ServiceCall, took: float) -> float:
        """Keep a connection of the pool for as long as a call takes.

        Returns:
            Milliseconds that the call takes, with the wait for a connection.
        """
        held = call.hold_ms
        change = took - held
        if -0.002 * held < change < 0.002 * held:
            call.hold_ms = took
        else:
            call.hold_ms = held + 0.65 * change
            self.moves = True
        if self.starved > 0.0:
            took += self.starved * (call.timeout_ms - took)
        return took

    def age(self) -> None:
        """Update its memory, disk, replicas and cache for a minute."""
        self.was_killed = self.must_age = False
        if self._effect_memory != 0.0 or self.memory >= 100.0:
            self._use_memory()
        if self._effect_disk != 0.0 and self._has_disk and self.disk < 100.0:
            self.disk = min(100.0, self.disk + self._effect_disk)
            self.must_age = self.must_weigh = self.moves = True
        if self._effect_lag != 0.0 or self.lag != 0.0:
            rate = self._effect_lag if self._effect_lag != 0.0 else -_CATCH_UP
            self.lag = max(0.0, self.lag + rate)
            self.must_age = self.must_weigh = self.moves = True
        if self._is_cache:
            self._remember()

    def _use_memory(self) -> None:
        self.must_age = self.must_weigh = self.moves = True
        if self.memory >= 100.0:
            self.memory = self._first_memory / self._memory_limit
        self.memory += self._effect_memory / self._memory_limit
        if self.memory >= 100.0:
            self.memory = 100.0
            self.was_killed = True

    def _remember(self) -> None:
        self.must_age = True
        if self._warmth < 1.0:
            self.moves = True
            self._warmth += (1.0 - self._warmth) * _WARMING
            if self._warmth > 0.995:
                self._warmth = 1.0
        hit = min(1.0, self._hit_rate * self._effect_hit_rate) * self._warmth * self.ok
        if not -SAME < hit - self.hit < SAME:
            self.moves = True
        self.hit = hit
        self.missed = 1.0 - hit

    def shed_load(self, share: float) -> None:
        """Reject this share of its users, 0 to 1."""
        self.moves = True
        self.shed = share

    def restarted(self) -> None:
        """Restart it: drop memory, connections and backlog; its cache is cold."""
        self.memory = self._first_memory / self._memory_limit
        self.backlog = 0.0
        self.cooled()
        for call in self.calls:
            call.fail = 0.0
            call.attempts = 1.0

    def cooled(self) -> None:
        """Empty its cache, which warms again over minutes."""
        self.moves = self.must_weigh = self.must_age = True
        if self._is_cache:
            self._warmth = 0.0

    def scaled(self, replicas: int) -> None:
        """Scale it to this many replicas, or to its maximum; its data spreads."""
        replicas = min(replicas, self._most_replicas)
        self.moves = self.must_weigh = self.must_age = True
        if self._has_disk:
            self.disk = min(100.0, self.disk * self.replicas / replicas)
        self.replicas = replicas

    def purged(self) -> None:
        """Purge it: drop its backlog, free its disk and empty its cache."""
        self.backlog = 0.0
        if self._has_disk:
            self.disk = min(self.disk, self._first_disk)
        self.cooled()

    def raised(self, limit: str) -> None:
        """Raise a limit by half; only those of memory and connections are modelled."""
        self.moves = self.must_weigh = self.must_age = True
        if limit == "memory":
            self._memory_limit *= 1.5
            self.memory /= 1.5
        elif limit == "connections":
            self._pool_limit *= 1.5
