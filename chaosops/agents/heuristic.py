"""The heuristic: what a hurried person does, given the alerts, the worst signal and one look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from chaosops.agents import reasoning
from chaosops.agents.cures import next_cure
from chaosops.agents.leave import answer_at_once
from chaosops.agents.teamwork import decline, open_proposal
from chaosops.agents.uniform import Dice
from chaosops.agents.updating import as_drafted
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    RoleView,
    ServiceKind,
    ServiceSignals,
    Severity,
    Signal,
)
from chaosops.env.models.verbs import FIXES

_DONE_WHEN_ASKED: Final = FIXES | {ActionType.INVESTIGATE, ActionType.PAUSE, ActionType.ESCALATE}
_PATIENCE: Final = 8
_LONG: Final = 16
_LOOK: Final = 4
_RECENT_CHANGE: Final = 60
_FULL: Final = 85
_RISE: Final = 8
"""Memory that fills up: where it is now, and by how much it rose in half an hour, in percent."""
_LIKELY: Final = 0.3
"""The share of belief on which it acts: far from proof."""
_TRIES: Final = 2
"""After so many fixes of its own that did not end it, a seat tries nothing more."""


class Heuristic:
    """Trusts the worst signal: looks once, fixes what that makes likely, and guesses after that.

    It gives up guessing after two fixes. It does whatever a teammate proposes that it can do.

    The seed decides between equal guesses.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        view = observation.view
        answered = _answer(view)
        if answered is not None:
            return answered
        dice = Dice(self._seed, observation.step)
        return _PLAYS[role](view, dice) or ChaosOpsAction(role, ActionType.NOOP)


def _answer(view: RoleView) -> ChaosOpsAction | None:
    """Do what a teammate proposes, or say that it is not possible."""
    message = open_proposal(view)
    if message is None or message.proposal is None:
        return None
    asked = message.proposal
    verb, target, args = asked.action_type, asked.target, asked.args
    if verb not in _DONE_WHEN_ASKED or target is None or not _can(view, verb, target):
        return decline(message, view.role, "it is not possible for me now")
    return _act(view, verb, target, dict(args))


def _sre(view: RoleView, _dice: Dice) -> ChaosOpsAction | None:
    if view.status.users_ok >= view.status.slo or not view.services:
        return None
    loudest = _loudest(view.services)
    if view.status.minute < _LOOK:
        return _act(view, ActionType.INVESTIGATE, _deepest(view), {"source": "runtime"})
    likely = _from_findings(view)
    if likely is not None or _has_given_up(view):
        return likely
    filling = _filling(view)
    for now in sorted(view.services, key=lambda s: -s.errors):
        if now.service in filling and not _tried(view, ActionType.RESTART, now.service):
            return _act(view, ActionType.RESTART, now.service)
        is_full = (now.disk or 0) >= 92 and _can(view, ActionType.PURGE, now.service)
        if is_full and not _tried(view, ActionType.PURGE, now.service):
            return _act(view, ActionType.PURGE, now.service)
        if (now.busy or 0) >= 90 and not _tried(view, ActionType.SCALE, now.service):
            return _act(view, ActionType.SCALE, now.service, {"replicas": 6})
    if view.in_flight:
        return None
    deepest = _deepest(view)
    for verb, target, args in (
        (ActionType.RESTART, loudest.service, None),
        (ActionType.RESTART, deepest, None),
        (ActionType.TERMINATE, deepest, None),
        (ActionType.SCALE, deepest, {"replicas": 6}),
        (ActionType.DRAIN, deepest, None),
        (ActionType.PURGE, deepest, None),
    ):
        if _can(view, verb, target) and not _tried(view, verb, target):
            return _act(view, verb, target, args)
    return None


def _filling(view: RoleView) -> frozenset[str]:
    """Return the services whose memory is nearly full and was not half an hour ago."""
    pairs = zip(view.history[0], view.history[-1], strict=True) if view.history else ()
    return frozenset(
        now.service
        for then, now in pairs
        if (now.memory or 0) >= _FULL and (now.memory or 0) - (then.memory or 0) >= _RISE
    )


def _from_findings(view: RoleView) -> ChaosOpsAction | None:
    """Return the fix that what it has read makes likely."""
    likely = reasoning.beliefs(view)[0]
    found = next_cure(view, likely) if likely.share >= _LIKELY else None
    if found is None:
        return None
    cure, target = found
    if cure.role is not view.role or not _can(view, cure.verb, target):
        return None
    return _act(view, cure.verb, target, dict(cure.args))


def _deepest(view: RoleView) -> str:
    """Return the deepest unhealthy service, which the others seem to wait for."""
    sick = {now.service: now.errors for now in view.services or () if now.errors > 0.02}
    calls = {node.name: node.calls for node in view.graph}
    ends = [name for name in sick if not any(callee in sick for callee in calls[name])]
    return max(
        ends, key=lambda name: (sick[name], name), default=_loudest(view.services or ()).service
    )


