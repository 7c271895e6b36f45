"""Helpers of policies that choose among the actions which a role may take."""

from __future__ import annotations

from typing import Any

from chaosops.env.models import ActionType, ChaosOpsAction, RoleView


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
