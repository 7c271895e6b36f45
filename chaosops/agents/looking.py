"""Choose the expert's investigations by how much it expects to learn."""

from __future__ import annotations

from math import fsum
from typing import Final, NamedTuple

from chaosops.agents.acting import is_fixed
from chaosops.agents.belief import Belief, findings_known, known, roots, suspects
from chaosops.agents.runbook import RUNBOOK
from chaosops.env.models import ActionType, RoleView, ServiceKind, Sign, Source

_LOOK_AGAIN: Final = 12
_NEAR: Final = 40
_DULL_ROOT: Final = 1.2
_DULL_OTHER: Final = 2.0
_INSIDE: Final = frozenset({"runtime", "changes", "config", "traces"})
_DULL: Final = frozenset(
    {
        Sign.NOTHING_UNUSUAL,
        Sign.MEMORY_FLAT,
        Sign.NO_RECENT_CHANGE,
        Sign.CONFIG_UNCHANGED,
        Sign.NAME_LOOKUP_FINE,
    }
)


class Look(NamedTuple):
    """A possible investigation, and how much it would tell."""

    worth: float
    source: Source
    target: str


def looks(view: RoleView, held: tuple[Belief, ...]) -> list[Look]:
    """Return every useful investigation, unordered.

    Args:
        held: The role's beliefs, the likeliest first.
    """
    return _agent_looks(view) if view.agents is not None else _service_looks(view, held)


def _agent_looks(view: RoleView) -> list[Look]:
    """Rank agents by how close their acts are to the onset and to the unhealthy services."""
    looked = {finding.target for finding in findings_known(view)}
    sick = set(suspects(view))
    found = []
    for name in view.agents or ():
        if name in looked:
            continue
        acts = [event for event in view.audit or () if event.agent == name]
        worth = 0.1
        for event in acts:
            near = max(0.0, 1.0 - abs(event.minute) / _NEAR)
            worth = max(worth, near + (1.0 if event.target in sick else 0.0))
        found.append(Look(round(worth, 3), Source.AUTOMATION, name))
    return found


def _service_looks(view: RoleView, held: tuple[Belief, ...]) -> list[Look]:
    sources = next(
        (
            choice.arguments[0].choices
            for choice in view.allowed
            if choice.action_type is ActionType.INVESTIGATE
        ),
        (),
    )
    facts = findings_known(view)
    since = view.status.minute - _LOOK_AGAIN
    looked = {(f.source.value, f.target) for f in facts if f.minute >= since}
    before = {(f.source.value, f.target) for f in facts}
    dull = [f.target for f in facts if _DULL.issuperset(f.signs)]
    foreign = {node.name for node in view.graph if node.kind is ServiceKind.EXTERNAL}
    fixed = {node.name for node in view.graph if is_fixed(view, node.name)}
    likely = roots(view)
    found = []
    for rank, target in enumerate(_in_question(view)[:7]):
        is_root = target in likely
        doubt = 1.0 + 0.3 * rank if is_root else 3.0 + rank
        doubt *= (_DULL_ROOT if is_root else _DULL_OTHER) ** dull.count(target)
        for source in sources:
            if (source, target) in looked or (target in foreign and source in _INSIDE):
                continue
            if target in fixed:
                continue
            worth = fsum(
                belief.share / (1.0 + position)
                for belief in held
                for position, check in enumerate(RUNBOOK[belief.cause].checks)
                if check.role is view.role and check.source.value == source
            )
            if (source, target) in before:
                worth /= 3.0
            found.append(Look(round(worth / doubt, 4), Source(str(source)), target))
    return found


def _in_question(view: RoleView) -> tuple[str, ...]:
    """Return the suspects; if a quota is reached, its callers come first."""
    spent = {fact.place for fact in known(view) if fact.sign is Sign.QUOTA_REACHED}
    callers = [node.name for node in view.graph if spent.intersection(node.calls)]
    return tuple(dict.fromkeys((*callers, *suspects(view))))
