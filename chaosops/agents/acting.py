"""Helpers for the expert's responses and investigations."""

from __future__ import annotations

from typing import Any, Final

from chaosops.env.models import ActionType, ChaosOpsAction, Health, RoleView

_CHANGES: Final = frozenset(
    {
        ActionType.RESTART,
        ActionType.TERMINATE,
        ActionType.ROLLBACK,
        ActionType.DISABLE_FEATURE,
        ActionType.PURGE,
        ActionType.SCALE,
        ActionType.ROTATE,
        ActionType.DRAIN,
        ActionType.RAISE_LIMIT,
    }
)


def act(
    view: RoleView, verb: ActionType, target: str | None, args: dict[str, Any] | None = None
) -> ChaosOpsAction:
    """Make an action of the view's role."""
    return ChaosOpsAction(view.role, verb, target, args or {})


def can(view: RoleView, verb: ActionType, target: str | None) -> bool:
    """Whether the role may take the action now."""
    return any(
        choice.action_type is verb and (not choice.targets or target in choice.targets)
        for choice in view.allowed
    )


def is_fixed(view: RoleView, place: str) -> bool:
    """Whether an action has landed on a service and it has been healthy since."""
    landed = any(
        item.target == place and item.action_type in _CHANGES and item.lands < view.status.minute
        for item in view.landed
    )
    if not landed or view.services is None:
        return False
    return any(
        now.service == place and now.health is Health.HEALTHY and now.errors < 0.01
        for now in view.services
    )
