"""Saying something with an action instead of spending a turn on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from chaosops.env.models import SAY, ActionType, ChaosOpsAction, RoleView

_SPEAKING: Final = frozenset({ActionType.COMMUNICATE, ActionType.ASSIGN})


def with_finding(action: ChaosOpsAction, view: RoleView, finding: int | None) -> ChaosOpsAction:
    """Return the action with a finding that is shared with all, if it can carry one.

    Args:
        finding: Its number; None for none.
    """
    if finding is None or SAY in action.args:
        return action
    if action.action_type in _SPEAKING:
        return action
    return replace(action, args={**action.args, SAY: {"to": "all", "finding": finding}})


def looked_for(action: ChaosOpsAction, view: RoleView) -> ChaosOpsAction:
    """Return a look that somebody asked for, which shares what it finds; others as they are."""
    is_look = action.action_type is ActionType.INVESTIGATE
    return with_finding(action, view, len(view.findings) if is_look else None)
