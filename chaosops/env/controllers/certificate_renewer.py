"""The certificate renewer: renews what is due, and has the instances load it.

It takes one service at a time, and renews its certificate if no more than so many days are left
 (cert-manager: at two thirds of its life). It reloads a share of the instances, by its
policy all of them, and revokes the serial before. It requests leave to renew one out of its turn.
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
from chaosops.env.physics.certificate import Certificate

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_ASKS_EVERY: Final = 180
_ASKS_AT: Final = 35
_BREAKS: Final = 0.05
_UNTIL_RELOADED: Final = 5


class RenewalLimits:
    """The parameters by which certificates are renewed.

    Attributes:
        before_days: Days left at which a certificate is renewed.
        reloads: Percent of the instances that load the new one.
        between: Minutes from one renewal to the next.
    """

    __slots__ = ("before_days", "between", "reloads")

    def __init__(self, before_days: int, reloads: int, between: int) -> None:
        self.before_days = before_days
        self.reloads = reloads
        self.between = between


class CertificateRenewer(ServiceController):
    """Renews certificates.

    Args:
        scope: Its services are those whose certificates it renews, each with its certificate.
        limits: The policy that it acts on; `edited` applies to the service for which it was edited.

    Attributes:
        renewed: The minute of the last renewal by `edited`.
        lapses: The minute in which its open request lapses.
        reloads: The minute in which the service at `partial` loads a certificate everywhere that
            only some of its instances were granted to load.
    """

    def __init__(self, scope: Scope, limits: RenewalLimits, edited: RenewalLimits) -> None:
        super().__init__(scope)
        self.limits = limits
        self.edited = edited
        self.renewed = NEVER
        self.lapses = NEVER
        self.reloads = NEVER
        self.partial = 0

    def copy(self) -> Controller:
        """Return a renewer in the same state."""
        twin = CertificateRenewer(self.scope, self.limits, self.edited)
        twin.renewed = self.renewed
        twin.lapses = self.lapses
        twin.reloads = self.reloads
        twin.partial = self.partial
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Renew what is due."""
        if minute == self.reloads:
            self._reload(mesh)
        self._request(mesh, minute, acts)
        self._go_round(mesh, minute, acts)
        if self.place < 0 or minute < self.since:
            return
        if minute - self.renewed >= self.edited.between:
            self.renewed = minute
            k = self.services.index(self.place)
            self._renew(mesh, minute, k, self.edited, acts)

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request to renew out of turn, with a reload of all instances or of only some."""
        if draft.services[0] not in self.services:
            return None
        part = mesh.parts[self.parts[self.services.index(draft.services[0])]]
        assert isinstance(part, Certificate)
        n = mesh.instances[draft.services[0]].count
        if part.has_expired or n < 2:
            return None
        reloaded = max(1, n // 3) if draft.is_flawed else n
        return self.request(
            draft.minute,
            draft.services[0],
            Deed.RENEW,
            (n, reloaded),
            ActReason.AHEAD_OF_TURN,
            part.days_left,
        )

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Renew; what didn't reload serves a revoked serial until it does."""
        k = self.services.index(act.target)
        part = mesh.parts[self.parts[k]]
        assert isinstance(part, Certificate)
        reloaded = min(act.after, len(part.served))
        part.renew(reloaded, minute)
        if reloaded == len(part.served):
            return None
        self.reloads = minute + _UNTIL_RELOADED
        self.partial = k
        return Strain(mesh, act.target, _BREAKS, _UNTIL_RELOADED)

    def _reload(self, mesh: Mesh) -> None:
        """Let all instances load what only some were granted to load."""
        part = mesh.parts[self.parts[self.partial]]
        assert isinstance(part, Certificate)
        if part.stale <= 0.0:
            part.served = (part.stored,) * len(part.served)

    def _go_round(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Renew the first certificate that is due, or report that none is."""
        order = self.round(minute)
        done = len(acts)
        for k in order:
            self._renew(mesh, minute, k, self.limits, acts)
            if len(acts) > done:
                return
        for k in order[:1]:
            n = mesh.instances[self.services[k]].count
            acts.append(self._act(mesh, minute, k, Deed.HOLD, n, ActReason.NOT_DUE, 0))

    def _renew(
        self, mesh: Mesh, minute: int, k: int, limits: RenewalLimits, acts: list[ControllerAct]
    ) -> None:
        """Renew a certificate, and let a share of the instances load it."""
        part = mesh.parts[self.parts[k]]
        assert isinstance(part, Certificate)
        days = part.days_left
        if days > limits.before_days or part.has_expired:
            return
        reloaded = len(part.served) * limits.reloads // 100
        part.renew(reloaded, minute)
        acts.append(self._act(mesh, minute, k, Deed.RENEW, reloaded, ActReason.DAYS_LEFT, days))

    def _request(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Request leave to renew a certificate that isn't due, or tell that the request lapsed."""
        k = self.phase % len(self.services)
        if self.lapses == minute:
            status = ActStatus.LAPSED
        elif (minute - self.phase) % _ASKS_EVERY == _ASKS_AT:
            status = ActStatus.REQUESTED
            self.lapses = minute + LAPSES_AFTER
        else:
            return
        part = mesh.parts[self.parts[k]]
        assert isinstance(part, Certificate)
        n = mesh.instances[self.services[k]].count
        days = part.days_left
        made = self._act(mesh, minute, k, Deed.RENEW, n, ActReason.AHEAD_OF_TURN, days)
        made = made._replace(status=status, share=100, lapses=self.lapses, is_faulty=False)
        acts.append(made)

    def _act(
        self, mesh: Mesh, minute: int, k: int, deed: Deed, after: int, reason: ActReason, value: int
    ) -> ControllerAct:
        service = self.services[k]
        edited = self.is_edited(service, minute)
        return ControllerAct(
            minute,
            self.agent,
            deed,
            service,
            mesh.instances[service].count,
            after,
            reason,
            value,
            is_faulty=edited and deed is Deed.RENEW,
        )
