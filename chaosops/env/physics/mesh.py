"""One minute of the fleet: demand down the graph, success and latency back up.

The order of a minute is fixed:

1. Components compute what each service can do after the last minute (`Component.prepare`).
2. Demand flows from the entries to what they call. A call behind a cache is made for the misses;
   a call that failed is tried again, as often as the caller has retries. How often follows within
   two minutes what fails: 60 % of the way in each.
3. Success and latency flow back up. A request succeeds when every required call does. Latency adds
   along the path and is cut at each timeout. A request that waits longer than the caller's timeout
   is served in vain, and counts as failed.
4. Components update their state (`Component.settle`).

Mean waits are taken as exponential, so a call is late with probability exp(-(timeout - fixed) /
wait), and the 95th percentile of a wait is 3 times its mean (ln 20 = 3.0). What waits for a lock, a
connection or a slow query is modelled apart: a share of requests that takes much longer.

There are two kinds of failures. A transient one is independent in each try: with a failed share f
and r retries, f^(r+1) fails in the end, after (1 - f^(r+1)) / (1 - f) tries. A persistent one, such
as a locked row or a full shard, fails in every try, and costs r + 1 of them. A service that finds
no connection in time doesn't retry, but its caller may, and reach another instance. Callers with
a retry budget try a full service again only for as many requests as the budget allows.
"""

from __future__ import annotations

import math
from math import exp
from typing import Final

from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.component import Component
from chaosops.env.physics.instances import Instances
from chaosops.env.physics.node import Link, Node
from chaosops.env.physics.queueing import backlog_ms, mean_wait_ms, serve

_NEVER_LATE: Final = 12.0
_LONGEST_PATIENCE_MS: Final = 8_000.0
_LONGEST_WAIT_MS: Final = 60_000.0
_TINY: Final = 1e-5
_FOLLOWS: Final = 0.6


