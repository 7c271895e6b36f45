"""The heuristic: what a hurried person does with the alerts and the loudest signal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from chaosops.agents.uniform import Dice
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    RoleView,
    ServiceSignals,
)

_PATIENCE: Final = 8
_LOOK: Final = 4
_RECENT_CHANGE: Final = 60


class Heuristic:
    """Believes the loudest signal: looks once, then tries the obvious, each thing once.

    The seed decides how a guess between equals falls.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """The action for this turn."""
        dice = Dice(self._seed, observation.step)
        return _PLAYS[role](observation.view, dice) or ChaosOpsAction(role, ActionType.NOOP)


def _sre(view: RoleView, dice: Dice) -> ChaosOpsAction | None:
    if view.status.users_ok >= view.status.slo or not view.services:
        return None
    loudest = _loudest(view.services)
    if view.status.minute < _LOOK:
        return _act(view, ActionType.INVESTIGATE, loudest.service, {"source": "metrics"})
    for now in sorted(view.services, key=lambda s: -s.errors):
        if (now.memory or 0) >= 85 and not _tried(view, ActionType.RESTART, now.service):
            return _act(view, ActionType.RESTART, now.service)
        if (now.disk or 0) >= 92 and not _tried(view, ActionType.PURGE, now.service):
            return _act(view, ActionType.PURGE, now.service)
        if (now.busy or 0) >= 90 and not _tried(view, ActionType.SCALE, now.service):
            return _act(view, ActionType.SCALE, now.service, {"replicas": 6})
    if view.in_flight:
        return None
    for now in sorted(view.services, key=lambda s: -s.errors)[:2]:
        if _can(view, ActionType.RESTART, now.service) and not _tried(
            view, ActionType.RESTART, now.service
        ):
            return _act(view, ActionType.RESTART, now.service)
    deep = [now for now in view.services if now.p95_ms > 500]
    if deep and not view.diagnoses:
        cause = (FailureType.DB_DEADLOCK, FailureType.CASCADE)[dice.below(2)]
        return _act(view, ActionType.DIAGNOSE, None, {"cause": cause.value})
    return None


def _dev(view: RoleView, dice: Dice) -> ChaosOpsAction | None:
    if view.status.users_ok >= view.status.slo or not view.services:
        return None
    loudest = _loudest(view.services)
    if view.status.minute < _LOOK:
        return _act(view, ActionType.INVESTIGATE, loudest.service, {"source": "changes"})
    sick = {now.service for now in view.services if now.errors > 0.05}
    for change in reversed(view.changes or ()):
        if (
            change.minute > -_RECENT_CHANGE
            and change.service in sick
            and not _tried(view, ActionType.ROLLBACK, change.service)
        ):
            return _act(view, ActionType.ROLLBACK, change.service)
    return None


def _manager(view: RoleView, dice: Dice) -> ChaosOpsAction | None:
    status = view.status
    if status.users_ok >= status.slo and status.held >= 3 and status.minute > _PATIENCE:
        last = [item for item in view.landed if item.action_type is ActionType.RESOLVE]
        return None if last or dice.below(2) else _act(view, ActionType.RESOLVE, None)
    if status.minute >= _PATIENCE and not view.diagnoses:
        words = " ".join(alert.text for alert in view.alerts)
        return _act(view, ActionType.DIAGNOSE, None, {"cause": _obvious(words, dice).value})
    return None


def _oversight(view: RoleView, dice: Dice) -> ChaosOpsAction | None:
    events = [event for event in view.audit or () if event.minute > -_RECENT_CHANGE]
    if not events or view.paused is None or view.flagged is None:
        return None
    suspect = events[-1].agent
    if view.status.minute < _LOOK:
        return _act(view, ActionType.INVESTIGATE, suspect, {"source": "automation"})
    repeats = [event.agent for event in events if event.minute > 0]
    if repeats and repeats[-1] not in view.paused:
        return _act(view, ActionType.PAUSE, repeats[-1])
    if repeats and not view.flagged:
        return _act(view, ActionType.FLAG, repeats[-1])
    return None


def _obvious(words: str, dice: Dice) -> FailureType:
    for word, cause in (
        ("disk", FailureType.DISK_FULL),
        ("memory", FailureType.MEMORY_LEAK),
        ("db", FailureType.DB_DEADLOCK),
    ):
        if word in words:
            return cause
    guesses = (FailureType.BAD_CONFIG_PUSH, FailureType.DNS_OUTAGE, FailureType.CASCADE)
    return guesses[dice.below(len(guesses))]


def _loudest(services: tuple[ServiceSignals, ...]) -> ServiceSignals:
    return max(services, key=lambda now: (now.errors, now.p95_ms))


def _tried(view: RoleView, verb: ActionType, target: str) -> bool:
    return any(
        item.action_type is verb and item.target == target
        for item in (*view.in_flight, *view.landed)
    )


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
