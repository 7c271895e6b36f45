"""What a role knows, and how likely that makes each root cause.

Everything is computed from one view: the role's own findings, findings that others shared, what the
signals show, and what everyone has seen done.
"""

from __future__ import annotations

from math import exp, fsum
from typing import Final, NamedTuple

from chaosops.agents.runbook import RUNBOOK
from chaosops.env.models import (
    ActionType,
    AgentRole,
    FailureType,
    Finding,
    Health,
    RoleView,
    Sign,
    SignalRows,
    Source,
)

_SETTLING: Final = 6.0
_SLOPE_MINUTES: Final = 8


class KnownSign(NamedTuple):
    """A sign at a service or an agent, and the minute in which it was seen."""

    sign: Sign
    place: str
    minute: int


class Belief(NamedTuple):
    """How likely a cause is.

    Attributes:
        share: Probability, 0 to 1.
        place: The service that it is most likely at; empty if nothing points to one.
        settled: Whether there is evidence close to proof.
    """

    cause: FailureType
    share: float
    place: str
    settled: bool


def findings_known(view: RoleView) -> tuple[Finding, ...]:
    """Return the role's own findings and those shared with it, oldest first."""
    shared = [
        message.finding
        for message in (*view.channel, *view.inbox)
        if message.finding is not None and message.sender is not view.role
    ]
    return tuple(sorted((*view.findings, *shared), key=lambda finding: finding.minute))


def known(view: RoleView) -> tuple[KnownSign, ...]:
    """Return every sign that the role knows, once per place, as it was last seen."""
    seen: dict[tuple[Sign, str], int] = {}
    for finding in findings_known(view):
        for sign in finding.signs:
            seen[sign, finding.target] = finding.minute
    for item in view.landed:
        if item.action_type in (ActionType.PAUSE, ActionType.FLAG):
            seen.setdefault((Sign.BEYOND_POLICY, item.target), item.lands)
    if view.role is AgentRole.SRE and view.history:
        for sign, place in _visible(view.history):
            seen.setdefault((sign, place), view.status.minute)
    return tuple(KnownSign(sign, place, minute) for (sign, place), minute in seen.items())


def _visible(history: tuple[SignalRows, ...]) -> list[tuple[Sign, str]]:
    """Yield the signs that the dashboard shows, now and over its history."""
    shown = []
    for i, (start, now) in enumerate(zip(history[0], history[-1], strict=True)):
        if _steepest(history, i) >= _SLOPE_MINUTES * 0.8:
            shown.append((Sign.HEAP_GROWTH, now.service))
        if (now.memory or 0) >= 85:
            shown.append((Sign.MEMORY_HIGH, now.service))
        if (now.disk or 0) >= 95:
            shown.append((Sign.DISK_NEAR_LIMIT, now.service))
        if (now.pool or 0) >= 95:
            shown.append((Sign.POOL_EXHAUSTED, now.service))
        if (now.lag or 0) >= 30:
            shown.append((Sign.COPIES_BEHIND, now.service))
        if now.hit is not None and start.hit is not None and now.hit < start.hit - 20:
            shown.append((Sign.HIT_RATE_LOW, now.service))
        if any(
            (minute[i].replicas or 0) < (start.replicas or 0) and (minute[i].busy or 0) >= 85
            for minute in history
        ):
            shown.append((Sign.REPLICAS_BELOW_DEMAND, now.service))
    return shown


def _steepest(history: tuple[SignalRows, ...], service: int) -> int:
    """Return the steepest rise of memory over the slope's minutes, in percentage points."""
    memory = [minute[service].memory for minute in history]
    return max(
        (
            later - earlier
            for earlier, later in zip(memory, memory[_SLOPE_MINUTES:], strict=False)
            if earlier is not None and later is not None
        ),
        default=0,
    )


