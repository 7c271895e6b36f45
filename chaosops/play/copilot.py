"""The proposal of a person's copilot for the current turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from chaosops.agents.policies import Policy
from chaosops.env.models import ChaosOpsAction
from chaosops.play.action_form.suggestions import Offer, same_act
from chaosops.play.formatting import shown
from chaosops.play.policy_answers import PolicyAnswer
from chaosops.recording.events import Suggestion

if TYPE_CHECKING:
    from chaosops.play.session import Session


class Copilot:
    """Keeps one proposal per turn.

    Attributes:
        suggestion: The proposal for this turn; None until there is one.
    """

    def __init__(self, session: Session, report: Callable[[str], None]) -> None:
        """Start without a proposal.

        Args:
            report: Called with what a person should know about a copilot that failed.
        """
        self._session, self._report = session, report
        self.suggestion: Offer | None = None

    @property
    def policy(self) -> Policy | None:
        """The copilot of the person whose turn it is, if any."""
        session = self._session
        return session.roster.copilots.get(session.role) if session.waits_for_person else None

    def suggest(self, turn: int, answer: PolicyAnswer) -> Offer | None:
        """Set the copilot's proposal; return None if it came too late or is not an action."""
        session = self._session
        if turn != session.turn or self.policy is None:
            return None
        if answer.trouble:
            self._report(f"No proposal from the copilot: {answer.trouble}. Decide without it.")
            return None
        if answer.fault or not isinstance(answer.action, ChaosOpsAction):
            fault = answer.fault or "gave no action"
            self._report(f"The copilot {fault}; decide without it.")
            return None
        name = session.roster.copilot_name(session.role)
        action = replace(answer.action, role=session.role)
        self.suggestion = Offer(action, f"copilot {shown(name, 40)}", answer.reason)
        return self.suggestion

    def is_accepted(self, action: ChaosOpsAction) -> bool:
        """Whether the person's action is the proposed one."""
        offer = self.suggestion
        return offer is not None and same_act(
            offer.action, replace(action, role=self._session.role)
        )

    def recorded(self, *, accepted: bool) -> Suggestion | None:
        """Return the proposal as it is recorded; None if there is none.

        Args:
            accepted: Whether the person did what was proposed.
        """
        offer = self.suggestion
        if offer is None:
            return None
        return Suggestion.model_validate(
            {
                "policy": self._session.roster.copilot_name(self._session.role),
                "action_type": str(offer.action.action_type),
                "target": offer.action.target,
                "args": dict(offer.action.args),
                "reason": offer.why,
                "accepted": accepted,
            }
        )

    def drop(self) -> None:
        """Forget the suggestion: the turn is over, or the seat changed hands."""
        self.suggestion = None
