"""The oracle: plays the scenario's best line, each role its steps in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
)
from chaosops.env.world_sim import Scenario


class Oracle:
    """Knows the scenario, but sees no more of the episode than the role does."""

    def __init__(self, scenario: Scenario) -> None:
        self._steps = scenario.incident.solution

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        view = observation.view
        for step in self._steps:
            if step.role is role and not _is_done(view, step.matches):
                return ChaosOpsAction(role, step.action, step.target, step.arguments())
        if role is AgentRole.MANAGER and self._is_over(view):
            return ChaosOpsAction(role, ActionType.RESOLVE)
        return ChaosOpsAction(role, ActionType.NOOP)

    def _is_over(self, view: RoleView) -> bool:
        return (
            all(_is_done(view, step.matches) for step in self._steps)
            and not view.in_flight
            and view.status.users_ok >= view.status.slo
        )


def _is_done(view: RoleView, matches: Callable[[ActionType, str | None, Any], bool]) -> bool:
    """Whether any action that everyone saw is the step."""
    return any(
        matches(item.action_type, item.target, item.args)
        for item in (*view.in_flight, *view.landed)
    ) or any(
        matches(ActionType.DIAGNOSE, None, {"cause": made.cause.value}) for made in view.diagnoses
    )