def beliefs(view: RoleView) -> tuple[Belief, ...]:
    """Return every cause, the likeliest first."""
    facts = known(view)
    agents = {
        finding.target for finding in findings_known(view) if finding.source is Source.AUTOMATION
    } | {
        item.target
        for item in view.landed
        if item.action_type in (ActionType.PAUSE, ActionType.FLAG)
    }
    scored = []
    for cause, entry in RUNBOOK.items():
        score = 0.0
        settled = False
        places: dict[str, float] = {}
        for sign, place, _minute in facts:
            weight = entry.weights.get(sign, 0.0)
            if sign in entry.settled_by:
                weight += _SETTLING
                settled = True
            score += weight
            if weight > 0.0 and place not in agents:
                places[place] = places.get(place, 0.0) + weight
        place = max(places, key=lambda name: (places[name], name)) if places else ""
        scored.append((score, cause, place, settled))
    top = max(score for score, *_rest in scored)
    total = fsum(exp(score - top) for score, *_rest in scored)
    made = [
        Belief(cause, exp(score - top) / total, place, settled)
        for score, cause, place, settled in scored
    ]
    return tuple(sorted(made, key=lambda belief: -belief.share))


def roots(view: RoleView) -> tuple[str, ...]:
    """Return unhealthy services without unhealthy dependencies, and those that can't be reached."""
    sick = _sick(view)
    calls = {node.name: node.calls for node in view.graph}
    found = [name for name in sick if not any(callee in sick for callee in calls.get(name, ()))]
    return tuple(sorted(found, key=lambda name: -sick[name]))


def suspects(view: RoleView) -> tuple[str, ...]:
    """Return services to investigate, the likeliest places of the cause first.

    The roots come first, then services that only propagate the failure, then those in a finding,
    a log line or an alert.
    """
    sick = _sick(view)
    order = list(roots(view))
    order += sorted((name for name in sick if name not in order), key=lambda name: -sick[name])
    order += [
        finding.target
        for finding in findings_known(view)
        if finding.source is not Source.AUTOMATION
    ]
    order += [alert.service for alert in view.alerts]
    return tuple(dict.fromkeys(order))


_RANK: Final = {Health.HEALTHY: 0, Health.DEGRADED: 1, Health.CRITICAL: 2, Health.DOWN: 3}


def _sick(view: RoleView) -> dict[str, float]:
    if view.services is not None:
        sick = {
            now.service: _RANK[now.health] + now.errors
            for now in view.services
            if now.health is not Health.HEALTHY
        }
        for name in _unreached(view):
            sick.setdefault(name, 1.0)
        return sick
    if view.health is not None:
        return {
            name: float(_RANK[health])
            for name, health in view.health
            if health is not Health.HEALTHY
        }
    return {alert.service: 1.0 for alert in view.alerts[1:]}


def _unreached(view: RoleView) -> tuple[str, ...]:
    """Return services that get much less traffic than before, or that a log calls unreachable."""
    history = view.history or ()
    full = {
        now.service for now in view.services or () if (now.busy or 0) >= 90 or (now.pool or 0) >= 95
    }
    held_back = {callee for node in view.graph if node.name in full for callee in node.calls}
    fallen = [
        now.service
        for start, now in zip(history[0], history[-1], strict=True)
        if start.rps and now.rps is not None and now.rps < 0.7 * start.rps
        if now.service not in held_back
    ]
    names = {node.name for node in view.graph}
    healthy = {now.service for now in view.services or () if now.health is Health.HEALTHY}
    seen = {now.service for now in view.services or ()}
    named = []
    for line in view.logs or ():
        callee = line.callee
        recent = line.minute > view.status.minute - _SLOPE_MINUTES
        if line.service in full:
            continue
        if recent and callee in names and (callee in healthy or callee not in seen):
            named.append(callee)
    cleared = {
        finding.target
        for finding in findings_known(view)
        if {Sign.NOTHING_UNUSUAL, Sign.NAME_LOOKUP_FINE} & set(finding.signs)
    }
    return tuple(dict.fromkeys(name for name in (*fallen, *named) if name not in cleared))
