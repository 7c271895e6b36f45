"""The health checker: ejects instances that fail their probes in a row.

An instance is probed every ten seconds by a new connection, and fails if it can't accept most of
its connections, or, by a policy that says so, if its answers take too long (Kubernetes: a
probe has a timeout). Only so many instances of a service are ejected at once, and each for some
minutes, longer each time (Envoy: outlier detection, 30 s for each time). It is the health checker
that takes an instance back, so while it is paused, an instance only serves again once it is
restarted and registers anew.
While more fail than may be ejected, the health checker requests it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import (
    LAPSES_AFTER,
    NEVER,
    Controller,
    RequestDraft,
    Scope,
    ServiceController,
    Strain,
    with_room,
)
from chaosops.env.physics.handles import Handles
from chaosops.env.physics.queueing import mean_wait_ms

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_PROBES_A_MINUTE: Final = 6
_REFUSES: Final = 0.5
_BARELY: Final = 3
_OUT_BY_GRANT: Final = 2


class ProbeLimits:
    """The parameters by which instances are ejected.

    Attributes:
        after: Probes in a row that fail before an instance is ejected.
        most: Percent of a service's instances that are ejected at once at most.
        minutes_out: Minutes for which an instance is ejected, for each time that it was.
        least: Instances of a service that serve which it leaves at least.
        slow: Factor of the usual answer time from which on a probe fails; 0 for never.
    """

    __slots__ = ("after", "least", "minutes_out", "most", "slow")

    def __init__(self, after: int, most: int, minutes_out: int, least: int, slow: float) -> None:
        self.after = after
        self.most = most
        self.minutes_out = minutes_out
        self.least = least
        self.slow = slow


class HealthChecker(ServiceController):
    """Ejects instances.

    Args:
        scope: Its services are those that it probes, each with its descriptors.
        limits: The policy that it acts on; `edited` applies to the service for which it was edited.

    Attributes:
        failed: For each service, the failed probes in a row of each instance; `times` is how often
            each was ejected.
        lapses: For each service, the minute in which its open request lapses.
    """

    def __init__(self, scope: Scope, limits: ProbeLimits, edited: ProbeLimits) -> None:
        super().__init__(scope)
        self.limits = limits
        self.edited = edited
        self.failed: dict[int, list[int]] = {}
        self.times: dict[int, list[int]] = {}
        self.lapses = [NEVER] * len(self.services)

    def copy(self) -> Controller:
        """Return a health checker in the same state."""
        twin = HealthChecker(self.scope, self.limits, self.edited)
        for k, failed in self.failed.items():
            twin.failed[k] = failed.copy()
            twin.times[k] = self.times[k].copy()
        twin.lapses = self.lapses.copy()
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Count failed probes, and eject what failed too many."""
        for k in range(len(self.services)):
            handles = mesh.parts[self.parts[k]]
            assert isinstance(handles, Handles)
            if self.lapses[k] == minute:
                acts.append(self._act(mesh, minute, k, 1, ActStatus.LAPSED))
            limits = self._limits(k, minute)
            slow = limits.slow > 0.0 and self._is_slow(mesh, k, limits.slow)
            if slow or handles.spinning > 0.0:
                self._probe(mesh, minute, k, handles, limits, slow, acts)
            elif k in self.failed:
                del self.failed[k]
                del self.times[k]
        for k in self.round(minute):
            if k not in self.failed:
                service = self.services[k]
                n = mesh.instances[service].count
                reason = ActReason.PROBES_PASS
                acts.append(ControllerAct(minute, self.agent, Deed.HOLD, service, n, n, reason, 0))
                return

    def stand_by(self, mesh: Mesh, minute: int) -> None:
        """Leave out what is ejected: only a running health checker takes instances back."""
        for service in self.services:
            mesh.instances[service].stay_ejected(minute)

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request to eject an instance that the policy leaves alone, or nearly all of them."""
        service = with_room(mesh, draft.services)
        if service < 0:
            return None
        n = mesh.instances[service].count
        left = 1 if draft.is_flawed else n - 1
        probes = self.limits.after + 1 + self.phase % _BARELY
        made = self.request(
            draft.minute,
            service,
            Deed.EJECT,
            (n, left),
            ActReason.PROBES_FAILED,
            probes,
            not draft.is_flawed,
        )
        return made._replace(share=100 * (n - left) // n)

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Eject as many instances as were granted, but leave one."""
        instances = mesh.instances[act.target]
        serving = [i for i in range(instances.count) if instances.serves(i, minute)]
        away = min(act.before - act.after, len(serving) - 1)
        for i in serving[len(serving) - away :]:
            instances.eject(i, minute + _OUT_BY_GRANT)
        return None

    def _limits(self, k: int, minute: int) -> ProbeLimits:
        """Return the parameters that apply to a service in a minute."""
        return self.edited if self._is_edited(k, minute) else self.limits

    def _is_edited(self, k: int, minute: int) -> bool:
        return self.is_edited(self.services[k], minute)

    def _is_slow(self, mesh: Mesh, k: int, factor: float) -> bool:
        """Whether instances took so many times as long as usual to answer in the last minute."""
        node = mesh.nodes[self.services[k]]
        traits = node.traits
        wait = mean_wait_ms(node.cpu_ms, traits.servers, min(node.busy, 1.0))
        return node.own_ms + min(wait, traits.longest_wait_ms) > factor * traits.base_ms

    def _probe(
        self,
        mesh: Mesh,
        minute: int,
        k: int,
        handles: Handles,
        limits: ProbeLimits,
        slow: bool,
        acts: list[ControllerAct],
    ) -> None:
        """Probe the instances of a service that is slow, or has some that refuse connections."""
        instances = mesh.instances[self.services[k]]
        n = min(instances.count, handles.count)
        failed = self.failed.setdefault(k, [])
        times = self.times.setdefault(k, [])
        while len(failed) < n:
            failed.append(0)
            times.append(0)
        out = beyond = left = 0
        for i in range(n):
            if instances.ejected[i] > minute:
                out += 1
            elif instances.serves(i, minute):
                left += 1
        most = n * limits.most // 100
        ejected: dict[int, int] = {}
        for i in range(n):
            if not instances.serves(i, minute):
                continue
            fails = slow or handles.short_of(i) >= _REFUSES
            failed[i] = failed[i] + _PROBES_A_MINUTE if fails else 0
            if failed[i] < limits.after:
                continue
            if out < most and left > limits.least:
                out += 1
                left -= 1
                times[i] += 1
                instances.eject(i, minute + limits.minutes_out * times[i])
                ejected[failed[i]] = ejected.get(failed[i], 0) + 1
                failed[i] = 0
            else:
                beyond += 1
        for probes, count in ejected.items():
            acts.append(self._act(mesh, minute, k, count, ActStatus.DONE, probes))
        # By edited limits it asks for nothing: what they allow is what it takes for its policy.
        if self._is_edited(k, minute):
            return
        if beyond and self.lapses[k] < minute - limits.minutes_out * LAPSES_AFTER:
            self.lapses[k] = minute + LAPSES_AFTER
            acts.append(self._act(mesh, minute, k, beyond, ActStatus.REQUESTED, limits.after))

    def _act(
        self, mesh: Mesh, minute: int, k: int, away: int, status: ActStatus, value: int = 0
    ) -> ControllerAct:
        service = self.services[k]
        n = mesh.instances[service].count
        return ControllerAct(
            minute,
            self.agent,
            Deed.EJECT,
            service,
            n,
            n - away,
            ActReason.PROBES_FAILED,
            value,
            status=status,
            share=100 * away // n,
            lapses=self.lapses[k],
            is_faulty=status is ActStatus.DONE and self._is_edited(k, minute),
        )
