"""What would have been: the expert's line on the same seed, and what each turn cost.

Everything here re-simulates; nothing of the game itself changes. It may take seconds: run it in a
thread, and give it a `tick` to say how far it is and whether to go on.
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
"""Takes how far it is, 0 to 1; False stops the work."""

EXPERT = "expert"


class PolicyGame(NamedTuple):
    """An episode that was played by policies alone."""

    steps: tuple[EpisodeStep, ...]
    resolved: bool
    score: float


class Cost(NamedTuple):
    """What a person's turn cost, against the expert's move with experts from there on.

    Attributes:
        lost: Points between the two, 0 or more.
        better: The expert's move.
        why: Its reason, in its own words; may be empty.
    """

    turn: int
    role: AgentRole
    taken: ChaosOpsAction
    better: ChaosOpsAction
    why: str
    lost: float


class Hindsight(NamedTuple):
    """What the debrief shows beside what was played.

    Attributes:
        costs: Of the turns that were a person's and differ from the expert's, dearest first.
    """

    expert: PolicyGame
    costs: tuple[Cost, ...]


def hindsight(
    scenario: Scenario, steps: Sequence[EpisodeStep], people: Sequence[int], tick: Tick
) -> Hindsight | None:
    """Play the expert's line, and weigh each of the person's turns against it.

    The worth of a position is what experts in every seat would make of it. What a turn cost is
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
    """The episode with these turns first, and experts in every seat after them."""
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, EXPERT), scenario)
    for action in before:
        if not stepper.done:
            stepper.take(action)
    while not stepper.done:
        stepper.take(policies[stepper.role](stepper.observation, stepper.role))
    result = stepper.result()
    return PolicyGame(result.steps, result.resolved, sum(step.reward for step in result.steps))
