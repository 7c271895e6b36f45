"""One minute of the fleet: demand down the graph, latency and success back up.

The model, minute by minute and in a fixed order:

- Demand flows from the entries to what they call. A call that failed last minute is tried again,
  as often as the caller has retries.
- Each service serves what it can (`chaosops.env.service`); who waits longer for it than the
  caller's timeout was served in vain, and counts as failed.
- A cache sends its misses on: a hit rate that falls from 95 to 50 % is ten times the load behind.
- A request succeeds when every required call does; latency adds along the path and is cut at each
  timeout. Mean waits are taken as exponential, so a call is late with the probability
  exp(-(timeout - fixed part) / wait), and the 95th percentile of a wait is 3 times its mean.
"""

from __future__ import annotations

from math import exp
from typing import Final

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.plan import FleetPlan
from chaosops.env.service import SAME, Service
from chaosops.env.service_call import ServiceCall

_LONGEST_PATIENCE_MS: Final = 8_000.0
_NEVER_LATE: Final = 12.0


class Physics:
    """The fleet's physical state.

    Attributes:
        services: Each service's state, in the topology's order.
        calls: Each call's, caller by caller.
        killed: Services that ran out of memory in this minute.
        users_ok: Share of user requests that succeeded this minute.
    """

    def __init__(self, plan: FleetPlan) -> None:
        self.plan = plan
        self.services = [Service(plan, i) for i in range(plan.size)]
        self.calls: list[ServiceCall] = []
        for service, edges in zip(self.services, plan.calls, strict=True):
            for edge in edges:
                behind = None if edge.behind < 0 else self.services[edge.behind]
                service.calls.append(ServiceCall(edge, self.services[edge.to], behind))
            self.calls.extend(service.calls)
        self.killed: tuple[int, ...] = ()
        self.users_ok = 1.0
        self._down = [self.services[i] for i in plan.order]
        self._up = self._down[::-1]
        self._entries = [(self.services[i], rps) for i, rps in plan.entries]
        neutral = FaultEffects(plan.size)
        self._effects = neutral.flat()
        self._retries = neutral.retries

    @property
    def is_steady(self) -> bool:
        """Whether another minute with the same effects and traffic would give the same results."""
        return not any(service.moves for service in self.services)

    def take_effects(self, effects: FaultEffects) -> None:
        """Set the fault effects of all services; they stay until the next call."""
        now, before = effects.flat(), self._effects
        self._effects = now
        n = self.plan.size
        for i, service in enumerate(self.services):
            values = now[i::n]
            if values != before[i::n]:
                service.take_effects(effects, i)
        if effects.retries != self._retries:
            self._retries = effects.retries.copy()
            for call in self.calls:
                call.count_attempts()

    def advance(self, traffic: float) -> None:
        """Advance by a minute, with `traffic` times the topology's user demand."""
        for service in self.services:
            service.moves = False
            if service.must_weigh:
                service.weigh()
        for service, rps in self._entries:
            service.offered += rps * traffic * service.demand_factor * (1.0 - service.shed)
        self._flow_down()
        self._flow_up()
        self._users()
        self._age()

    def _flow_down(self) -> None:
        """Propagate demand from the entries down, and let each service serve its load."""
        for service in self._down:
            served = service.serve()
            for call in service.calls:
                rate = served * call.per_request
                behind = call.behind
                if behind is not None:
                    rate *= behind.missed
                rate *= call.attempts
                if call.pooled:
                    rate = service.take_from_pool(call, rate)
                to = call.to
                to.offered += rate * to.found

    def _flow_up(self) -> None:
        """Propagate success and latency from the called services to their callers."""
        for service in self._up:
            good, still, moving = service.ok, service.fixed_ms, service.wait_ms
            for call in service.calls:
                to = call.to
                took, fail = to.answer_ms, to.answer_fail
                timeout = call.timeout_ms
                is_late = False
                if to.slowest_ms > call.late_ms:
                    if to.fixed_ms >= timeout:
                        fail = 1.0
                    elif to.wait_ms * _NEVER_LATE > timeout - to.fixed_ms:
                        late = exp((to.fixed_ms - timeout) / to.wait_ms)
                        fail = 1.0 - (1.0 - fail) * (1.0 - late)
                    if took >= timeout:
                        took, is_late = timeout, True
                if call.pooled:
                    took = service.hold(call, took)
                    if service.starved > 0.0:
                        fail = 1.0 - (1.0 - fail) * (1.0 - service.starved)
                    is_late = took >= timeout
                call.ms = took
                share = call.per_request
                behind = call.behind
                if behind is not None:
                    share *= behind.missed
                part = share if share < 1.0 else 1.0
                before = call.fail
                if fail == 0.0 and before == 0.0:
                    if call.waits:
                        still += part * to.fixed_ms
                        moving += part * to.wait_ms
                    continue
                if not -SAME < fail - before < SAME:
                    service.moves = True
                call.fail = fail
                lost, tries = call.outcome(fail)
                call.attempts = tries
                if call.waits and is_late:
                    still += part * tries * timeout
                elif call.waits:
                    still += part * tries * to.fixed_ms
                    moving += part * tries * to.wait_ms
                if call.required and lost > 0.0:
                    kept: float = (1.0 - lost) ** share if share > 1.0 else 1.0 - share * lost
                    good *= kept
            service.ok, service.fixed_ms, service.wait_ms = good, still, moving
            service.errors = 1.0 - good
            service.answer_fail = 1.0 - good * service.found
            service.answer_ms = still + moving
            service.slowest_ms = still + _NEVER_LATE * moving

    def _users(self) -> None:
        total = good = 0.0
        for service, rps in self._entries:
            load = rps * service.demand_factor
            total += load
            late = 0.0
            if service.wait_ms > 1.0:
                late = exp(-_LONGEST_PATIENCE_MS / service.wait_ms)
            if service.fixed_ms >= _LONGEST_PATIENCE_MS:
                late = 1.0
            kept = 1.0 - service.shed
            good += load * kept * service.ok * (1.0 - late) * (1.0 - service.lost)
        self.users_ok = good / total if total else 1.0

    def _age(self) -> None:
        killed: list[int] = []
        for service in self.services:
            if service.must_age:
                service.age()
                if service.was_killed:
                    killed.append(service.number)
        self.killed = tuple(killed)
