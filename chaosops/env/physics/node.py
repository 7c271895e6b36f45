"""A service and its calls in one minute: plain numbers that components read and write.

Nothing here refers to another node or link, so that a fleet is copied by copying its numbers.
"""

from __future__ import annotations

from chaosops.env.physics.blueprint import LinkTraits, ServiceTraits


class Node:
    """The minute of one service. Shares run from 0 to 1, times are in milliseconds.

    Parameters are set by causes and by work in progress, and are neutral again each minute:
        injected_errors: Share of requests that it fails, whatever it calls.
        injected_cpu: Factor of the CPU time of a request.
        injected_delay_ms: Extra time of a request that uses no CPU.
        injected_lost: Share of calls that do not reach it.
        injected_broken: Share of requests that it fails in every try.
        injected_demand: Factor of the requests it gets.
        injected_capacity: Factor of its capacity.
        guests: Requests per second that it gets besides its ordinary ones.

    Written by components before the minute:
        capacity: Requests a second it can serve.
        sound: Share of requests without a transient failure, such as that of one bad instance;
            `keeps` is the share without a persistent failure, which no retry
            gets around.
        own_ms: Time of a request, without waiting for the CPU.
        cpu_ms: CPU time of a request.
        extra_wait_ms: Mean wait for something other than the CPU, such as a disk.
        instances: Instances that serve.
        drain: The most requests per second that it takes from a queue.

    Results of the minute:
        offered, served: Requests per second that came in and that were served.
        busy: CPU utilization, as a share.
        backlog: Requests that wait.
        fixed_ms, wait_ms: The two parts of the mean time of an ordinary request, along its path:
            a fixed part, and an exponential wait.
        tail, tail_ms: Share of requests that take much longer, and how long.
        ok: Share that succeeds; `fails` and `stuck` are the shares that its callers see fail
            transiently and persistently.
        inflight: Concurrent requests.
        shed: Share of users that an entry rejects.
    """

    __slots__ = (
        "backlog",
        "busy",
        "capacity",
        "cpu_ms",
        "drain",
        "dropped",
        "extra_wait_ms",
        "fails",
        "fixed_ms",
        "guests",
        "inflight",
        "injected_broken",
        "injected_capacity",
        "injected_cpu",
        "injected_delay_ms",
        "injected_demand",
        "injected_errors",
        "injected_lost",
        "instances",
        "keeps",
        "links",
        "number",
        "offered",
        "ok",
        "own_ms",
        "served",
        "shed",
        "sound",
        "stuck",
        "tail",
        "tail_ms",
        "traits",
        "wait_ms",
    )

    def __init__(self, traits: ServiceTraits) -> None:
        self.traits = traits
        self.number = traits.number
        self.links: list[Link] = []
        self.injected_errors = self.injected_delay_ms = self.injected_lost = 0.0
        self.injected_broken = 0.0
        self.injected_cpu = self.injected_demand = self.injected_capacity = 1.0
        self.guests = 0.0
        self.instances = float(traits.replicas)
        self.capacity = self.instances * traits.rps_per_replica
        self.drain = self.capacity
        self.sound = self.keeps = self.ok = 1.0
        self.own_ms = self.fixed_ms = self.cpu_ms = traits.base_ms
        self.offered = self.served = self.busy = self.backlog = self.dropped = 0.0
        self.extra_wait_ms = 0.0
        self.wait_ms = self.tail = self.tail_ms = self.fails = self.stuck = 0.0
        self.inflight = self.shed = 0.0

    def copy(self) -> Node:
        """Return a copy without its links."""
        twin = Node(self.traits)
        twin.injected_errors = self.injected_errors
        twin.injected_cpu = self.injected_cpu
        twin.injected_delay_ms = self.injected_delay_ms
        twin.injected_lost = self.injected_lost
        twin.injected_broken = self.injected_broken
        twin.injected_demand = self.injected_demand
        twin.injected_capacity = self.injected_capacity
        twin.guests = self.guests
        twin.capacity = self.capacity
        twin.sound = self.sound
        twin.keeps = self.keeps
        twin.own_ms = self.own_ms
        twin.cpu_ms = self.cpu_ms
        twin.instances = self.instances
        twin.drain = self.drain
        twin.offered = self.offered
        twin.served = self.served
        twin.busy = self.busy
        twin.backlog = self.backlog
        twin.dropped = self.dropped
        twin.extra_wait_ms = self.extra_wait_ms
        twin.fixed_ms = self.fixed_ms
        twin.wait_ms = self.wait_ms
        twin.tail = self.tail
        twin.tail_ms = self.tail_ms
        twin.ok = self.ok
        twin.fails = self.fails
        twin.stuck = self.stuck
        twin.inflight = self.inflight
        twin.shed = self.shed
        return twin

    @property
    def mean_ms(self) -> float:
        """The mean time of a request along its path."""
        return (1.0 - self.tail) * (self.fixed_ms + self.wait_ms) + self.tail * self.tail_ms

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_errors = self.injected_delay_ms = self.injected_lost = 0.0
        self.injected_broken = 0.0
        self.injected_cpu = self.injected_demand = self.injected_capacity = 1.0
        self.guests = 0.0


