"""What a termination ends at a service, as far as the role can tell. Needs no screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.models import Finding, RoleView, ServiceKind
from chaosops.env.models.readings import Cell, Table, TableKind
from chaosops.play.formatting import shown

_ENDS: Final[Mapping[ServiceKind, str]] = MappingProxyType(
    {
        ServiceKind.DATABASE: "ends the sessions and transactions that hold others up",
        ServiceKind.QUEUE: "ends the consumers that hold a partition up",
        ServiceKind.APP: "ends the processes and jobs that hold the others up",
    }
)
_GONE: Final = "what they would show is gone"
_MINUTE_S: Final = 60.0


def ends_words(view: RoleView, target: str) -> str:
    """Say what a termination ends at a service, in a line; empty where there is nothing to end.

    At a database it names the session that others wait for, from the newest reading that lists
    its sessions.
    """
    kind = next((node.kind for node in view.graph if node.name == target), None)
    ends = "" if kind is None else _ENDS.get(kind, "")
    if not ends:
        return ""
    if kind is not ServiceKind.DATABASE:
        return f"{ends}; {_GONE}"
    table = next(_session_tables(view, target), None)
    if table is None:
        return f"{ends}; {_GONE}"
    holder = _holder(table)
    if holder:
        return f"ends {holder}; {_GONE}"
    return f"ends its sessions, of which none held another up when you looked; {_GONE}"


def _session_tables(view: RoleView, target: str) -> Iterator[Table]:
    """Yield the lists of a service's sessions that the role has seen, the newest first."""
    shared = [said.finding for said in (*view.channel, *view.inbox) if said.finding is not None]
    found: list[Finding] = sorted((*view.findings, *shared), key=lambda each: -each.minute)
    for finding in found:
        if finding.target == target and finding.reading is not None:
            table = finding.reading.table(TableKind.SESSIONS)
            if table is not None:
                yield table


def _holder(table: Table) -> str:
    """Describe the session at the head of most of those that wait; empty if none waits."""
    places = {column.name: place for place, column in enumerate(table.columns)}
    if not {"pid", "app", "transaction age", "blocked by"} <= places.keys():
        return ""
    pid, app, age, blocker = (
        places[name] for name in ("pid", "app", "transaction age", "blocked by")
    )
    rows = {str(row[pid]): row for row in table.rows}
    behind = {name: str(row[blocker]) for name, row in rows.items() if row[blocker] is not None}
    heads = Counter(_head(name, behind) for name in behind)
    if not heads:
        return ""
    head, waiting = max(heads.items(), key=lambda item: (item[1], item[0]))
    row = rows.get(head)
    others = "1 other waits" if waiting == 1 else f"{waiting} listed sessions wait"
    if row is None:
        return f"session {shown(head, 20)}, for which {others}"
    return f"session {shown(head, 20)} ({_facts(row[app], row[age])}), for which {others}"


def _head(name: str, behind: Mapping[str, str]) -> str:
    """Return the session that one waits for in the end; in a circle, the smallest name of it."""
    seen = [name]
    while (blocker := behind.get(seen[-1])) is not None:
        if blocker in seen:
            return min(seen[seen.index(blocker) :])
        seen.append(blocker)
    return seen[-1]


def _facts(app: Cell, age: Cell) -> str:
    named = shown(str(app), 30)
    if not isinstance(age, int | float):
        return named
    long = f"{age:.0f} s" if age < 2 * _MINUTE_S else f"{age / _MINUTE_S:.0f} min"
    return f"{named}, a transaction of {long}"
