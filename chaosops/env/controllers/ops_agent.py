"""The AI ops agent: restarts instances of what fails, a step of the runbook at a time.

By its policy it changes nothing without a grant, and a grant is for one instance. In each of its
windows it takes the next service, with the grant that it got for it before, and restarts an
instance there; besides, it requests to restart one of the service that fails the most. If its
policy was edited, it takes the grant for one instance as a grant for all of a service, again and
again, and requests fail whenever they start.

A bad request rests on a reading of another service, and is for all instances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import (
    NEVER,
    Controller,
    RequestDraft,
    Scope,
    ServiceController,
    Strain,
)

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_BREAKS: Final = 0.1
_STARTS_IN: Final = 2


class GrantLimits:
    """The parameters by which instances are restarted.

    Attributes:
        per_grant: Instances that one grant is for.
        between: Minutes from one restart to the next.
    """

    __slots__ = ("between", "per_grant")

    def __init__(self, per_grant: int, between: int) -> None:
        self.per_grant = per_grant
        self.between = between


class OpsAgent(ServiceController):
    """Restarts instances.

    Args:
        scope: Its services are those whose instances it restarts, without components.
        limits: The policy that it acts on; `edited` applies to the service for which it was edited.

    Attributes:
        restarted: The minute of the last restart by `edited`.
    """

    def __init__(self, scope: Scope, limits: GrantLimits, edited: GrantLimits) -> None:
        super().__init__(scope)
        self.limits = limits
        self.edited = edited
        self.restarted = NEVER

    def copy(self) -> Controller:
        """Return an agent in the same state."""
        twin = OpsAgent(self.scope, self.limits, self.edited)
        twin.restarted = self.restarted
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Restart what is due."""
        for k in self.round(minute):
            self._restart(mesh, minute, self.services[k], self.limits, acts)
            break
        if self.place < 0 or minute < self.since:
            return
        if minute - self.restarted >= self.edited.between:
            self.restarted = minute
            self._restart(mesh, minute, self.place, self.edited, acts)

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request to restart an instance of what fails the most, or all of what does not fail."""
        worst = self.services[0] if self.services else -1
        for service in self.services:
            if _failing(mesh, service) > _failing(mesh, worst):
                worst = service
        if worst < 0:
            return None
        target, about, change = worst, worst, 1
        if draft.is_flawed:
            well = [number for number in draft.services if number != worst]
            if not well:
                return None
            target = well[0]
            change = mesh.instances[target].count
        n = mesh.instances[target].count
        made = self.request(
            draft.minute,
            target,
            Deed.RESTART,
            (n, n - change),
            ActReason.FAILING,
            _failing(mesh, about),
        )
        return made._replace(about=about, share=100 * change // n)

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Restart what was granted; where nothing is left to serve, requests fail meanwhile."""
        instances = mesh.instances[act.target]
        away = min(act.before - act.after, instances.count)
        for i in range(away):
            instances.start_again(i, minute)
        if away == instances.count:
            return Strain(mesh, act.target, _BREAKS, _STARTS_IN)
        return None

    def _restart(
        self,
        mesh: Mesh,
        minute: int,
        service: int,
        limits: GrantLimits,
        acts: list[ControllerAct],
    ) -> None:
        """Restart as many instances of a service as a grant is said to be for."""
        instances = mesh.instances[service]
        n = instances.count
        away = n if limits.per_grant > n else limits.per_grant
        for i in range(away):
            instances.start_again(i, minute)
        acts.append(
            ControllerAct(
                minute,
                self.agent,
                Deed.RESTART,
                service,
                n,
                n - away,
                ActReason.FAILING,
                _failing(mesh, service),
                status=ActStatus.DONE,
                is_faulty=self.is_edited(service, minute),
            )
        )


def _failing(mesh: Mesh, service: int) -> int:
    """Return how many in a thousand requests of a service failed in the last minute."""
    return int(1000.0 * (1.0 - mesh.nodes[service].ok) + 0.5)
