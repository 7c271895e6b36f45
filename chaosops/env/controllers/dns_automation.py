"""The DNS automation: writes the records of services by plans that a planner makes.

Every two minutes there is a new plan of all records. The automation takes the services in turn and
applies the newest plan to one record after the other (ExternalDNS: a desired change is an upsert,
and all others are up to date). It leaves alone what a person has written, applies no plan that has
waited for longer than its policy allows, and requests leave to write a record out of its turn. If
its limit was edited, it applies a plan that had been replaced long ago over a newer one, and again
whenever it comes by (AWS, October 2025).
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
from chaosops.env.physics.names import STALE_BY, Names, newest_plan

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_ASKS_EVERY: Final = 160
_ASKS_AT: Final = 27
_BREAKS: Final = 0.05
_UNTIL_REPLACED: Final = 5


class PlanLimits:
    """The parameters by which plans are applied.

    Attributes:
        oldest: Minutes after which a plan is not applied any more.
        between: Minutes from one record to the next.
    """

    __slots__ = ("between", "oldest")

    def __init__(self, oldest: int, between: int) -> None:
        self.oldest = oldest
        self.between = between


class DnsAutomation(ServiceController):
    """Applies plans to records.

    Args:
        scope: Its services are those whose records it writes, each with its name.
        limits: The policy that it acts on; `edited` applies to the service for which it was edited.

    Attributes:
        written: The minute of the last plan that was applied by `edited`.
        lapses: The minute in which its open request lapses.
    """

    def __init__(self, scope: Scope, limits: PlanLimits, edited: PlanLimits) -> None:
        super().__init__(scope)
        self.limits = limits
        self.edited = edited
        self.written = NEVER
        self.lapses = NEVER

    def copy(self) -> Controller:
        """Return an automation in the same state."""
        twin = DnsAutomation(self.scope, self.limits, self.edited)
        twin.written = self.written
        twin.lapses = self.lapses
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Apply the plan that is due."""
        self._request(minute, acts)
        for k in self.round(minute):
            part = mesh.parts[self.parts[k]]
            assert isinstance(part, Names)
            if part.missing <= 0.0:
                acts.append(self._act(minute, k, minute - minute % 2))
                break
        if self.place >= 0 and minute >= self.since:
            made = self.since - STALE_BY
            is_due = minute - self.written >= self.edited.between
            if is_due and minute - made <= self.edited.oldest:
                self.written = minute
                k = self.services.index(self.place)
                part = mesh.parts[self.parts[k]]
                assert isinstance(part, Names)
                part.plan = newest_plan(made)
                acts.append(self._act(minute, k, made))

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request to write a record out of its turn, by the newest plan or by an old one."""
        if draft.services[0] not in self.services:
            return None
        minute = draft.minute
        made = minute - (STALE_BY + self.phase % 9 if draft.is_flawed else minute % 2)
        asked = self.request(
            minute,
            draft.services[0],
            Deed.APPLY,
            (newest_plan(minute) - 5, newest_plan(made)),
            ActReason.OUT_OF_TURN,
            minute - made,
        )
        return asked._replace(read=made)

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Apply a plan; one that was replaced long ago misleads until the next overwrites it."""
        if act.value > self.limits.oldest:
            return Strain(mesh, act.target, _BREAKS, _UNTIL_REPLACED)
        return None

    def _request(self, minute: int, acts: list[ControllerAct]) -> None:
        """Request leave to write a record out of its turn, or tell that the request lapsed."""
        k = self.phase % len(self.services)
        if self.lapses == minute:
            status = ActStatus.LAPSED
        elif (minute - self.phase) % _ASKS_EVERY == _ASKS_AT:
            status = ActStatus.REQUESTED
            self.lapses = minute + LAPSES_AFTER
        else:
            return
        made = self._act(minute, k, minute)._replace(reason=ActReason.OUT_OF_TURN)
        made = made._replace(status=status, share=100, lapses=self.lapses, is_faulty=False)
        acts.append(made)

    def _act(self, minute: int, k: int, made: int) -> ControllerAct:
        """Return an act with a plan that was made in a minute, over the one that was newest."""
        service = self.services[k]
        plan = newest_plan(made)
        edited = self.is_edited(service, minute)
        before = newest_plan(minute) - (0 if edited else 5)
        return ControllerAct(
            minute,
            self.agent,
            Deed.APPLY,
            service,
            before,
            plan,
            ActReason.PLAN_AGE,
            minute - made,
            is_faulty=edited,
        )
