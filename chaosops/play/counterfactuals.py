"""Counterfactuals: the expert's line on the same seed, and what each turn cost.

This simulates again and doesn't change the game. It may take seconds: run it in a
thread, with a `tick` that reports progress and decides whether to continue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.suggestions import same_act
from chaosops.play.policy_answers import reason_of

Tick = Callable[[float], bool]
"""Called with the progress, 0 to 1; returning False stops the work."""

EXPERT = "expert"


class PolicyGame(NamedTuple):
    """An episode that was played by policies only."""

    steps: tuple[EpisodeStep, ...]
    resolved: bool
    score: float


class Cost(NamedTuple):
    """What a person's turn cost, compared with the expert's move and experts from there on.

    Attributes:
        lost: The difference in points, 0 or more.
        better: The expert's move.
        why: The expert's reason for it; may be empty.
    """

    turn: int
    role: AgentRole
    taken: ChaosOpsAction
    better: ChaosOpsAction
    why: str
    lost: float


class Hindsight(NamedTuple):
    """What the debrief shows besides the game itself.

    Attributes:
        costs: The cost of each person's turn that differs from the expert's, highest first.
    """

    expert: PolicyGame
    costs: tuple[Cost, ...]


def hindsight(
    scenario: Scenario, steps: Sequence[EpisodeStep], people: Sequence[int], tick: Tick
) -> Hindsight | None:
    """Play the expert's line, and compare each of the person's turns with it.

    A position is worth what experts in every seat would make of it. A turn costs
    the worth of the position before it, less that of the position after it.

    Args:
        people: The turns that people took.

    Returns:
        None if `tick` stopped it.
    """
    if not tick(0.0):
        return None
    actions = [step.action for step in steps]
    expert = played_on(scenario, ())
    worth: dict[int, float] = {0: expert.score, len(actions): sum(s.reward for s in steps)}

    def worth_at(turn: int) -> float:
        if turn not in worth:
            worth[turn] = played_on(scenario, actions[:turn]).score
        return worth[turn]

    experts = seat_policies(dict.fromkeys(TURN_ORDER, EXPERT), scenario)
    costs = []
    for count, turn in enumerate(people):
        step = steps[turn]
        better = experts[step.role](step.observation, step.role)
        if not same_act(better, step.action):
            why = reason_of(experts[step.role], step.observation, step.role)
            lost = max(0.0, worth_at(turn) - worth_at(turn + 1))
            costs.append(Cost(turn, step.role, step.action, better, why, lost))
        if not tick((count + 1) / len(people)):
            return None
    costs.sort(key=lambda cost: (-cost.lost, cost.turn))
    tick(1.0)
    return Hindsight(expert, tuple(costs))


def played_on(scenario: Scenario, before: Sequence[ChaosOpsAction]) -> PolicyGame:
    """Play these turns, and then experts in every seat."""
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, EXPERT), scenario)
    for action in before:
        if not stepper.done:
            stepper.take(action)
    while not stepper.done:
        stepper.take(policies[stepper.role](stepper.observation, stepper.role))
    result = stepper.result()
    return PolicyGame(result.steps, result.resolved, sum(step.reward for step in result.steps))
