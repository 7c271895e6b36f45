"""Decides whose recordings may be used, and removes texts for which there is no consent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from chaosops.env.models import (
    SAY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Message,
    RoleView,
)
from chaosops.recording.events import REPLAYED, ConsentScope, Header, HumanPart, Player, SeatKind
from chaosops.recording.turn_sources import Decider

WITHHELD: Final = "[text withheld]"
"""The placeholder for a person's words without consent."""


def people_in(header: Header, parts: Iterable[tuple[AgentRole, HumanPart]]) -> frozenset[AgentRole]:
    """Return the roles that may have been a person's.

    Those are the seats of people, those that were not recorded, and those in which something else
    than the seat's own policy decided: seats change hands, and a program may stand for a
    person. If turns were repeated from another game, that is unknown, and it is every role.

    Args:
        parts: The role and the human part of each turn.
    """
    policies = {
        role: seat.policy for role, seat in header.seats.items() if seat.kind is SeatKind.SCRIPTED
    }
    scripted = set(policies)
    for role, part in parts:
        if part.policy == REPLAYED:
            return frozenset(AgentRole)
        is_own_program = part.source is Decider.LLM and part.policy == policies.get(role, "")
        if part.source is not Decider.SCRIPTED and not (is_own_program and part.policy):
            scripted.discard(role)
    return frozenset(AgentRole).difference(scripted)


def covers(header: Header, scope: ConsentScope) -> bool:
    """Whether the player agreed to a scope."""
    return header.consent is not None and scope in header.consent.scopes


def who_agrees(
    header: Header, turns: Iterable[tuple[AgentRole, HumanPart]], now: Player | None
) -> Player | None:
    """Return who agrees to the use of a game that begins with turns of another one.

    That is who plays `now`, as far as the player of those turns agreed too, since those turns
    are in both games. If that was someone else, or nobody who agreed, it is nobody.

    Args:
        header: The header of the game that the turns are from.
        turns: The role and the human part of each; without any, only `now` matters.
    """
    taken = list(turns)
    if now is None or not taken or not people_in(header, taken):
        return now
    if header.consent is None or header.pseudonym != now.pseudonym:
        return None
    scopes = tuple(scope for scope in now.consent.scopes if scope in header.consent.scopes)
    return now._replace(consent=now.consent.model_copy(update={"scopes": scopes}))


class Redactor:
    """Removes what people wrote themselves: messages, lines, and the text of refused actions.

    Their actions stay. A refused action stays refused: it still costs the turn when simulated.
    """

    def __init__(self, people: frozenset[AgentRole]) -> None:
        self._people = people

    def observation(self, seen: ChaosOpsObservation) -> ChaosOpsObservation:
        """Return the observation without people's words."""
        if not self._people:
            return seen
        before = TURN_ORDER[TURN_ORDER.index(seen.turn_role) - 1]
        message = _lost(before) if seen.refused else seen.message
        return seen._replace(view=self._view(seen.view), message=message)

    def action(self, action: ChaosOpsAction, *, refused: bool) -> ChaosOpsAction:
        """Return the action without the words of whoever took it.

        Args:
            refused: Whether it was malformed and may have text anywhere.
        """
        if action.role not in self._people:
            return action
        if refused:
            known = isinstance(action.action_type, ActionType)
            verb = action.action_type if known else "withheld"
            return ChaosOpsAction(action.role, verb, None, {"withheld": True})
        args = dict(action.args)
        if args.get("text"):
            args["text"] = WITHHELD
        said = args.get(SAY)
        if isinstance(said, Mapping) and said.get("text"):
            args[SAY] = {**said, "text": WITHHELD}
        return ChaosOpsAction(action.role, action.action_type, action.target, args)

    def _view(self, view: RoleView) -> RoleView:
        impact = view.impact
        if impact is not None:
            doing = tuple(
                item._replace(text=_lost(item.role)) if item.action_type is None else item
                for item in impact.doing
            )
            impact = impact._replace(doing=doing)
        return view._replace(
            channel=self._messages(view.channel), inbox=self._messages(view.inbox), impact=impact
        )

    def _messages(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        return tuple(
            message._replace(text=WITHHELD) if message.sender in self._people else message
            for message in messages
        )


def _lost(role: AgentRole) -> str:
    return f"{role.label} lost the turn"
