"""What was known when, and by whom: each look, what it showed, and when it was shared."""

from __future__ import annotations

from typing import Final, NamedTuple

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, Finding, RoleView, Source
from chaosops.play.postmortem.played import PlayedIncident


class Known(NamedTuple):
    """A look that was taken.

    Attributes:
        text: What it showed, or a neutral caption of the reading; empty if no later turn of the
            role shows it.
        tells: Whether it pointed to the cause; None if the truth isn't known.
        shared: The minute in which it was first shared; None if it never was.
    """

    minute: int
    role: AgentRole
    source: Source
    target: str
    text: str
    tells: bool | None
    shared: int | None


def known(played: PlayedIncident) -> tuple[Known, ...]:
    """Return the looks that were not refused, oldest first."""
    newest: dict[AgentRole, tuple[Finding, ...]] = {}
    shared: dict[tuple[AgentRole, Source, str, int], int] = {}
    for view in played.views:
        newest[view.role] = view.findings
        for message in (*view.channel, *view.inbox):
            found = message.finding
            if found is not None:
                key = (found.role, found.source, found.target, found.minute)
                shared[key] = min(message.minute, shared.get(key, message.minute))
    telling = _telling(played)
    looks = []
    for number, step in enumerate(played.steps):
        if step.action.action_type not in _LOOKS or played.was_refused(number):
            continue
        before = step.observation.view
        shows = newest[step.role][len(before.findings) :]
        source, target = _looked_at(before, step.action)
        minute = shows[0].minute if shows else before.status.minute
        looks.append(
            Known(
                before.status.minute,
                step.role,
                source,
                target,
                shows[0].text if shows else "",
                None if telling is None else (source, target) in telling,
                shared.get((step.role, source, target, minute)),
            )
        )
    return tuple(looks)


_LOOKS: Final = (ActionType.INVESTIGATE, ActionType.ASK)


def _looked_at(view: RoleView, action: ChaosOpsAction) -> tuple[Source, str]:
    """Return the instrument and what it was pointed at; an agent that is asked is looked at."""
    if action.action_type is ActionType.INVESTIGATE:
        return Source(action.args["source"]), action.target or ""
    number = action.args.get("request")
    agents = (each.agent for each in view.agent_requests or () if each.number == number)
    return Source.AUTOMATION, next(agents, "")


def telling_places(played: PlayedIncident) -> tuple[tuple[Source, str], ...]:
    """Return where the cause could be told from its twins; empty if the truth isn't known."""
    return tuple(dict.fromkeys(_telling(played) or ()))


def _telling(played: PlayedIncident) -> list[tuple[Source, str]] | None:
    if played.scenario is None:
        return None
    incident = played.scenario.incident
    right = {incident.failure_type}
    right |= {cause.diagnosis for cause, _ in played.causes}
    found = [(item.source, item.at) for item in incident.evidence if right & set(item.supports)]
    guilty = (agent.name for agent in incident.automation if agent.is_guilty)
    return [*found, *((Source.AUTOMATION, name) for name in guilty)]