class Mesh:
    """The physical state of a fleet.

    Attributes:
        minute: The minute that is being simulated.
        nodes: A node per service, in the topology's order.
        links: A link per call, caller by caller.
        instances: The instances of each service.
        parts: All other components, service by service.
        users_ok: Share of user requests that succeeded in the last minute.
        user_rps: User requests a second in the last minute.
    """

    __slots__ = (
        "_places",
        "blueprint",
        "instances",
        "links",
        "minute",
        "nodes",
        "parts",
        "user_rps",
        "users_ok",
    )

    def __init__(
        self, blueprint: Blueprint, parts: list[Component], original: Mesh | None = None
    ) -> None:
        """Begin at rest, or take the state of another mesh; `parts` are this one's own."""
        self.blueprint = blueprint
        self.parts = parts
        if original is not None:
            self._copy(original)
            return
        self.minute = 0
        self.nodes = [Node(traits) for traits in blueprint.services]
        self.instances = [Instances(traits) for traits in blueprint.services]
        self.links = [Link(traits) for traits in blueprint.links]
        self._places = {(part.service, part.name): k for k, part in enumerate(parts)}
        self.users_ok = 1.0
        self.user_rps = blueprint.users
        self._join()

    def _join(self) -> None:
        """Connect each node to the links of its calls."""
        links = self.links
        for node in self.nodes:
            made = node.traits.links
            node.links = links[made.start : made.stop]

    def copy(self) -> Mesh:
        """Return an independent mesh in the same state."""
        return Mesh(self.blueprint, [part.copy() for part in self.parts], self)

    def _copy(self, other: Mesh) -> None:
        self.minute = other.minute
        self.nodes = [node.copy() for node in other.nodes]
        self.instances = [instances.copy() for instances in other.instances]
        self.links = [link.copy() for link in other.links]
        self._places = other._places
        self.users_ok = other.users_ok
        self.user_rps = other.user_rps
        self._join()

    def part(self, service: int, name: str) -> Component | None:
        """Return a service's component of that name; None if it has none."""
        place = self._places.get((service, name))
        return None if place is None else self.parts[place]

    def reset_parameters(self) -> None:
        """Make all parameters neutral again."""
        for node in self.nodes:
            node.reset_parameters()
        for instances in self.instances:
            instances.reset_parameters()
        for link in self.links:
            link.refused = link.starved = link.stalled = link.broken = link.extra_tries = 0.0
            link.wait_ms = link.added = 0.0
        for part in self.parts:
            part.reset_parameters()

    def advance(self, traffic: float) -> None:
        """Advance by a minute, with `traffic` times the usual user requests.

        Parameters keep their values; `reset_parameters` makes them neutral.
        """
        self.minute += 1
        for node in self.nodes:
            _begin(node)
        for instances in self.instances:
            instances.prepare(self)
        for part in self.parts:
            part.prepare(self)
        self._flow_down(traffic)
        self._flow_up()
        self._ask_users()
        for part in self.parts:
            part.settle(self)

    def _flow_down(self, traffic: float) -> None:
        nodes = self.nodes
        for i in self.blueprint.order:
            node = nodes[i]
            traits = node.traits
            load = node.offered * node.injected_demand
            if traits.entry_rps > 0.0:
                asked = traits.entry_rps * traffic * (1.0 - node.shed)
                load = (node.offered + asked) * node.injected_demand
            guests = node.guests
            served = _work(node, load + guests, nodes)
            passed = 1.0
            if guests > 0.0:
                passed = served / (load + guests)
                served = load * passed
            for link in node.links:
                rate = served * link.traits.per_request * link.passes
                rate *= link.attempts + link.extra_tries
                rate += link.added * passed
                link.rate = rate
                turned_away = link.refused + link.starved
                if turned_away > 0.0:
                    rate *= 1.0 - (turned_away if turned_away < 1.0 else 1.0)
                to = nodes[link.to]
                to.offered += rate * (1.0 - to.injected_lost)

    def _flow_up(self) -> None:
        nodes = self.nodes
        for i in reversed(self.blueprint.order):
            node = nodes[i]
            good, stays = node.sound, node.keeps
            still, moving = node.own_ms, node.wait_ms
            tail, tail_ms = node.tail, node.tail_ms
            for link in node.links:
                traits = link.traits
                share = traits.per_request * link.passes
                part = share if share < 1.0 else 1.0
                to = nodes[link.to]
                fails, stuck, slow, slow_ms, took = _attempt(link, to)
                tries = traits.retries
                if stuck < _TINY and fails < _TINY:
                    tried = 1.0
                    lost = lost_stuck = 0.0
                else:
                    left = math.pow(fails, tries + 1.0)
                    again = tries + 1.0 if fails > 0.9999 else (1.0 - left) / (1.0 - fails)
                    tried = stuck * (tries + 1.0) + (1.0 - stuck) * again
                    lost, lost_stuck = left, stuck
                    if tried - 1.0 > traits.retries_allowed and to.dropped > 0.0:
                        # A full service serves as much either way, and turns away fewer tries.
                        tried = 1.0 + traits.retries_allowed
                link.attempts += _FOLLOWS * (tried - link.attempts)
                if link.attempts < 1.0 + _TINY:
                    link.attempts = 1.0
                if link.starved > 0.0:
                    lost = 1.0 - (1.0 - lost) * (1.0 - link.starved)
                link.fail = 1.0 - (1.0 - fails) * (1.0 - stuck) * (1.0 - link.starved)
                link.lost = 1.0 - (1.0 - lost) * (1.0 - lost_stuck)
                link.ms = took
                if traits.required and link.lost > 0.0:
                    if share > 1.0:
                        good *= math.pow(1.0 - lost, share)
                        stays *= math.pow(1.0 - lost_stuck, share)
                    else:
                        good *= 1.0 - share * lost
                        stays *= 1.0 - share * lost_stuck
                if not traits.waits:
                    continue
                still += part * to.fixed_ms if part * to.fixed_ms < traits.timeout_ms else 0.0
                moving += part * (to.wait_ms + link.wait_ms)
                if slow > _TINY:
                    more = 1.0 - math.pow(1.0 - slow, share) if share > 1.0 else share * slow
                    long_ms = slow_ms * (link.attempts if stuck < _TINY else tries + 1.0)
                    both = tail + more
                    tail_ms = (tail * tail_ms + more * (long_ms + node.own_ms)) / both
                    tail = both if both < 1.0 else 1.0
            node.fixed_ms = still
            node.wait_ms = moving if moving < _LONGEST_WAIT_MS else _LONGEST_WAIT_MS
            node.tail, node.tail_ms = tail, tail_ms
            node.fails, node.stuck = 1.0 - good, 1.0 - stays
            node.ok = good * stays
            node.inflight = node.served * node.mean_ms / 1000.0 + (
                0.0 if node.traits.is_queue else node.backlog
            )

    def _ask_users(self) -> None:
        total = good = 0.0
        for node in self.nodes:
            rps = node.traits.entry_rps
            if rps <= 0.0:
                continue
            load = rps * node.injected_demand
            total += load
            kept = (1.0 - node.shed) * (1.0 - node.injected_lost)
            good += load * kept * node.ok * (1.0 - _given_up(node))
        self.user_rps = total
        self.users_ok = good / total if total > 0.0 else 1.0


def _given_up(node: Node) -> float:
    """Return the share of users who don't wait for the answer."""
    if node.fixed_ms >= _LONGEST_PATIENCE_MS:
        return 1.0
    return exp(-_LONGEST_PATIENCE_MS / node.wait_ms) if node.wait_ms > 1.0 else 0.0


