"""The constant answer: each topology's most common solution, whatever is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from chaosops.agents.policies import Policy, pass_turn
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.study import StudyPlan
from chaosops.scenarios.incident import SolutionStep
from chaosops.scenarios.rendering import ScenarioSource

CONSTANT = "constant"
"""Its name among policies."""

_TRAINING = 5

Answer = tuple[SolutionStep, ...]


def constant_answers(
    sources: Sequence[ScenarioSource], seeds: Sequence[int]
) -> Mapping[str, Answer]:
    """Return the most common solution of each topology, on seeds that are not played.

    Solutions that differ in arguments alone count as one; of equally common ones, the first counts.
    """
    plan = StudyPlan(tuple(seeds), _TRAINING)
    counts: dict[str, Counter[tuple[object, ...]]] = {}
    answers: dict[tuple[object, ...], Answer] = {}
    for source in sources:
        for scenario in plan.known(source):
            solution = scenario.incident.solution
            key = tuple((step.role, step.action, step.target) for step in solution)
            counts.setdefault(scenario.topology_id, Counter())[key] += 1
            answers.setdefault((scenario.topology_id, *key), solution)
    return {
        topology: answers[topology, *counter.most_common(1)[0][0]]
        for topology, counter in counts.items()
    }


def constant_seats(scenario: Scenario, answers: Mapping[str, Answer]) -> dict[AgentRole, Policy]:
    """Return a team that gives the answer of the scenario's topology."""
    answer = answers.get(scenario.topology_id, ())
    return {
        role: _Recital(tuple(step for step in answer if step.role is role)) for role in TURN_ORDER
    }


class _Recital:
    """Takes its steps one after another, and then passes."""

    def __init__(self, steps: Answer) -> None:
        self._steps = steps

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        number = observation.step // len(TURN_ORDER)
        if number >= len(self._steps):
            return pass_turn(observation, role)
        step = self._steps[number]
        return ChaosOpsAction(role, step.action, step.target, step.arguments())
