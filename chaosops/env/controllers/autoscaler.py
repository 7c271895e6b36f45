"""The autoscaler: keeps the CPU of application services within a band.

It reads the CPU that instances used in the last minute, in percent of what they request, so an
instance whose quota was cut looks idle (Kubernetes: utilization is a percentage of the request).
What a starting instance takes is left out (Kubernetes: an initialization period of 5 minutes).
Outside the band it adds or removes replicas, at most so many in a step, with some minutes between
two steps of a service. A replica that it adds serves two minutes later (Kubernetes: relief in two
to six minutes). While a service that is nearly full waits for its next step, or has the most
replicas that the policy allows, the autoscaler requests a further step.

Once in a while it requests to scale a service in that is within the band. One that rests on an old
reading would leave too few replicas; if it is granted, the autoscaler scales out again once it
measures that they are full.
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
from chaosops.env.physics.quota import Quota

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_STARTS_IN: Final = 2
_FULL: Final = 0.95
_SEES_IN: Final = 2
_HOURS_AGO: Final = 185
_AT_NIGHT: Final = 12

# Looking up an enumeration member costs as much as the rest of a service's step.
_SCALE_OUT: Final = Deed.SCALE_OUT
_SCALE_IN: Final = Deed.SCALE_IN
_CPU_ABOVE: Final = ActReason.CPU_ABOVE
_CPU_BELOW: Final = ActReason.CPU_BELOW


class Limits:
    """The parameters by which services are scaled.

    Attributes:
        low, high: The band of CPU utilization, as shares.
        step: Replicas in one step at most.
        between: Minutes from one step to the next.
        least, most: Replicas.
    """

    __slots__ = ("between", "high", "least", "low", "most", "step")

    def __init__(
        self, low: float, high: float, step: int, between: int, least: int, most: int
    ) -> None:
        self.low = low
        self.high = high
        self.step = step
        self.between = between
        self.least = least
        self.most = most


class Autoscaler(ServiceController):
    """Scales services by their CPU.

    Args:
        scope: Its services are those that it scales, each with its quota.
        limits: The policy that it acts on; `edited` applies to the service for which it was edited.

    Attributes:
        stepped: For each service, the minute of its last step.
        lapses: For each service, the minute in which its open request lapses.
        before: For each service, the replicas before a step in that was granted, and `granted` is
            the minute of it; 0 if there is none to check.
    """

    def __init__(self, scope: Scope, limits: Limits, edited: Limits) -> None:
        super().__init__(scope)
        self.limits = limits
        self.edited = edited
        self.stepped = [NEVER] * len(self.services)
        self.lapses = [NEVER] * len(self.services)
        self.before = [0] * len(self.services)
        self.granted = NEVER

    def copy(self) -> Controller:
        """Return an autoscaler in the same state."""
        twin = Autoscaler(self.scope, self.limits, self.edited)
        twin.stepped = self.stepped.copy()
        twin.lapses = self.lapses.copy()
        twin.before = self.before.copy()
        twin.granted = self.granted
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Scale what is outside the band."""
        limits = self.limits
        if minute == self.granted + _SEES_IN:
            self._check(mesh, minute, acts)
        for k in range(len(self.services)):
            if self.lapses[k] == minute:
                acts.append(self._request(mesh, minute, k, ActStatus.LAPSED))
            busy = self._busy(mesh, k)
            if self.is_edited(self.services[k], minute):
                self._scale(mesh, minute, k, busy, self.edited, acts)
            elif busy > limits.high or busy < limits.low:
                self._scale(mesh, minute, k, busy, limits, acts)
        for k in self.round(minute):
            if limits.low <= self._busy(mesh, k) <= limits.high:
                n = mesh.instances[self.services[k]].count
                acts.append(self._act(mesh, minute, k, Deed.HOLD, n, n, ActReason.IN_BAND))
                return

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request to scale a service in that is within the band."""
        service = with_room(mesh, draft.services)
        if service not in self.services:
            return None
        busy = self._busy(mesh, self.services.index(service))
        n = mesh.instances[service].count
        if not draft.is_flawed:
            value = _percent(busy, _CPU_BELOW)
            return self.request(draft.minute, service, _SCALE_IN, (n, n - 1), _CPU_BELOW, value)
        value = _AT_NIGHT + self.phase % 5
        made = self.request(draft.minute, service, _SCALE_IN, (n, 1), _CPU_BELOW, value)
        return made._replace(read=draft.minute - _HOURS_AGO)

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Scale to the replicas that were granted."""
        k = self.services.index(act.target)
        self.stepped[k] = minute
        if act.after < act.before:
            self.before[k] = act.before
            self.granted = minute
        mesh.instances[act.target].resize(act.after, minute, starts_in=_STARTS_IN)
        return None

    def _check(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Scale out again what a granted step in has left with too few replicas."""
        for k in range(len(self.services)):
            before = self.before[k]
            self.before[k] = 0
            instances = mesh.instances[self.services[k]]
            n = instances.wanted
            if before > n and self._busy(mesh, k) >= _FULL:
                self.stepped[k] = minute
                acts.append(self._act(mesh, minute, k, _SCALE_OUT, n, before, _CPU_ABOVE))
                instances.resize(before, minute)

    def _busy(self, mesh: Mesh, k: int) -> float:
        """Return the CPU that a service uses, as a share of what its instances request."""
        quota = mesh.parts[self.parts[k]]
        assert isinstance(quota, Quota)
        node = mesh.nodes[self.services[k]]
        return node.busy * node.injected_capacity * (1.0 - quota.cut)

    def _scale(
        self,
        mesh: Mesh,
        minute: int,
        k: int,
        busy: float,
        limits: Limits,
        acts: list[ControllerAct],
    ) -> None:
        """Take a step with a service that is outside the band, or request one."""
        instances = mesh.instances[self.services[k]]
        n = instances.wanted
        if busy > limits.high:
            to = min(n + limits.step, limits.most, instances.traits.max_replicas)
            deed, reason = _SCALE_OUT, _CPU_ABOVE
            is_due = to > n
        elif busy < limits.low:
            to = max(n - limits.step, min(limits.least, instances.traits.replicas))
            deed, reason = _SCALE_IN, _CPU_BELOW
            is_due = to < n
        else:
            return
        if is_due and minute - self.stepped[k] >= limits.between:
            self.stepped[k] = minute
            acts.append(self._act(mesh, minute, k, deed, n, to, reason))
            instances.resize(to, minute, starts_in=_STARTS_IN)
        elif (
            busy >= _FULL
            and n < instances.traits.max_replicas
            and self.lapses[k] < minute - limits.between
        ):
            self.lapses[k] = minute + LAPSES_AFTER
            acts.append(self._request(mesh, minute, k, ActStatus.REQUESTED))

    def _request(self, mesh: Mesh, minute: int, k: int, status: ActStatus) -> ControllerAct:
        """Request two replicas more, which the standing policy does not allow now."""
        instances = mesh.instances[self.services[k]]
        n = instances.wanted
        to = min(n + 2, instances.traits.max_replicas)
        made = self._act(mesh, minute, k, Deed.SCALE_OUT, n, to, ActReason.CPU_ABOVE)
        return made._replace(status=status, share=100, lapses=self.lapses[k])

    def _act(
        self,
        mesh: Mesh,
        minute: int,
        k: int,
        deed: Deed,
        before: int,
        after: int,
        reason: ActReason,
    ) -> ControllerAct:
        service = self.services[k]
        edited = self.is_edited(service, minute)
        return ControllerAct(
            minute,
            self.agent,
            deed,
            service,
            before,
            after,
            reason,
            _percent(self._busy(mesh, k), reason),
            is_faulty=edited and deed is Deed.SCALE_IN,
        )


def _percent(busy: float, reason: ActReason) -> int:
    """Round away from the band, so that what is outside of it is told as outside."""
    whole = int(busy * 100.0 + 1e-6)
    return whole + 1 if reason is ActReason.CPU_ABOVE and busy * 100.0 - whole > 1e-6 else whole