def answered(node: Node) -> float:
    """Return the share of the user requests to a service that succeeded in the last minute."""
    kept = (1.0 - node.shed) * (1.0 - node.injected_lost)
    return kept * node.ok * (1.0 - _given_up(node))


def _begin(node: Node) -> None:
    traits = node.traits
    node.offered = 0.0
    node.capacity = node.instances * traits.rps_per_replica * node.injected_capacity
    node.sound = 1.0 - node.injected_errors
    node.keeps = 1.0 - node.injected_broken
    node.cpu_ms = traits.base_ms * node.injected_cpu
    node.own_ms = node.cpu_ms + node.injected_delay_ms
    node.tail = node.tail_ms = node.extra_wait_ms = 0.0


def _work(node: Node, load: float, nodes: list[Node]) -> float:
    """Serve a service's load; return how many requests a second it serves."""
    traits = node.traits
    node.offered = load
    capacity = node.capacity
    if node.cpu_ms > traits.base_ms:
        capacity *= traits.base_ms / node.cpu_ms
    limit = capacity
    if traits.is_queue:
        for link in node.links:
            if not link.traits.waits:
                takes = nodes[link.to].drain / link.traits.per_request
                limit = takes if takes < limit else limit
    else:
        node.drain = capacity * (1.0 - node.fails) * (1.0 - node.stuck)
    served = serve(node, limit, load)
    node.served = served
    busy = served / capacity if capacity > 0.0 else 1.0
    node.busy = busy
    wait = mean_wait_ms(node.cpu_ms, traits.servers, busy)
    wait = wait if wait < traits.longest_wait_ms else traits.longest_wait_ms
    node.wait_ms = wait + node.extra_wait_ms
    if node.backlog > 0.0 and not traits.is_queue:
        node.own_ms += backlog_ms(node.backlog, limit)
    if node.dropped > 0.0 and load > 0.0:
        lost = node.dropped / load
        node.sound *= 1.0 - (lost if lost < 1.0 else 1.0)
    if capacity <= 0.0:
        node.sound = 0.0
    return served


def _attempt(link: Link, to: Node) -> tuple[float, float, float, float, float]:
    """Return an attempt's failing and stuck shares, slow share and time, and mean time."""
    timeout = link.traits.timeout_ms
    fails, stuck = to.fails, to.stuck
    wait = to.wait_ms + link.wait_ms
    took = to.fixed_ms + wait
    slow = slow_ms = 0.0
    if to.injected_lost > 0.0:
        fails = 1.0 - (1.0 - fails) * (1.0 - to.injected_lost)
    if to.fixed_ms >= timeout:
        fails, took, slow, slow_ms = 1.0, timeout, 1.0, timeout
    elif wait * _NEVER_LATE > timeout - to.fixed_ms:
        late = exp((to.fixed_ms - timeout) / wait)
        fails = 1.0 - (1.0 - fails) * (1.0 - late)
        took = timeout if took > timeout else took
        slow, slow_ms = late, timeout
    if to.tail > 0.0:
        long_ms = to.tail_ms
        if long_ms >= timeout:
            long_ms = timeout
            stuck = 1.0 - (1.0 - stuck) * (1.0 - to.tail)
        took += to.tail * (long_ms - took)
        slow_ms = (slow * slow_ms + to.tail * long_ms) / (slow + to.tail)
        slow += to.tail
    if link.stalled > 0.0:
        long_ms = link.stall_ms
        if long_ms >= timeout:
            long_ms = timeout
            stuck = 1.0 - (1.0 - stuck) * (1.0 - link.stalled)
        took += link.stalled * (long_ms - took)
        slow_ms = (slow * slow_ms + link.stalled * long_ms) / (slow + link.stalled)
        slow += link.stalled
    if link.broken > 0.0:
        stuck = 1.0 - (1.0 - stuck) * (1.0 - link.broken)
        took += link.broken * (link.broken_ms - took)
        if link.broken_ms > 4.0 * took:
            slow_ms = (slow * slow_ms + link.broken * link.broken_ms) / (slow + link.broken)
            slow += link.broken
    link.held_ms = took
    if link.starved > 0.0:
        took += link.starved * (link.acquire_ms - took)
        slow_ms = (slow * slow_ms + link.starved * link.acquire_ms) / (slow + link.starved)
        slow += link.starved
    if link.refused > 0.0:
        fails = 1.0 - (1.0 - fails) * (1.0 - link.refused)
        took *= 1.0 - link.refused
    return fails, stuck, slow if slow < 1.0 else 1.0, slow_ms, took
