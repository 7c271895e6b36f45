"""Automation: an agent's policy and what it did."""

from __future__ import annotations

from typing import Final

from chaosops.env.models.readings import Cell, Column, Part, Stated, Statement, Table, TableKind
from chaosops.env.scene import Scene

_MOST: Final = 40


def look(scene: Scene, agent: str, duty: str, policy: str) -> tuple[Part, ...]:
    """Show an agent's policy and its acts so far, oldest first."""
    acts = [act for act in scene.acts if act.agent == agent][-_MOST:]
    rows: list[tuple[Cell, ...]] = [
        (act.minute, act.act, act.target, act.reason, act.approval) for act in acts
    ]
    stated = tuple(
        Stated(row, "approval", tuple(act.gates))
        for row, act in enumerate(acts)
        if act.gates is not None
    )
    columns = (
        Column("minute"),
        Column("act"),
        Column("target"),
        Column("reason"),
        Column("approval"),
    )
    return (
        Statement("statement", f"policy of {agent}", (duty, policy)),
        Table("table", f"acts of {agent}", columns, tuple(rows), TableKind.ACTS, stated),
    )
