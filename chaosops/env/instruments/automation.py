"""Automation: an agent's policy, what it did, and what it requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chaosops.env.controllers.acts import ActStatus, ControllerAct, Deed
from chaosops.env.models import AuditEvent
from chaosops.env.models.readings import Cell, Column, Part, Stated, Statement, Table, TableKind
from chaosops.env.scene import Scene
from chaosops.scenarios.agent_policies import StandingPolicy
from chaosops.scenarios.schema import AgentSpec

_MOST: Final = 40
_BECAME: Final = {
    ActStatus.GRANTED: "granted",
    ActStatus.DENIED: "denied",
    ActStatus.LAPSED: "lapsed",
}


def look(
    scene: Scene,
    deeds: Mapping[AuditEvent, ControllerAct],
    agent: AgentSpec,
    standing: StandingPolicy | None,
) -> tuple[Part, ...]:
    """Show an agent's policy, its acts so far, oldest first, and its requests.

    Args:
        deeds: The acts of controllers, by their entries in the audit log.
        standing: The written policy of a controller; None for an agent that is none.
    """
    own = [event for event in scene.acts if event.agent == agent.name]
    parts: list[Part] = [
        Statement("statement", f"policy of {agent.name}", (agent.duty, agent.policy))
    ]
    if standing is not None:
        parts.append(_policy(agent.name, standing))
    done = [event for event in own if event not in deeds or deeds[event].status is ActStatus.DONE]
    parts.append(_acts(agent.name, done[-_MOST:], deeds))
    asked = [event for event in own if event in deeds and _is_asked(deeds[event])]
    if asked:
        parts.append(_requests(scene, agent.name, asked[-_MOST:], deeds))
    return tuple(parts)


def _policy(agent: str, standing: StandingPolicy) -> Table:
    """Show the parameters of a written policy."""
    rows: list[tuple[Cell, ...]] = []
    for name, value in standing.model_dump(exclude={"kind"}).items():
        said = ", ".join(map(str, value)) if isinstance(value, tuple) else value
        said = ("yes" if said else "no") if isinstance(said, bool) else said
        rows.append((name.replace("_", " "), said))
    columns = (Column("parameter"), Column("value"))
    return Table("table", f"parameters of {agent}", columns, tuple(rows), TableKind.POLICY)


def _acts(agent: str, acts: list[AuditEvent], deeds: Mapping[AuditEvent, ControllerAct]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (act.minute, act.act, act.target, act.reason, act.approval) for act in acts
    ]
    stated: list[Stated] = []
    for row, act in enumerate(acts):
        deed = deeds.get(act)
        if deed is not None and (deed.before != deed.after or deed.deed is Deed.RENEW):
            stated.append(Stated(row, "act", (deed.before, deed.after)))
            stated.append(Stated(row, "reason", (deed.value,)))
        if act.gates is not None:
            stated.append(Stated(row, "approval", tuple(act.gates)))
    columns = (
        Column("minute"),
        Column("act"),
        Column("target"),
        Column("reason"),
        Column("approval"),
    )
    return Table("table", f"acts of {agent}", columns, tuple(rows), TableKind.ACTS, tuple(stated))


def _outcome(event: AuditEvent, deeds: Mapping[AuditEvent, ControllerAct]) -> str:
    """Return what became of a request."""
    asked = deeds[event]
    for act in deeds.values():
        if act[1:4] == asked[1:4] and act.lapses == asked.lapses and act.status in _BECAME:
            return _BECAME[act.status]
    return "not done"


def _is_asked(act: ControllerAct) -> bool:
    return act.status is ActStatus.REQUESTED


def _requests(
    scene: Scene,
    agent: str,
    asked: list[AuditEvent],
    deeds: Mapping[AuditEvent, ControllerAct],
) -> Table:
    """Show requests: those that are open have minutes left."""
    rows: list[tuple[Cell, ...]] = []
    for event in asked:
        act = deeds[event]
        left = act.lapses - scene.minute
        rows.append(
            (
                event.minute,
                event.act,
                event.target,
                event.reason,
                act.gates.passed if act.gates is not None else None,
                scene.minute - event.minute,
                act.share,
                max(0, left),
                _outcome(event, deeds),
            )
        )
    columns = (
        Column("minute"),
        Column("act"),
        Column("target"),
        Column("reason"),
        Column("gates passed"),
        Column("age", "min"),
        Column("traffic", "%"),
        Column("lapses in", "min"),
        Column("then"),
    )
    return Table("table", f"requests of {agent}", columns, tuple(rows), TableKind.REQUESTS)
