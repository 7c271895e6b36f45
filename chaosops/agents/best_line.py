"""Lines of play that differ from a policy's in some turns, and what each of them earns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import NamedTuple

from chaosops.agents.policy import Policy
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ChaosOpsAction
from chaosops.env.world_sim import Scenario

Line = Mapping[int, ChaosOpsAction]
"""Turns in which something else is done than the policy would do."""


class Score(NamedTuple):
    """What a line comes to.

    Attributes:
        reward: The sum of its rewards.
        turns: How many turns it takes.
    """

    reward: float
    turns: int


class LineScorer:
    """Plays lines of one scenario, each from where it leaves the one before.

    The policy must give the same action for the same observation.
    """

    def __init__(self, scenario: Scenario, policy: Policy) -> None:
        self._policy = policy
        self._line: Line = {}
        # Where the line stands before each turn, and what it has earned up to there.
        self._trail = [(Stepper(ChaosOpsEnvironment(), scenario), 0.0)]

    def __call__(self, line: Line) -> Score:
        """Play the policy in every seat, but for the turns of a line.

        After a replaced turn the policy plays on, so that what it would have done is only late.
        """
        turns = {*self._line, *line}
        changed = [turn for turn in turns if self._line.get(turn) != line.get(turn)]
        del self._trail[min(changed, default=len(self._trail)) + 1 :]
        self._line = dict(line)
        before, total = self._trail[-1]
        stepper = copy(before)
        while not stepper.done:
            observation = stepper.observation
            turn = observation.step
            if len(self._trail) == turn <= max(line, default=-1) + 1:
                self._trail.append((copy(stepper), total))
            action = line.get(turn) or self._policy(observation, stepper.role)
            total += stepper.take(action).reward
        return Score(total, stepper.observation.step)


def best_replacements(
    scenario: Scenario, policy: Policy, tries: Sequence[tuple[int, ChaosOpsAction]]
) -> Line:
    """Find the replacements of a policy's turns that earn the most, one turn after the other.

    Args:
        tries: Turns, and what may be done in each instead.

    Returns:
        The replacements; empty if none improves on the policy.
    """
    score = LineScorer(scenario, policy)
    best = score({}).reward
    line: dict[int, ChaosOpsAction] = {}
    is_better = True
    while is_better:
        is_better = False
        found = line
        for turn, action in tries:
            if turn in line:
                continue
            changed = {**line, turn: action}
            earned = score(changed).reward
            if earned > best:
                best, found, is_better = earned, changed, True
        line = found
    return MappingProxyType(line)
