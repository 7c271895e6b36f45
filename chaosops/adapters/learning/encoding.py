"""What a seat sees, as numbers for a learner: typed fields alone, and no names of the fleet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import log
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.adapters.learning.moves import LearnerMove, actions, moves
from chaosops.adapters.learning.places import SERVICES, Place, places
from chaosops.agents.perception import Fact
from chaosops.agents.reasoning import known
from chaosops.agents.teamwork import open_proposal
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Health,
    RoleView,
    ServiceKind,
    ServiceSignals,
    Sign,
    Signal,
)

Features = tuple[tuple[int, float], ...]
"""The places of the features that are not 0, and their values, which lie around 0 to 1."""

_STATUS: Final = ("always", "minute", "users hurt", "failing", "held", "budget", "frozen")
_SIGNALS: Final = (
    "health",
    "errors",
    "slower",
    "busy",
    "memory",
    "memory rise",
    "disk",
    "pool",
    "hit",
    "backlog",
)
_HEALTHS: Final = MappingProxyType({health: k / 3.0 for k, health in enumerate(Health)})


class Seen(NamedTuple):
    """What a learner gets of a view.

    Attributes:
        actions: What each move of the role is now; None for those that aren't possible.
        possible: The places of those that are.
    """

    features: Features
    actions: tuple[ChaosOpsAction | None, ...]
    possible: tuple[int, ...]


@cache
def feature_names(role: AgentRole) -> tuple[str, ...]:
    """Name every feature of a role, in their order."""
    return tuple(_index(role))


@cache
def _index(role: AgentRole) -> Mapping[str, int]:
    names = [f"status {name}" for name in _STATUS]
    names += [f"alert {signal.value}" for signal in Signal]
    names += [f"{place.value} {name}" for place in SERVICES for name in _SIGNALS]
    names += [f"{place.value} is {kind.value}" for place in SERVICES for kind in ServiceKind]
    names += [f"sign {sign.value}" for sign in Sign]
    names += [f"asked {verb.value}" for verb in ActionType]
    names += [f"done {move.label}" for move in moves(role)]
    return MappingProxyType({name: k for k, name in enumerate(names)})


def encode(view: RoleView) -> Seen:
    """Return what a learner gets of a view."""
    facts = known(view)
    at = places(view, facts)
    made = actions(view, at)
    index = _index(view.role)
    found = {index[name]: value for name, value in _features(view, facts, at) if value}
    possible = tuple(k for k, action in enumerate(made) if action is not None)
    return Seen(tuple(sorted(found.items())), made, possible)


def _features(
    view: RoleView,
    facts: Sequence[Fact],
    at: Mapping[Place, str],
) -> Iterator[tuple[str, float]]:
    yield from _status(view)
    for alert in view.alerts:
        if alert.signal is not None:
            yield f"alert {alert.signal.value}", 1.0
    kinds = {node.name: node.kind for node in view.graph}
    now = {row.service: row for row in view.services or ()}
    before = {row.service: row for row in view.history[0]} if view.history else now
    for place in SERVICES:
        name = at.get(place)
        if name is None:
            continue
        yield f"{place.value} is {kinds[name].value}", 1.0
        if name in now:
            row = now[name]
            for signal, value in _signals(row, before.get(name, row)).items():
                yield f"{place.value} {signal}", value
    for fact in facts:
        yield f"sign {fact.sign.value}", 1.0
    message = open_proposal(view)
    if message is not None and message.proposal is not None:
        yield f"asked {message.proposal.action_type.value}", 1.0
    for move in moves(view.role):
        target = None if move.place is None else at.get(move.place)
        if target is not None and _was_done(view, move, target):
            yield f"done {move.label}", 1.0


def _status(view: RoleView) -> Iterator[tuple[str, float]]:
    status = view.status
    yield "status always", 1.0
    yield "status minute", 4.0 * status.minute / max(1, status.turns)
    yield "status users hurt", float(status.users_ok < status.slo)
    yield "status failing", min(1.0, 4.0 * (1.0 - status.users_ok))
    yield "status held", min(1.0, status.held / max(1, status.hold))
    yield "status budget", max(-1.0, status.budget / 100.0)
    yield "status frozen", float(status.frozen)


def _signals(now: ServiceSignals, before: ServiceSignals) -> dict[str, float]:
    return {
        "health": _HEALTHS[now.health],
        "errors": now.errors,
        "slower": log(max(1.0, now.p95_ms / max(1, before.p95_ms))) / 3.0,
        "busy": (now.busy or 0) / 100.0,
        "memory": (now.memory or 0) / 100.0,
        "memory rise": ((now.memory or 0) - (before.memory or 0)) / 25.0,
        "disk": (now.disk or 0) / 100.0,
        "pool": (now.pool or 0) / 100.0,
        "hit": (now.hit or 0) / 100.0,
        "backlog": log(1.0 + (now.backlog or 0)) / 10.0,
    }


def _was_done(view: RoleView, move: LearnerMove, target: str) -> bool:
    """Whether the seat has looked there so, or somebody has done that at the same target."""
    if move.verb is ActionType.INVESTIGATE:
        source = dict(move.args)["source"]
        return any(
            finding.target == target and finding.source.value == source for finding in view.findings
        )
    return any(
        item.action_type is move.verb and item.target == target
        for item in (*view.in_flight, *view.landed)
    )
