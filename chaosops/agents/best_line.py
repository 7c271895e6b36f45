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
    """Plays lines of one scenario, all from the same opening."""

    def __init__(self, scenario: Scenario, policy: Policy) -> None:
        self._opening = Stepper(ChaosOpsEnvironment(), scenario)
        self._policy = policy

    def __call__(self, line: Line) -> Score:
        """Play the policy in every seat, but for the turns of a line.

        After a replaced turn the policy plays on, so that what it would have done is only late.
        """
        stepper = copy(self._opening)
        total = 0.0
        while not stepper.done:
            observation = stepper.observation
            action = line.get(observation.step) or self._policy(observation, stepper.role)
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
