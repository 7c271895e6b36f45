"""What a person's copilot offers in the current turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chaosops.agents.candidates import Candidate
from chaosops.agents.policies import Policy
from chaosops.env.models import ChaosOpsAction
from chaosops.play.action_form.suggestions import Offer, same_act
from chaosops.play.formatting import shown
from chaosops.play.policy_answers import PolicyAnswer
from chaosops.recording.suggestions import Suggestion

if TYPE_CHECKING:
    from chaosops.play.session import Session


class Copilot:
    """Keeps what is offered in a turn: up to three different candidates.

    Attributes:
        offers: The candidates of this turn, the best first; none until there are some.
    """

    def __init__(self, session: Session, report: Callable[[str], None]) -> None:
        """Start without an offer.

        Args:
            report: Called with what a person should know about a copilot that failed.
        """
        self._session, self._report = session, report
        self.offers: tuple[Offer, ...] = ()

    @property
    def policy(self) -> Policy | None:
        """The copilot of the person whose turn it is, if any."""
        session = self._session
        return session.roster.copilots.get(session.role) if session.waits_for_person else None

    def suggest(self, turn: int, answer: PolicyAnswer) -> tuple[Offer, ...]:
        """Set what the copilot offers; return none if it came too late or is not an action."""
        session = self._session
        if turn != session.turn or self.policy is None:
            return ()
        if answer.trouble:
            self._report(f"No proposal from the copilot: {answer.trouble}. Decide without it.")
            return ()
        if answer.fault or not isinstance(answer.action, ChaosOpsAction):
            fault = answer.fault or "gave no action"
            self._report(f"The copilot {fault}; decide without it.")
            return ()
        self.offers = self._offers((Candidate(answer.action, answer.reason), *answer.others))
        return self.offers

    def _offers(self, candidates: tuple[Candidate, ...]) -> tuple[Offer, ...]:
        """Return the candidates that differ from those before them."""
        session = self._session
        who = f"copilot {shown(session.roster.copilot_name(session.role), 40)}"
        found: list[Offer] = []
        for action, reason in candidates:
            offer = Offer(replace(action, role=session.role), who, reason)
            if not any(same_act(offer.action, other.action) for other in found):
                found.append(offer)
        return tuple(found)

    def taken(self, action: ChaosOpsAction) -> int | None:
        """Return the index of the candidate that the person's action is; None if it is another."""
        own = replace(action, role=self._session.role)
        places = range(len(self.offers))
        return next((i for i in places if same_act(self.offers[i].action, own)), None)

    def recorded(self, taken: int | None) -> Suggestion | None:
        """Return what was offered as it is recorded; None if nothing was.

        Args:
            taken: The index of the candidate that was taken; None if none was.
        """
        if not self.offers:
            return None
        first, *others = map(_recorded, self.offers)
        several: dict[str, Any] = {"others": tuple(others)} if others else {}
        if others and taken is not None:
            several["taken"] = taken + 1
        return Suggestion.model_validate(
            {
                "policy": self._session.roster.copilot_name(self._session.role),
                **first,
                "accepted": taken is not None,
                **several,
            }
        )

    def drop(self) -> None:
        """Forget the offers: the turn is over, or the seat changed hands."""
        self.offers = ()


def _recorded(offer: Offer) -> dict[str, Any]:
    action = offer.action
    return {
        "action_type": str(action.action_type),
        "target": action.target,
        "args": dict(action.args),
        "reason": offer.why,
    }
