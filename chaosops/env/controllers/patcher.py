"""The patcher: updates packages on hosts, a few at a time, and restarts what runs on them.

By its policy it takes one service in each window, in one zone, and at most a share of the hosts
(Kubernetes: `maxUnavailable`; AWS: patch groups and maintenance windows). Once in a while an
update is urgent, and it requests to patch all hosts of a service at once. The
update restarts the network service of a host; by a policy that allows all hosts in one window,
that is before anybody sees that it loses their routes (Datadog 2023).
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
)

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_URGENT_EVERY: Final = 150
_URGENT: Final = 20
_BREAKS: Final = 0.12
_RESTARTS_IN: Final = 2


class PatchLimits:
    """The parameters by which hosts are patched.

    Attributes:
        most: Percent of a service's hosts that are patched at once at most, but at least one.
        zones: Zones that are patched at once at most.
        between: Minutes from one window to the next.
    """

    __slots__ = ("between", "most", "zones")

    def __init__(self, most: int, zones: int, between: int) -> None:
        self.most = most
        self.zones = zones
        self.between = between


class Patcher(ServiceController):
    """Patches hosts.

    Args:
        scope: Its services are those whose hosts it patches, without components.
        limits: The policy that it acts on; `edited` applies to the service for which it was edited.

    Attributes:
        windows: Windows so far; each begins with the next zone.
        patched: The minute in which it last patched by `edited`, and `undone` the one in which it
            found that taken back.
        asked: The place in `services` that its newest request is for, which lapses in the minute
            `lapses`.
    """

    def __init__(self, scope: Scope, limits: PatchLimits, edited: PatchLimits) -> None:
        super().__init__(scope)
        self.limits = limits
        self.edited = edited
        self.windows = 0
        self.patched = self.undone = self.lapses = NEVER
        self.asked = 0

    def copy(self) -> Controller:
        """Return a patcher in the same state."""
        twin = Patcher(self.scope, self.limits, self.edited)
        twin.windows = self.windows
        twin.patched = self.patched
        twin.undone = self.undone
        twin.lapses = self.lapses
        twin.asked = self.asked
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Patch what is due in this minute."""
        count = len(self.services)
        if count == 0:
            return
        if self.place >= 0 and minute >= self.since:
            self._patch_place(mesh, minute, acts)
        for k in self.round(minute):
            self._patch(mesh, minute, self.services[k], self.limits, acts)
            self.windows += 1
            break
        if self.lapses == minute:
            acts.append(self._request(mesh, minute, ActStatus.LAPSED))
        elif (minute - self.phase) % _URGENT_EVERY == _URGENT:
            self.asked = (minute // _URGENT_EVERY + self.phase) % count
            self.lapses = minute + LAPSES_AFTER
            acts.append(self._request(mesh, minute, ActStatus.REQUESTED))

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request to patch a zone's hosts out of their window, or those of all zones at once."""
        instances = mesh.instances[draft.services[0]]
        n = instances.count
        zones = len(set(instances.zone))
        if n < 2 or zones < 2:
            return None
        here = sum([zone == instances.zone[0] for zone in instances.zone])
        left, reached = (0, zones) if draft.is_flawed else (n - here, 1)
        made = self.request(
            draft.minute,
            draft.services[0],
            Deed.PATCH,
            (n, left),
            ActReason.UPDATES_DUE,
            reached,
            not draft.is_flawed,
        )
        return made._replace(share=100 * (n - left) // n)

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Patch hosts; where none is left to serve, requests fail until they are back."""
        instances = mesh.instances[act.target]
        away = min(act.before - act.after, instances.count)
        first = instances.zone[0]
        order = sorted(range(instances.count), key=lambda i: (instances.zone[i] != first, i))
        for i in order[:away]:
            instances.start_again(i, minute)
        if away == instances.count:
            return Strain(mesh, act.target, _BREAKS, _RESTARTS_IN)
        return None

    def _patch(
        self, mesh: Mesh, minute: int, service: int, limits: PatchLimits, acts: list[ControllerAct]
    ) -> int:
        """Patch as many hosts of a service as the limits allow; return how many."""
        instances = mesh.instances[service]
        n = instances.count
        most = n * limits.most // 100
        most = most if most > 1 else 1
        zones = sorted(set(instances.zone))
        done = reached = 0
        for step in range(min(len(zones), limits.zones)):
            zone = zones[(self.windows + step) % len(zones)]
            before = done
            for i in range(n):
                if instances.zone[i] == zone and done < most:
                    done += 1
                    instances.start_again(i, minute)
            if done > before:
                reached += 1
        if done > 0:
            acts.append(self._act(minute, service, n, done, reached))
        return done

    def _patch_place(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Patch by the edited limits, and again once what it did was taken back."""
        instances = mesh.instances[self.place]
        if instances.rolling:
            return
        if self.patched > NEVER:
            if self.undone < self.patched:
                self.undone = minute
            if minute < self.undone + self.edited.between:
                return
        self.patched = minute
        done = self._patch(mesh, minute, self.place, self.edited, acts)
        instances.roll_out(done / instances.count, is_build=False)

    def _request(self, mesh: Mesh, minute: int, status: ActStatus) -> ControllerAct:
        """Request to patch all hosts of a service at once, which the policy does not allow."""
        service = self.services[self.asked]
        instances = mesh.instances[service]
        zones = len(set(instances.zone))
        made = self._act(minute, service, instances.count, instances.count, zones)
        return made._replace(status=status, share=100, lapses=self.lapses, is_faulty=False)

    def _act(
        self, minute: int, service: int, hosts: int, patched: int, zones: int
    ) -> ControllerAct:
        return ControllerAct(
            minute,
            self.agent,
            Deed.PATCH,
            service,
            hosts,
            hosts - patched,
            ActReason.UPDATES_DUE,
            zones,
            is_faulty=self.is_edited(service, minute),
        )
