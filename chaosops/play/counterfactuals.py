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
from chaosops.worker_pool import WorkerPool

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
    scenario: Scenario,
    steps: Sequence[EpisodeStep],
    people: Sequence[int],
    tick: Tick,
    jobs: int = 1,
) -> Hindsight | None:
    """Play the expert's line, and compare each of the person's turns with it.

    A position is worth what experts in every seat would make of it. A turn costs
    the worth of the position before it, less that of the position after it.

    Args:
        people: The turns that people took.
        jobs: The number of processes; 1 is best unless many turns of a moving world are compared.

    Returns:
        None if `tick` stopped it.
    """
    if not tick(0.0):
        return None
    actions = tuple(step.action for step in steps)
    player = _LinePlayer(scenario, actions)
    expert = player.play(0)
    worth: dict[int, float] = {0: expert.score, len(actions): sum(s.reward for s in steps)}
    experts = seat_policies(dict.fromkeys(TURN_ORDER, EXPERT), scenario)
    better = {turn: experts[steps[turn].role](steps[turn].observation, steps[turn].role)
              for turn in people}  # fmt: skip
    compared = [turn for turn in people if not same_act(better[turn], steps[turn].action)]
    positions = dict.fromkeys(place for turn in compared for place in (turn, turn + 1))
    missing = [place for place in positions if place not in worth]
    with WorkerPool(jobs) as pool:
        scores = pool.spread(player.worth, missing, lost=player.worth_without)
        for count, (place, score) in enumerate(zip(missing, scores, strict=True), 1):
            worth[place] = score
            if not tick(count / (len(missing) + 1)):
                return None
    costs = []
    for turn in compared:
        step = steps[turn]
        why = reason_of(experts[step.role], step.observation, step.role)
        lost = max(0.0, worth[turn] - worth[turn + 1])
        costs.append(Cost(turn, step.role, step.action, better[turn], why, lost))
    costs.sort(key=lambda cost: (-cost.lost, cost.turn))
    tick(1.0)
    return Hindsight(expert, tuple(costs))


class _LinePlayer:
    """Plays the expert's lines from the positions of one episode."""

    def __init__(self, scenario: Scenario, actions: Sequence[ChaosOpsAction]) -> None:
        self._scenario = scenario
        self._actions = tuple(actions)
        self._env = ChaosOpsEnvironment()

    def worth(self, turn: int) -> float:
        """Return the score with experts in every seat from a turn on."""
        return self.play(turn).score

    def worth_without(self, turn: int, how: str) -> float:
        """Return the same if the process that was to play it died."""
        return self.worth(turn)

    def play(self, turn: int) -> PolicyGame:
        """Play the turns before one, and then experts in every seat."""
        stepper = Stepper(self._env, self._scenario)
        policies = seat_policies(dict.fromkeys(TURN_ORDER, EXPERT), self._scenario)
        for action in self._actions[:turn]:
            if not stepper.done:
                stepper.take(action)
        while not stepper.done:
            stepper.take(policies[stepper.role](stepper.observation, stepper.role))
        result = stepper.result()
        return PolicyGame(result.steps, result.resolved, sum(step.reward for step in result.steps))


def played_on(scenario: Scenario, before: Sequence[ChaosOpsAction]) -> PolicyGame:
    """Play these turns, and then experts in every seat."""
    return _LinePlayer(scenario, before).play(len(before))
