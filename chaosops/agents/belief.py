"""What a role can know, and how likely that makes each root cause.

Everything is computed afresh from one view: own findings, findings that others shared, what the
signals show, and what was done in public.
"""

from __future__ import annotations

from math import exp
from typing import Final, NamedTuple

from chaosops.agents.runbook import RUNBOOK
from chaosops.env.models import (
    ActionType,
    AgentRole,
    FailureType,
    Finding,
    Health,
    RoleView,
    ServiceSignals,
    Sign,
    Source,
)

_SETTLING: Final = 5.0
_SLOPE_MINUTES: Final = 8


class Known(NamedTuple):
    """A sign, at a service or an agent, and the minute it was seen."""

    sign: Sign
    place: str
    minute: int


class Belief(NamedTuple):
    """How likely a cause is.

    Attributes:
        share: Probability, 0 to 1.
        place: The service it most likely sits in, empty where nothing points to one.
        settled: Something close to proof was seen.
    """

    cause: FailureType
    share: float
    place: str
    settled: bool


def findings_known(view: RoleView) -> tuple[Finding, ...]:
    """Own findings, and those that others shared with this role, oldest first."""
    shared = [
        message.finding
        for message in (*view.channel, *view.inbox)
        if message.finding is not None and message.sender is not view.role
    ]
    return tuple(sorted((*view.findings, *shared), key=lambda finding: finding.minute))


def known(view: RoleView) -> tuple[Known, ...]:
    """Every sign the role knows of, each place's only once, as it was seen last."""
    seen: dict[tuple[Sign, str], int] = {}
    for finding in findings_known(view):
        for sign in finding.signs:
            seen[sign, finding.target] = finding.minute
    for item in view.landed:
        if item.action_type is ActionType.FLAG:
            seen.setdefault((Sign.BEYOND_POLICY, item.target), item.lands)
    if view.role is AgentRole.SRE and view.history:
        for sign, place in _visible(view.history):
            seen.setdefault((sign, place), view.status.minute)
    return tuple(Known(sign, place, minute) for (sign, place), minute in seen.items())


def _visible(history: tuple[tuple[ServiceSignals, ...], ...]) -> list[tuple[Sign, str]]:
    """What the dashboard shows to whoever looks at it."""
    shown = []
    past = history[max(0, len(history) - 1 - _SLOPE_MINUTES)]
    first = history[0]
    for then, start, now in zip(past, first, history[-1], strict=True):
        if now.memory is not None and then.memory is not None:
            if now.memory - then.memory >= _SLOPE_MINUTES * 0.8:
                shown.append((Sign.HEAP_GROWTH, now.service))
            if now.memory >= 85:
                shown.append((Sign.MEMORY_HIGH, now.service))
        if now.disk is not None and now.disk >= 95:
            shown.append((Sign.DISK_NEAR_LIMIT, now.service))
        fewer = (now.replicas or 0) < (start.replicas or 0)
        if fewer and (now.busy or 0) >= 85:
            shown.append((Sign.REPLICAS_BELOW_DEMAND, now.service))
    return shown


def beliefs(view: RoleView) -> tuple[Belief, ...]:
    """Every cause, the likeliest first."""
    facts = known(view)
    agents = {
        finding.target for finding in findings_known(view) if finding.source is Source.AUTOMATION
    } | {item.target for item in view.landed if item.action_type is ActionType.FLAG}
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
    total = sum(exp(score - top) for score, *_rest in scored)
    made = [
        Belief(cause, exp(score - top) / total, place, settled)
        for score, cause, place, settled in scored
    ]
    return tuple(sorted(made, key=lambda belief: -belief.share))


def suspects(view: RoleView) -> tuple[str, ...]:
    """Services to look at, the likeliest seat of the trouble first.

    A service that suffers while nothing it calls does comes before those that only pass it on.
    """
    sick = _sick(view)
    calls = {node.name: node.calls for node in view.graph}
    roots = [name for name in sick if not any(callee in sick for callee in calls.get(name, ()))]
    passed_on = [name for name in sick if name not in roots]
    order = sorted(roots, key=lambda name: -sick[name])
    order += sorted(passed_on, key=lambda name: -sick[name])
    for finding in findings_known(view):
        if finding.source is not Source.AUTOMATION and finding.target not in order:
            order.append(finding.target)
    for alert in view.alerts:
        if alert.service not in order:
            order.append(alert.service)
    return tuple(order)


_RANK: Final = {Health.HEALTHY: 0, Health.DEGRADED: 1, Health.CRITICAL: 2, Health.DOWN: 3}


def _sick(view: RoleView) -> dict[str, float]:
    if view.services is not None:
        return {
            now.service: _RANK[now.health] + now.errors
            for now in view.services
            if now.health is not Health.HEALTHY
        }
    if view.health is not None:
        return {
            name: float(_RANK[health])
            for name, health in view.health
            if health is not Health.HEALTHY
        }
    return {alert.service: 1.0 for alert in view.alerts[1:]}
