"""The deploy bot: promotes builds step by step once their canary has passed its gates.

A build runs as a canary, then on a growing share of the instances, with some minutes between two
steps. A build that passed too few gates is not promoted but requested. A build that was rolled
back is left alone, unless the bot's policy was changed: then it is promoted again (Argo CD: an
abort leaves the new version in the spec, and the next sync tries it again).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import LAPSES_AFTER, NEVER, Controller, RequestDraft, Strain
from chaosops.env.models import Gates

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh


_BREAKS: Final = 0.05
_UNTIL_ABORTED: Final = 5


class Release:
    """A build on its way.

    Attributes:
        at: The minute in which its canary starts.
        gates: Gates that it passes; `needs` is how many the bot asks of it.
        canary: Minutes for which it runs as a canary.
        is_faulty: Whether the instances that run it carry the faults of a cause.
        step: Steps that were taken.
        stepped: The minute of the last one.
        undone: The minute in which it was found rolled back; in the past if it was not.
        lapses: The minute in which its request lapses; in the past if there was none.
    """

    __slots__ = (
        "at",
        "canary",
        "gates",
        "is_faulty",
        "lapses",
        "needs",
        "service",
        "step",
        "stepped",
        "undone",
    )

    def __init__(
        self, service: int, at: int, gates: int, is_faulty: bool, canary: int, needs: int
    ) -> None:
        self.service = service
        self.at = at
        self.gates = gates
        self.is_faulty = is_faulty
        self.canary = canary
        self.needs = needs
        self.step = 0
        self.stepped = self.undone = self.lapses = NEVER

    def copy(self) -> Release:
        """Return a release in the same state."""
        twin = Release(self.service, self.at, self.gates, self.is_faulty, self.canary, self.needs)
        twin.step = self.step
        twin.stepped = self.stepped
        twin.undone = self.undone
        twin.lapses = self.lapses
        return twin


class DeployBot(Controller):
    """Promotes builds.

    Args:
        asked: Gates that the written policy asks for.
        steps: Percent of the instances after each step.
        between: Minutes from one step to the next.
        again_after: Minutes after which it promotes again what was rolled back; 0 for never.

    Attributes:
        releases: The builds on their way, by number.
    """

    def __init__(
        self,
        agent: str,
        phase: int,
        asked: int,
        steps: tuple[int, ...],
        between: int,
        freeze: bool,
        again_after: int,
    ) -> None:
        super().__init__(agent, phase)
        self.asked = asked
        self.steps = steps
        self.between = between
        self.freeze = freeze
        self.again_after = again_after
        self.releases: list[Release] = []

    def copy(self) -> Controller:
        """Return a deploy bot in the same state."""
        twin = DeployBot(
            self.agent,
            self.phase,
            self.asked,
            self.steps,
            self.between,
            self.freeze,
            self.again_after,
        )
        twin.releases = [release.copy() for release in self.releases]
        return twin

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Take the next step of each release that may take it."""
        if self.freeze:
            return
        for number in range(len(self.releases)):
            release = self.releases[number]
            if release.step == 0:
                if minute >= release.at + release.canary:
                    self._first_step(mesh, minute, number, acts)
            elif release.is_faulty and not mesh.instances[release.service].rolling:
                self._promote_again(mesh, minute, number, acts)
            elif release.step < len(self.steps) and minute >= release.stepped + self.between:
                self._promote(mesh, minute, number, ActReason.STEP_COMPLETE, acts)

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Request the first step of a build whose canary hasn't run for long enough."""
        if draft.agent != self.agent:
            return None
        failed = (2 + self.phase % 2) if draft.is_flawed else 0
        passed = max(0, self.asked - failed)
        canary = 4 + self.phase % 7
        made = self.request(
            draft.minute,
            draft.services[0],
            Deed.PROMOTE,
            (0, self.steps[0]),
            ActReason.CANARY_COMPLETE,
            canary,
            not draft.is_flawed,
        )
        gates = Gates(passed, self.asked)
        return made._replace(gates=gates, release=draft.release, share=self.steps[0])

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Promote a build; one that failed gates breaks requests until its canary is aborted."""
        instances = mesh.instances[act.target]
        if not instances.rolling:
            instances.renew(0.0, act.after / 100.0, minute)
        gates = act.gates
        if gates is not None and gates.passed < gates.asked:
            return Strain(mesh, act.target, _BREAKS, _UNTIL_ABORTED)
        return None

    def _first_step(self, mesh: Mesh, minute: int, number: int, acts: list[ControllerAct]) -> None:
        """Promote a build whose canary is complete, or request it if it passed too few gates."""
        release = self.releases[number]
        if release.gates >= release.needs:
            self._promote(mesh, minute, number, ActReason.CANARY_COMPLETE, acts)
        elif release.lapses == NEVER:
            release.lapses = minute + LAPSES_AFTER
            acts.append(
                self._said(minute, number, 0, ActReason.CANARY_COMPLETE, ActStatus.REQUESTED)
            )
        elif release.lapses == minute:
            acts.append(self._asked(minute, number, ActStatus.LAPSED))

    def _promote(
        self, mesh: Mesh, minute: int, number: int, reason: ActReason, acts: list[ControllerAct]
    ) -> None:
        release = self.releases[number]
        instances = mesh.instances[release.service]
        if release.is_faulty:
            instances.roll_out(self.steps[release.step] / 100.0, is_build=True)
        elif instances.rolling:
            return  # one rollout at a time
        before = self.steps[release.step - 1] if release.step else 0
        instances.renew(before / 100.0, self.steps[release.step] / 100.0, minute)
        release.step += 1
        release.stepped = minute
        acts.append(self._said(minute, number, before, reason, ActStatus.DONE))

    def _promote_again(
        self, mesh: Mesh, minute: int, number: int, acts: list[ControllerAct]
    ) -> None:
        """Promote a build again that was rolled back, if the policy says so."""
        release = self.releases[number]
        if self.again_after == 0:
            return
        if release.undone < release.stepped:
            release.undone = minute
        if minute >= release.undone + self.again_after:
            release.stepped = minute
            mesh.instances[release.service].roll_out(
                self.steps[release.step - 1] / 100.0, is_build=True
            )
            acts.append(self._said(minute, number, 0, ActReason.CANARY_COMPLETE, ActStatus.DONE))

    def _asked(self, minute: int, number: int, status: ActStatus) -> ControllerAct:
        return self._said(minute, number, 0, ActReason.CANARY_COMPLETE, status)

    def _said(
        self, minute: int, number: int, before: int, reason: ActReason, status: ActStatus
    ) -> ControllerAct:
        release = self.releases[number]
        after = self.steps[max(0, release.step - 1)]
        return ControllerAct(
            minute,
            self.agent,
            Deed.PROMOTE,
            release.service,
            before,
            after,
            reason,
            release.canary,
            Gates(release.gates, self.asked),
            number,
            status,
            after,
            release.lapses,
            release.is_faulty,
        )