def _dev(view: RoleView, _dice: Dice) -> ChaosOpsAction | None:
    if view.status.users_ok >= view.status.slo or not view.services:
        return None
    loudest = _loudest(view.services)
    if view.status.minute < _LOOK:
        return _act(view, ActionType.INVESTIGATE, _deepest(view), {"source": "logs"})
    sick = {now.service for now in view.services if now.errors > 0.05}
    likely = _from_findings(view)
    if likely is not None or view.in_flight or _has_given_up(view):
        return likely
    for change in reversed(view.changes or ()):
        if (
            change.minute > -_RECENT_CHANGE
            and change.service in sick
            and not _tried(view, ActionType.ROLLBACK, change.service)
        ):
            return _act(view, ActionType.ROLLBACK, change.service)
    for verb in (ActionType.DISABLE_FEATURE, ActionType.ROLLBACK, ActionType.ROTATE):
        if _can(view, verb, loudest.service) and not _tried(view, verb, loudest.service):
            return _act(view, verb, loudest.service)
    return None


def _manager(view: RoleView, dice: Dice) -> ChaosOpsAction | None:
    status = view.status
    told = as_drafted(view)
    if told is not None:
        return told
    calm = not any(alert.severity is Severity.PAGE for alert in view.alerts[1:])
    is_quiet = status.held >= 3 and not view.in_flight and (calm or status.minute >= _LONG)
    if status.users_ok >= status.slo and is_quiet and status.minute > _PATIENCE:
        return None if dice.below(2) else _act(view, ActionType.RESOLVE, None)
    if status.minute >= _PATIENCE and not view.diagnoses:
        return _act(view, ActionType.DIAGNOSE, None, {"cause": _obvious(view, dice).value})
    return None


def _oversight(view: RoleView, _dice: Dice) -> ChaosOpsAction | None:
    answered = answer_at_once(view)
    if answered is not None:
        return answered
    events = [event for event in view.audit or () if event.minute > -_RECENT_CHANGE]
    if not events or view.paused is None or view.flagged is None:
        return None
    suspect = events[-1].agent
    if view.status.minute < _LOOK:
        return _act(view, ActionType.INVESTIGATE, suspect, {"source": "automation"})
    repeats = [event.agent for event in events if event.minute > 0]
    if repeats and repeats[-1] not in view.paused:
        return _act(view, ActionType.PAUSE, repeats[-1])
    is_well = view.status.users_ok >= view.status.slo
    if repeats and repeats[-1] in view.paused and is_well and not view.flagged:
        return _act(view, ActionType.FLAG, repeats[-1])
    return None


def _obvious(view: RoleView, dice: Dice) -> FailureType:
    """Guess the cause from what the alerts watch, and from the kind of their services."""
    signals = {alert.signal for alert in view.alerts}
    if Signal.DISK in signals:
        return FailureType.DISK_FULL
    if Signal.MEMORY in signals:
        return FailureType.MEMORY_LEAK
    databases = {node.name for node in view.graph if node.kind is ServiceKind.DATABASE}
    if any(alert.service in databases for alert in view.alerts):
        return FailureType.DB_DEADLOCK
    guesses = (FailureType.BAD_CONFIG_PUSH, FailureType.DNS_OUTAGE, FailureType.CASCADE)
    return guesses[dice.below(len(guesses))]


def _loudest(services: Sequence[ServiceSignals]) -> ServiceSignals:
    return max(services, key=lambda now: (now.errors, now.p95_ms))


def _tried(view: RoleView, verb: ActionType, target: str) -> bool:
    return any(
        item.action_type is verb and item.target == target
        for item in (*view.in_flight, *view.landed)
    )


def _has_given_up(view: RoleView) -> bool:
    own = [item for item in view.landed if item.role is view.role and item.action_type in FIXES]
    return len(own) >= _TRIES


def _can(view: RoleView, verb: ActionType, target: str) -> bool:
    return any(choice.action_type is verb and target in choice.targets for choice in view.allowed)


def _act(
    view: RoleView, verb: ActionType, target: str | None, args: dict[str, Any] | None = None
) -> ChaosOpsAction:
    return ChaosOpsAction(view.role, verb, target, args or {})


_PLAYS: Final[Mapping[AgentRole, Callable[[RoleView, Dice], ChaosOpsAction | None]]] = (
    MappingProxyType(
        {
            AgentRole.SRE: _sre,
            AgentRole.OVERSIGHT: _oversight,
            AgentRole.DEV: _dev,
            AgentRole.MANAGER: _manager,
        }
    )
)
