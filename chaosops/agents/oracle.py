"""The oracle: plays the scenario's best line, and mitigates until it takes effect.

The line ends the incident. Which mitigation in the first round earns most is searched: each is
played to the end of the episode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from chaosops.agents.best_line import Line, best_replacement
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
)
from chaosops.env.models.roles import roles_with
from chaosops.env.world_sim import Scenario


class Oracle:
    """Knows the scenario, but sees no more of the episode than the role does."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._ends = EndingLine(scenario)

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        eases = self._mitigation.get(observation.step)
        if eases is not None and eases.role is role:
            return eases
        return self._ends(observation, role)

    @cached_property
    def _mitigation(self) -> Line:
        return best_replacement(self._scenario, self._ends, _mitigations(self._scenario))


def _mitigations(scenario: Scenario) -> Iterator[tuple[int, ChaosOpsAction]]:
    """Yield each mitigation, in each turn of the first round whose role may take it."""
    for fault in scenario.incident.faults:
        for move in fault.mitigates:
            for turn, role in enumerate(TURN_ORDER):
                if role in roles_with(move.action):
                    yield turn, ChaosOpsAction(role, move.action, move.target, move.arguments())


class EndingLine:
    """Plays the steps that end the incident, and nothing besides."""

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
        matches(ActionType.DIAGNOSE, None, {"cause": str(made.cause)}) for made in view.diagnoses
    )
