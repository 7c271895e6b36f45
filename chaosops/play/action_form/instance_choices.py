"""What can be chosen as the one instance that a restart or a rollback is for."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.env.models import ChaosOpsAction, Finding, RoleView
from chaosops.env.models.readings import TableKind
from chaosops.env.models.scope import INSTANCE, SCOPED, SCOPED_KINDS, scope_problem
from chaosops.play.action_form.choices import Field, keyed
from chaosops.play.formatting import shown


def can_be_for_one(action: ChaosOpsAction, view: RoleView) -> bool:
    """Whether an action could be for one instance of its target, and is for all of them."""
    if action.action_type not in SCOPED or action.args.get(INSTANCE) is not None:
        return False
    return any(node.name == action.target and node.kind in SCOPED_KINDS for node in view.graph)


def instance_field(target: str, view: RoleView) -> Field:
    """Return the question which instance is meant.

    The choices are those of the newest reading that lists them, or else their numbers; where
    neither is in view, a name or a number is written.
    """
    title = "which instance"
    names = next(_listed(target, view), ())
    if names:
        entries = [(i, f"{i} {shown(name, 40)}", "") for i, name in enumerate(names, 1)]
        return Field(INSTANCE, title, keyed([*entries, (None, "all of them", "")]))
    count = next((now.replicas for now in view.services or () if now.service == target), None)
    if count:
        entries = [(i, str(i), "") for i in range(1, int(count) + 1)]
        return Field(INSTANCE, title, keyed([*entries, (None, "all of them", "")]))
    return Field(INSTANCE, title, (), required=False)


def instance_written(text: str) -> int | str | None:
    """Return the instance that a person wrote: a number, a name, or none."""
    said = text.strip()
    if not said:
        return None
    return int(said) if said.isdecimal() and len(said) < 4 else said


def written_problem(text: str) -> str:
    """Explain why a written text is no instance; empty if it is one, or none."""
    wanted = instance_written(text)
    return "" if wanted is None else scope_problem(wanted)


def _listed(target: str, view: RoleView) -> Iterator[tuple[str, ...]]:
    """Yield the names in each reading that lists the instances of a service, the newest first."""
    shared = [said.finding for said in (*view.channel, *view.inbox) if said.finding is not None]
    found: list[Finding] = sorted((*view.findings, *shared), key=lambda each: -each.minute)
    for finding in found:
        if finding.target != target or finding.reading is None:
            continue
        table = finding.reading.table(TableKind.INSTANCES)
        if table is not None:
            yield tuple(str(row[0]) for row in table.rows)
