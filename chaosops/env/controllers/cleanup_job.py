"""The cleanup job: deletes stored objects of applications that nobody has read for long.

It takes one application after another, and deletes at most so many objects in a run. What is left
over it requests. Objects come of age at a steady rate; by a shorter age there are far more of them,
and many are in use, which a date of the last read does not tell (Travis CI 2016).
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
from chaosops.env.physics.objects import STORED, Objects

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_A_MINUTE: Final = 14.0
_FIRST: Final = 800.0
_LARGE: Final = 9_400.0
_YOUNG: Final = 0.07
_BREAKS: Final = 0.05
_UNTIL_RESTORED: Final = 5


class Retention:
    """The parameters by which objects are deleted.

    Attributes:
        days: Days without a read after which an object is deleted.
        most: Objects in one run at most.
        between: Minutes from one run to the next.
    """

    __slots__ = ("between", "days", "most")

    def __init__(self, days: int, most: int, between: int) -> None:
        self.days = days
        self.most = most
        self.between = between


class CleanupJob(ServiceController):
    """Deletes old objects.

    Args:
        scope: Its services are the applications whose objects it deletes, each with those objects.
        limits: The policy that it acts on; `edited` applies to the service for which it was edited.

    Attributes:
        due: For each service, the objects that are old enough.
        lapses: For each service, the minute in which its open request lapses.
    """

    def __init__(self, scope: Scope, limits: Retention, edited: Retention) -> None:
        super().__init__(scope)
        self.limits = limits
        self.edited = edited
        self.due = [_FIRST + 170.0 * ((3 * k + self.phase) % 7) for k in range(len(self.services))]
        self.due[self.phase % len(self.services)] = _LARGE
        self.lapses = [NEVER] * len(self.services)

    def copy(self) -> Controller:
        """Return a cleanup job in the same state."""
        twin = CleanupJob(self.scope, self.limits, self.edited)
        twin.due = self.due.copy()
        twin.lapses = self.lapses.copy()
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Delete what is old at the service whose turn it is."""
        edited = self.edited
        turn = next(iter(self.round(minute)), -1)
        for k in range(len(self.services)):
            self.due[k] += _A_MINUTE
            if self.lapses[k] == minute:
                acts.append(self._ask(k, minute, ActStatus.LAPSED))
            if self.is_edited(self.services[k], minute):
                if (minute - self.since) % edited.between == 0:
                    young = STORED * _YOUNG * (1.0 - edited.days / max(1, self.limits.days))
                    self._delete(mesh, k, minute, edited, self.due[k] + young, acts)
            elif k == turn:
                self._delete(mesh, k, minute, self.limits, self.due[k], acts)

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request a run that deletes more than the policy allows, or what is still in use."""
        days = max(1, self.limits.days // 8) if draft.is_flawed else self.limits.days
        before = int(STORED)
        away = self.limits.most + 700 + 130 * self.phase
        return self.request(
            draft.minute,
            draft.services[0],
            Deed.DELETE,
            (before, max(0, before - away)),
            ActReason.NOT_READ,
            days,
            not draft.is_flawed,
        )

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Delete what was granted; what is in use fails until it is restored from its versions."""
        if act.target in self.services:
            part = mesh.parts[self.parts[self.services.index(act.target)]]
            assert isinstance(part, Objects)
            part.deleted += act.before - act.after
        if act.value < self.limits.days:
            return Strain(mesh, act.target, _BREAKS, _UNTIL_RESTORED)
        return None

    def _delete(
        self,
        mesh: Mesh,
        k: int,
        minute: int,
        limits: Retention,
        due: float,
        acts: list[ControllerAct],
    ) -> None:
        """Delete what is due, and request what is more than a run may delete."""
        part = mesh.parts[self.parts[k]]
        assert isinstance(part, Objects)
        before = int(STORED - part.deleted)
        away = int(due) if due < limits.most else limits.most
        away = away if away < before else before
        part.deleted += away
        left = self.due[k] - away
        self.due[k] = left if left > 0.0 else 0.0
        acts.append(
            ControllerAct(
                minute,
                self.agent,
                Deed.DELETE,
                self.services[k],
                before,
                before - away,
                ActReason.NOT_READ,
                limits.days,
                is_faulty=limits is self.edited and self.place == self.services[k],
            )
        )
        # By edited limits it asks for nothing: what they allow is what it takes for its policy.
        # By its policy it has one open request at a time.
        if limits is self.limits and self.due[k] >= 1.0 and max(self.lapses) < minute:
            self.lapses[k] = minute + LAPSES_AFTER
            acts.append(self._ask(k, minute, ActStatus.REQUESTED))

    def _ask(self, k: int, minute: int, status: ActStatus) -> ControllerAct:
        left = int(self.due[k])
        before = int(STORED)
        return ControllerAct(
            minute,
            self.agent,
            Deed.DELETE,
            self.services[k],
            before,
            before - left,
            ActReason.NOT_READ,
            self.limits.days,
            status=status,
            lapses=self.lapses[k],
        )
