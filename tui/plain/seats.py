"""Changes seats by typed words."""

from __future__ import annotations

from chaosops.agents.registry import PolicyNameError
from chaosops.env.models import AgentRole
from chaosops.play.action_form.typed import CommandError
from chaosops.play.formatting import shown
from chaosops.play.session import Session
from chaosops.play.setup import TEAMMATE


def take_seat(session: Session, words: str) -> None:
    """Give the named seat to a person.

    Raises:
        CommandError: There is no such seat.
    """
    session.seats.take_over(_role(words, "take dev"))


def hand_seat(session: Session, words: str) -> None:
    """Give a seat to a policy, by default the incident's default teammate, or leave it empty.

    Raises:
        ChaosOpsError: There is no such seat or policy, or nobody would be left to play.
    """
    name, _, policy = words.partition(" ")
    role = _role(name, "hand dev expert")
    if session.roster.people == {role}:
        raise CommandError("one seat needs a person: take another one first")
    session.seats.hand_back(role, policy.strip() or TEAMMATE)


def seat_copilot(session: Session, words: str) -> bool:
    """Add or remove the current role's copilot; return whether there is one now.

    Raises:
        CommandError: There is no such policy.
    """
    if words in ("", "off"):
        session.seats.take_over(session.role)
        return False
    try:
        session.seats.set_copilot(session.role, words)
    except PolicyNameError as error:
        raise CommandError(f"{error}, or off") from error
    return True


def _role(name: str, example: str) -> AgentRole:
    try:
        return AgentRole(name.strip().lower())
    except ValueError:
        names = ", ".join(role.value for role in AgentRole)
        raise CommandError(
            f"'{shown(name, 40)}' is not a role: choose from {names}, as in '{example}'"
        ) from None