class Link:
    """The minute of one call.

    Written by components before the minute:
        passes: Share of the caller's look-ups that need it; of a call behind a cache, the misses.
        refused: Share of attempts that is rejected at once.
        starved: Share that finds no connection, and fails after `acquire_ms`.
        stalled, stall_ms: Share that waits for something other than the CPU, and how long.
        wait_ms: Mean of an exponential wait that the called service has for this caller alone.
        broken: Share that fails persistently, after `broken_ms`.
        extra_tries: Tries of the caller on top of its retries.
        added: Calls a second of the caller's guests, on top of its ordinary calls.

    Results of the minute:
        rate: Attempts a second that the caller wants to make.
        fail: Share of attempts that fail.
        ms: Mean time of an attempt as the caller sees it, `held_ms` of it with a connection.
        attempts: Attempts per request.
        lost: Share of the caller's calls that fail in the end.
    """

    __slots__ = (
        "acquire_ms",
        "added",
        "attempts",
        "broken",
        "broken_ms",
        "extra_tries",
        "fail",
        "held_ms",
        "lost",
        "ms",
        "number",
        "passes",
        "rate",
        "refused",
        "stall_ms",
        "stalled",
        "starved",
        "to",
        "traits",
        "wait_ms",
    )

    def __init__(self, traits: LinkTraits) -> None:
        self.traits = traits
        self.number = traits.number
        self.to = traits.to
        self.passes = self.attempts = 1.0
        self.acquire_ms = traits.timeout_ms
        self.refused = self.starved = self.stalled = self.stall_ms = 0.0
        self.broken = self.broken_ms = self.extra_tries = self.wait_ms = 0.0
        self.added = 0.0
        self.rate = self.fail = self.ms = self.held_ms = self.lost = 0.0

    def copy(self) -> Link:
        """Return a copy."""
        twin = Link(self.traits)
        twin.passes = self.passes
        twin.acquire_ms = self.acquire_ms
        twin.refused = self.refused
        twin.starved = self.starved
        twin.stalled = self.stalled
        twin.stall_ms = self.stall_ms
        twin.broken = self.broken
        twin.wait_ms = self.wait_ms
        twin.broken_ms = self.broken_ms
        twin.extra_tries = self.extra_tries
        twin.added = self.added
        twin.rate = self.rate
        twin.fail = self.fail
        twin.ms = self.ms
        twin.held_ms = self.held_ms
        twin.attempts = self.attempts
        twin.lost = self.lost
        return twin

    @property
    def reaching(self) -> float:
        """Attempts a second that reach the called service."""
        turned_away = self.refused + self.starved
        return self.rate * (1.0 - turned_away) if turned_away < 1.0 else 0.0

    def stall(self, share: float, ms: float) -> None:
        """Let a share of its attempts wait; several causes add up."""
        total = self.stalled + share
        if total > 0.0:
            self.stall_ms = (self.stalled * self.stall_ms + share * ms) / total
        self.stalled = total if total < 1.0 else 1.0

    def breaks(self, share: float, ms: float) -> None:
        """Let a share of its attempts fail persistently, after some time."""
        total = self.broken + share
        if total > 0.0:
            self.broken_ms = (self.broken * self.broken_ms + share * ms) / total
        self.broken = total if total < 1.0 else 1.0
