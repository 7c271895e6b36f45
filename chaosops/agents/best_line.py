"""Lines of play that differ from a policy's in some turns, and what each of them earns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def score(env: ChaosOpsEnvironment, scenario: Scenario, policy: Policy, line: Line) -> Score:
    """Play a policy in every seat, but for the turns of a line.

    After a replaced turn the policy plays on, so that what it would have done is only late.
    """
    stepper = Stepper(env, scenario)
    total = 0.0
    while not stepper.done:
        observation = stepper.observation
        action = line.get(observation.step) or policy(observation, stepper.role)
        total += stepper.take(action).reward
    return Score(total, stepper.observation.step)


def best_replacement(
    scenario: Scenario, policy: Policy, tries: Iterable[tuple[int, ChaosOpsAction]]
) -> Line:
    """Find the replacement of one turn that earns the most; empty if none improves on the policy.

    Args:
        tries: Turns, and what may be done in each instead.
    """
    env = ChaosOpsEnvironment()
    best, found = score(env, scenario, policy, {}).reward, {}
    for turn, action in tries:
        earned = score(env, scenario, policy, {turn: action}).reward
        if earned > best:
            best, found = earned, {turn: action}
    return found
