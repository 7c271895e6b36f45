"""The health checker: ejects instances that fail their probes in a row.

An instance is probed every ten seconds by a new connection, and fails if it can't accept most of
its connections. Only so many instances of a service are ejected at once, and each for some minutes,
longer each time (Envoy: outlier detection, 30 s for each time).
While more fail than may be ejected, the health checker requests it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import LAPSES_AFTER, NEVER, REPORTS_EVERY, Controller
from chaosops.env.physics.handles import Handles

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_PROBES_A_MINUTE: Final = 6
_REFUSES: Final = 0.5


class HealthChecker(Controller):
    """Ejects instances.

    Args:
        services: Numbers of the services that it probes.
        parts: For each of them, the index of its descriptors among the fleet's components.
        after: Probes in a row that fail before an instance is ejected.
        most: Percent of a service's instances that are ejected at once at most.
        minutes_out: Minutes for which an instance is ejected, for each time that it was.

    Attributes:
        failed: For each service, the failed probes in a row of each instance; `times` is how often
            each was ejected.
        lapses: For each service, the minute in which its open request lapses.
    """

    def __init__(
        self,
        agent: str,
        phase: int,
        services: tuple[int, ...],
        parts: tuple[int, ...],
        after: int,
        most: int,
        minutes_out: int,
    ) -> None:
        super().__init__(agent, phase)
        self.services = services
        self.parts = parts
        self.after = after
        self.most = most
        self.minutes_out = minutes_out
        self.failed: dict[int, list[int]] = {}
        self.times: dict[int, list[int]] = {}
        self.lapses = [NEVER] * len(services)

    def copy(self) -> Controller:
        """Return a health checker in the same state."""
        twin = HealthChecker(
            self.agent,
            self.phase,
            self.services,
            self.parts,
            self.after,
            self.most,
            self.minutes_out,
        )
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
            if handles.spinning > 0.0:
                self._probe(mesh, minute, k, handles, acts)
            elif k in self.failed:
                del self.failed[k]
                del self.times[k]
        if self.reports(minute):
            k = (minute // REPORTS_EVERY + self.phase) % len(self.services)
            n = mesh.instances[self.services[k]].count
            reason = ActReason.PROBES_PASS
            acts.append(
                ControllerAct(minute, self.agent, Deed.HOLD, self.services[k], n, n, reason, 0)
            )

    def _probe(
        self, mesh: Mesh, minute: int, k: int, handles: Handles, acts: list[ControllerAct]
    ) -> None:
        """Probe the instances of a service that has some that refuse connections."""
        instances = mesh.instances[self.services[k]]
        n = min(instances.count, handles.count)
        failed = self.failed.setdefault(k, [])
        times = self.times.setdefault(k, [])
        while len(failed) < n:
            failed.append(0)
            times.append(0)
        out = beyond = 0
        for i in range(n):
            if instances.ejected[i] > minute:
                out += 1
        most = n * self.most // 100
        for i in range(n):
            if not instances.serves(i, minute):
                continue
            failed[i] = failed[i] + _PROBES_A_MINUTE if handles.short_of(i) >= _REFUSES else 0
            if failed[i] < self.after:
                continue
            if out < most:
                out += 1
                times[i] += 1
                instances.eject(i, minute + self.minutes_out * times[i])
                acts.append(self._act(mesh, minute, k, 1, ActStatus.DONE, failed[i]))
                failed[i] = 0
            else:
                beyond += 1
        if beyond and self.lapses[k] < minute - self.minutes_out * LAPSES_AFTER:
            self.lapses[k] = minute + LAPSES_AFTER
            acts.append(self._act(mesh, minute, k, beyond, ActStatus.REQUESTED, self.after))

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
        )
