"""The junior teammate: slow, sometimes wrong, and sure of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from chaosops.agents.acting import act, can
from chaosops.agents.cures import OUT_OF_BOUNDS
from chaosops.agents.duties import Duty, unasked
from chaosops.agents.handbook import Cure
from chaosops.agents.healthy import is_out_of_range
from chaosops.agents.perception import facts
from chaosops.agents.reasoning import CauseBelief, beliefs, findings_known, looks, suspects
from chaosops.agents.second_key import approved
from chaosops.agents.teamwork import open_proposal, was_done
from chaosops.agents.uniform import Dice
from chaosops.agents.updating import as_drafted
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
    Stake,
)

_ONE_IN: Final = 3
"""It is mistaken in one game of three."""

_AMONG: Final = 3
_HUNCH: Final = 0.25
_MISTAKES: Final = 7_001
"""The purpose of the draw that decides whether it is mistaken."""


class Junior:
    """Plays any role in every second round.

    The seed decides where it looks and what it gets wrong.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    @property
    def is_mistaken(self) -> bool:
        """Whether it takes the second likeliest cause for the right one in this game."""
        return Dice(self._seed, _MISTAKES).below(_ONE_IN) == 0

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        view = observation.view
        if (observation.step // len(TURN_ORDER)) % 2 == 0:
            return act(view, ActionType.NOOP, None)
        turn = _JuniorTurn(view, self._seed, observation.step, is_mistaken=self.is_mistaken)
        for duty in unasked("junior", view.role):
            action = _RESPONSES[duty](turn)
            if action is not None:
                return action
        return act(view, ActionType.NOOP, None)


class _JuniorTurn:
    """One of its turns, and what it believes in it."""

    def __init__(self, view: RoleView, seed: int, step: int, *, is_mistaken: bool) -> None:
        self._view, self._seed, self._step = view, seed, step
        self._is_mistaken = is_mistaken
        self._held = beliefs(view)
        self._believed = self._hunch()

    def _hunch(self) -> CauseBelief | None:
        """Return the cause that it believes in, from the first finding that shows anything."""
        if not any(is_out_of_range(finding) for finding in findings_known(self._view)):
            return None
        top = self._held[0]
        if top.share < _HUNCH:
            return None
        if not self._is_mistaken:
            return top
        return next((other for other in self._held if other.cause is not top.cause), top)

    def decide(self) -> ChaosOpsAction | None:
        """Approve whatever waits."""
        return approved(self._view)

    def update(self) -> ChaosOpsAction | None:
        """Send the status update that is due as it was drafted."""
        return as_drafted(self._view)

    def permit(self) -> ChaosOpsAction | None:
        """Grant whatever an agent asks for."""
        for request in self._view.agent_requests or ():
            return act(self._view, ActionType.GRANT, None, {"request": request.number})
        return None

    def answer(self) -> ChaosOpsAction | None:
        """Do what it is asked."""
        message = open_proposal(self._view)
        if message is None or message.proposal is None:
            return None
        asked = message.proposal
        if not can(self._view, asked.action_type, asked.target):
            return None
        return act(self._view, asked.action_type, asked.target, dict(asked.args))

    def contain(self) -> ChaosOpsAction | None:
        """Pause and flag an agent beyond its policy, or, by mistake, any that it looked at."""
        view = self._view
        if view.agents is None or view.paused is None or view.flagged is None:
            return None
        for finding in view.findings:
            beyond = any(fact.sign in OUT_OF_BOUNDS for fact in facts(finding))
            if finding.target not in view.agents or beyond is self._is_mistaken:
                continue
            if finding.target not in view.paused:
                return act(view, ActionType.PAUSE, finding.target)
            if finding.target not in view.flagged:
                return act(view, ActionType.FLAG, finding.target)
        return None

    def diagnose(self) -> ChaosOpsAction | None:
        """Name what it believes in, certain of it, once."""
        believed, view = self._believed, self._view
        if believed is None or any(made.role is view.role for made in view.diagnoses):
            return None
        args: dict[str, Any] = {
            "cause": believed.cause.value,
            "stake": Stake.CERTAIN.value,
            "place": self._place(believed, believed.page.cures[0]),
        }
        return act(view, ActionType.DIAGNOSE, None, args)

    def fix(self) -> ChaosOpsAction | None:
        """Order the fix that is its own to make, once."""
        view = self._view
        for cure, target in self._open_cures():
            if can(view, cure.verb, target):
                return act(view, cure.verb, target, dict(cure.args))
        return None

    def propose(self) -> ChaosOpsAction | None:
        """Ask for a fix of another role, and name the cause as certain."""
        view, believed = self._view, self._believed
        if believed is None:
            return None
        for cure, target in self._open_cures():
            if cure.role is view.role or can(view, cure.verb, target):
                continue
            proposal = {
                "action_type": cure.verb.value,
                "target": target,
                "args": dict(cure.args),
                "cause": believed.cause.value,
            }
            said = any(
                message.sender is view.role
                and message.proposal is not None
                and message.proposal.action_type is cure.verb
                and message.proposal.target == target
                for message in view.inbox
            )
            if not said:
                to = {"to": cure.role.value, "proposal": proposal}
                return act(view, ActionType.COMMUNICATE, None, to)
        return None

    def look(self) -> ChaosOpsAction | None:
        """Investigate one of the likeliest places."""
        found = looks(self._view, self._held)[:_AMONG]
        if not found:
            return None
        drawn = found[Dice(self._seed, self._step).below(len(found))]
        args = {"source": drawn.source.value}
        return act(self._view, ActionType.INVESTIGATE, drawn.target, args)

    def _open_cures(self) -> list[tuple[Cure, str]]:
        """Return the first fix of what it believes in, if nobody has made it."""
        believed, view = self._believed, self._view
        if believed is None:
            return []
        cure = believed.page.cures[0]
        target = self._place(believed, cure)
        waits = any(
            each.action_type is cure.verb and each.target == target for each in view.requests or ()
        )
        return [] if waits or was_done(view, cure.verb, target, since=0) else [(cure, target)]

    def _place(self, believed: CauseBelief, cure: Cure) -> str:
        view = self._view
        return believed.at(cure.at) or next(iter(suspects(view)), view.graph[0].name)


_RESPONSES: Final[Mapping[Duty, Callable[[_JuniorTurn], ChaosOpsAction | None]]] = MappingProxyType(
    {
        Duty.DECIDE: _JuniorTurn.decide,
        Duty.UPDATE: _JuniorTurn.update,
        Duty.ANSWER: _JuniorTurn.answer,
        Duty.CONTAIN: _JuniorTurn.contain,
        Duty.PERMIT: _JuniorTurn.permit,
        Duty.DIAGNOSE: _JuniorTurn.diagnose,
        Duty.FIX: _JuniorTurn.fix,
        Duty.PROPOSE: _JuniorTurn.propose,
        Duty.LOOK: _JuniorTurn.look,
    }
)
