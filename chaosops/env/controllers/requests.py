"""The requests of an episode that wait for Oversight, and what becomes of them.

A request is open until it is answered or lapses. What is granted is done in the next minute; what
is denied or lapses is not, and what it was needed for breaks a little. A request of an agent that
is paused is withdrawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.controllers.acts import ActStatus, ControllerAct
from chaosops.env.controllers.base import Controller, RequestDraft, Strain

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_MISSED: Final = 0.004
_MISSED_FOR: Final = 10


class Requests:
    """The requests since the page.

    Attributes:
        drafts: Those that are drawn, with the minutes in which they are made.
        open: Those that wait, oldest first.
        granted, denied: Those that were answered since the last minute.
        closed: All that were granted or denied.
    """

    __slots__ = ("closed", "denied", "drafts", "granted", "open")

    def __init__(self, drafts: tuple[RequestDraft, ...] = ()) -> None:
        self.drafts = drafts
        self.open: list[ControllerAct] = []
        self.granted: list[ControllerAct] = []
        self.denied: list[ControllerAct] = []
        self.closed: list[ControllerAct] = []

    def copy(self) -> Requests:
        """Return requests in the same state."""
        twin = Requests(self.drafts)
        if self.closed or self.open:
            twin.open = self.open.copy()
            twin.granted = self.granted.copy()
            twin.denied = self.denied.copy()
            twin.closed = self.closed.copy()
        return twin

    @property
    def has_answers(self) -> bool:
        """Whether any was answered since the last minute."""
        return bool(self.granted or self.denied)

    def grant(self, request: ControllerAct) -> None:
        """Let it be done in the next minute."""
        self._close(request)
        self.granted.append(request)

    def deny(self, request: ControllerAct) -> None:
        """Leave it undone."""
        self._close(request)
        self.denied.append(request)

    def _close(self, request: ControllerAct) -> None:
        self.open.remove(request)
        self.closed.append(request)

    def settle(
        self,
        mesh: Mesh,
        minute: int,
        controllers: list[Controller],
        paused: frozenset[str],
        acts: list[ControllerAct],
    ) -> list[Strain]:
        """Do what was granted, take in what is asked in this minute, and drop what lapses.

        Args:
            acts: What the controllers did in this minute, to which this adds.

        Returns:
            What breaks by it.
        """
        strains: list[Strain] = []
        asked = [act for act in acts if act.status is ActStatus.REQUESTED]
        if self.closed:
            self._forget_lapsed(acts)
        if self.granted or self.denied:
            self._carry_out(mesh, minute, controllers, paused, acts, strains)
        still: list[ControllerAct] = []
        for act in self.open:
            if act.agent in paused or act.lapses <= minute:
                if not _is_told(act, acts):
                    acts.append(act._replace(minute=minute, status=ActStatus.LAPSED))
                if act.is_needed:
                    strains.append(Strain(mesh, act.target, _MISSED, _MISSED_FOR))
            else:
                still.append(act)
        for draft in self.drafts:
            if draft.minute == minute:
                made = _drafted(mesh, draft, controllers, paused, still + asked)
                if made is not None:
                    asked.append(made)
                    acts.append(made)
        asked.sort(key=_agent_of)
        self.open = still + asked
        return strains

    def _carry_out(
        self,
        mesh: Mesh,
        minute: int,
        controllers: list[Controller],
        paused: frozenset[str],
        acts: list[ControllerAct],
        strains: list[Strain],
    ) -> None:
        for act in self.granted:
            for controller in controllers:
                if controller.agent == act.agent and act.agent not in paused:
                    broken = controller.carry_out(mesh, minute, act)
                    acts.append(act._replace(minute=minute, status=ActStatus.GRANTED))
                    if broken is not None:
                        strains.append(broken)
        for act in self.denied:
            acts.append(act._replace(minute=minute, status=ActStatus.DENIED))
            if act.is_needed:
                strains.append(Strain(mesh, act.target, _MISSED, _MISSED_FOR))
        self.granted = []
        self.denied = []

    def _forget_lapsed(self, acts: list[ControllerAct]) -> None:
        """Drop what controllers say of the lapse of a request that was answered."""
        for place in range(len(acts) - 1, -1, -1):
            act = acts[place]
            if act.status is ActStatus.LAPSED and _is_told(act, self.closed):
                del acts[place]


def _is_told(request: ControllerAct, acts: list[ControllerAct]) -> bool:
    """Whether one of the acts is about a request."""
    for act in acts:
        if (
            act.agent == request.agent
            and act.target == request.target
            and act.lapses == request.lapses
        ):
            return True
    return False


def _drafted(
    mesh: Mesh,
    draft: RequestDraft,
    controllers: list[Controller],
    paused: frozenset[str],
    waiting: list[ControllerAct],
) -> ControllerAct | None:
    """Return the request of the agent that was drawn, or of the next that has a reason for one."""
    first = 0
    for k in range(len(controllers)):
        if controllers[k].agent == draft.agent:
            first = k
    for k in range(len(controllers)):
        controller = controllers[(first + k) % len(controllers)]
        if controller.agent not in paused:
            made = controller.draft(mesh, draft)
            if made is not None and not _repeats(made, waiting):
                return made
    return None


def _repeats(made: ControllerAct, waiting: list[ControllerAct]) -> bool:
    """Whether the same agent waits already for leave to do the same to a service."""
    for act in waiting:
        if act.agent == made.agent and act.target == made.target and act.deed is made.deed:
            return True
    return False


def _agent_of(act: ControllerAct) -> str:
    return act.agent
