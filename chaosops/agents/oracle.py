"""The oracle: plays the scenario's own best line, each role its steps in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    RoleView,
)
from chaosops.env.world_sim import Scenario

if TYPE_CHECKING:
    from chaosops.scenarios.schema import SolutionStep


class Oracle:
    """Knows the scenario; sees no more of the episode than the role does."""

    def __init__(self, scenario: Scenario) -> None:
        self._steps = scenario.incident.solution

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """The action for this turn."""
        view = observation.view
        for step in self._steps:
            if step.role is role and not _is_done(step, view):
                return ChaosOpsAction(role, step.action, step.target, step.arguments())
        if role is AgentRole.MANAGER and self._is_over(view):
            return ChaosOpsAction(role, ActionType.RESOLVE)
        return ChaosOpsAction(role, ActionType.NOOP)

    def _is_over(self, view: RoleView) -> bool:
        return (
            all(_is_done(step, view) for step in self._steps)
            and not view.in_flight
            and view.status.users_ok >= view.status.slo
        )


def _is_done(step: SolutionStep, view: RoleView) -> bool:
    if step.action is ActionType.DIAGNOSE:
        cause = FailureType(str(step.args["cause"]))
        return any(made.cause is cause for made in view.diagnoses)
    return any(
        step.matches(item.action_type, item.target, item.args)
        for item in (*view.in_flight, *view.landed)
    )
