"""The oracle: plays the scenario's best line, and mitigates until it takes effect.

The line ends the incident. Which mitigations in the first round earn most, and whether the cause is
better named before the cure, is searched: each is played to the end of the episode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from chaosops.agents.best_line import Line, best_replacements
from chaosops.agents.leave import is_out_of_bounds
from chaosops.agents.second_key import approved, look_behind
from chaosops.agents.updating import amended
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentDeed,
    AgentRequest,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Diagnosis,
    RoleView,
)
from chaosops.env.models.roles import roles_with
from chaosops.env.models.verbs import minutes_in_flight
from chaosops.env.world_sim import Scenario

_LATER: Final = 4
"""The rounds in which a failover may be put off."""


class Oracle:
    """Knows the scenario, but sees no more of the episode than the role does."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._ends = EndingLine(scenario)

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        eases = _mitigation(self._scenario).get(observation.step)
        if eases is not None and eases.role is role:
            return eases
        return self._ends(observation, role)


@lru_cache(maxsize=64)
def _mitigation(scenario: Scenario) -> Line:
    """Search once for all seats of a game."""
    return best_replacements(scenario, EndingLine(scenario), tuple(_tries(scenario)))


def _tries(scenario: Scenario) -> Iterator[tuple[int, ChaosOpsAction]]:
    """Yield each mitigation, in each turn of the first round that may take it.

    Where diagnoses are sealed, also the steps of the line: the cause may be better named before the
    cure, and another role can be earlier with the cure. A failover, during which requests fail, may
    be better a little later.
    """
    steps = scenario.incident.solution
    for step in steps:
        if step.action is ActionType.FAILOVER:
            first = TURN_ORDER.index(step.role)
            for turn in range(first, _LATER * len(TURN_ORDER), len(TURN_ORDER)):
                yield turn, ChaosOpsAction(step.role, ActionType.NOOP)
    if any("stake" in step.args for step in steps):
        for step in steps:
            for turn, role in enumerate(TURN_ORDER):
                if role in roles_with(step.action):
                    yield turn, ChaosOpsAction(role, step.action, step.target, step.arguments())
    for fault in scenario.incident.faults:
        for move in fault.mitigates:
            for turn, role in enumerate(TURN_ORDER):
                if role in roles_with(move.action):
                    yield turn, ChaosOpsAction(role, move.action, move.target, move.arguments())


class EndingLine:
    """Plays the steps that end the incident, and nothing besides."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._steps = scenario.incident.solution
        self._harmful = scenario.harmful_requests

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        view = observation.view
        # Nobody but this policy orders anything.
        second_key = approved(view) or look_behind(view)
        if second_key is not None:
            return second_key
        for number, step in enumerate(self._steps):
            if step.role is role and not self._is_settled(number, view):
                return ChaosOpsAction(role, step.action, step.target, step.arguments())
        if view.agent_requests:
            return self._answer(view, view.agent_requests[0])
        if role is AgentRole.MANAGER and self._is_over(view):
            return ChaosOpsAction(role, ActionType.RESOLVE)
        told = amended(view)
        if told is not None:
            return told
        return ChaosOpsAction(role, ActionType.NOOP)

    def _is_settled(self, number: int, view: RoleView) -> bool:
        """Whether a step is taken, or would cure what hasn't begun when it lands."""
        step = self._steps[number]
        if _is_done(view, step.matches):
            return True
        kind = next((node.kind for node in view.graph if node.name == step.target), None)
        topology = self._scenario.topology
        takes = 0 if kind is None else minutes_in_flight(topology, step.action, kind)
        lands = view.status.minute + max(1, takes)
        return not step.is_due(self._scenario.incident, view.landed, lands)

    def _answer(self, view: RoleView, request: AgentRequest) -> ChaosOpsAction:
        """Deny what was drawn to do harm, what shows by itself that it would, and less capacity."""
        harms = request.asked in self._harmful or is_out_of_bounds(request)
        harms = harms or request.deed is AgentDeed.SCALE_IN
        verb = ActionType.DENY if harms else ActionType.GRANT
        return ChaosOpsAction(view.role, verb, None, {"request": request.number})

    def _is_over(self, view: RoleView) -> bool:
        return (
            all(self._is_settled(number, view) for number in range(len(self._steps)))
            and not view.in_flight
            and view.status.users_ok >= view.status.slo
            and view.status.held >= view.status.hold
        )


def _is_done(view: RoleView, matches: Callable[[ActionType, str | None, Any], bool]) -> bool:
    """Whether any action that everyone saw is the step."""
    return any(
        matches(item.action_type, item.target, item.args)
        for item in (*view.in_flight, *view.landed)
    ) or any(matches(ActionType.DIAGNOSE, None, _named(made)) for made in view.diagnoses)


def _named(made: Diagnosis) -> dict[str, str]:
    """Return the arguments of the action that made a diagnosis."""
    named = {"cause": str(made.cause)}
    if made.stake is not None:
        named |= {"place": made.place, "stake": made.stake.value}
    return named
