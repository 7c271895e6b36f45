"""What others want a role to do: its copilot's proposal and its teammates' requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from chaosops.agents.teamwork import was_done
from chaosops.agents.updating import as_drafted
from chaosops.env.actions import HINT, ActionBook
from chaosops.env.models import (
    SAY,
    TURN_ORDER,
    AgentRole,
    ChaosOpsAction,
    Message,
    RoleView,
    VerbChoice,
)
from chaosops.env.models.failures import OwnCause
from chaosops.env.world_sim import Scenario
from chaosops.play.formatting import ROLE_NAMES, shown

_FRESH: Final = 8
"""Minutes for which a proposal is valid."""
_MOST: Final = 3
"""How many proposals are shown at once."""


class Offer(NamedTuple):
    """An action that can be accepted as it is.

    Attributes:
        who: Who wants it, such as "Dev" or "copilot expert".
        why: The reason, one line; may be empty.
    """

    action: ChaosOpsAction
    who: str
    why: str


def proposals_to(view: RoleView) -> tuple[Offer, ...]:
    """Return the draft of an update that is due, then teammates' requests, the newest first."""
    found: list[Offer] = []
    draft = as_drafted(view)
    if draft is not None:
        found.append(Offer(draft, "The draft", "It may be out of date in one point."))
    for message in sorted((*view.channel, *view.inbox), key=lambda said: -said.minute):
        offer = _offer(view, message)
        if offer is not None and all(offer.action != other.action for other in found):
            found.append(offer)
    return tuple(found[:_MOST])


def _offer(view: RoleView, message: Message) -> Offer | None:
    wanted = message.proposal
    if wanted is None or message.to is not view.role or message.sender is view.role:
        return None
    if message.minute < view.status.minute - _FRESH or _is_answered(view, message):
        return None
    if was_done(view, wanted.action_type, wanted.target, since=message.minute):
        return None
    may = any(
        choice.action_type is wanted.action_type
        and (wanted.target in choice.targets if choice.targets else wanted.target is None)
        for choice in view.allowed
    )
    if not may:
        return None
    action = ChaosOpsAction(view.role, wanted.action_type, wanted.target, wanted.args)
    return Offer(action, ROLE_NAMES[message.sender], shown(message.text, 300))


def _is_answered(view: RoleView, message: Message) -> bool:
    return any(
        said.sender is view.role and said.to is message.sender and said.minute > message.minute
        for said in (*view.channel, *view.inbox)
    )


def same_act(one: ChaosOpsAction, other: ChaosOpsAction) -> bool:
    """Whether two actions are the same apart from the hints paid and what is said with them."""
    return (one.action_type, one.target, _bare(one)) == (
        other.action_type,
        other.target,
        _bare(other),
    )


def _bare(action: ChaosOpsAction) -> dict[str, object]:
    """Return arguments without hints and lines, with empty ones in a proposal that has none."""
    args: dict[str, object] = {}
    for name, value in action.args.items():
        if name == "proposal" and isinstance(value, Mapping):
            args[name] = {key: part for key, part in value.items() if key != "args" or part}
        elif name not in (HINT, SAY):
            args[name] = value
    return args


def offers_of(scenario: Scenario) -> dict[AgentRole, tuple[VerbChoice, ...]]:
    """Return what each role can be asked for, from public facts: the fleet and its agents."""
    agents = tuple(sorted(agent.name for agent in scenario.incident.automation))
    book = ActionBook(scenario.topology, agents, causes=scenario.incident.diagnosable)
    return {role: book.allowed(role, (), ()) for role in TURN_ORDER}


def own_causes_of(scenario: Scenario) -> dict[str, OwnCause]:
    """Return the causes of authors among those that a diagnosis can name, by name."""
    return {own.name: own for own in scenario.incident.own_causes}
