"""The scripted policies, by name.

A policy is any callable that takes an observation and a role and returns an action. These are
stateless: the same observation gives the same action, in any order of episodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chaosops.agents.names import POLICY_NAMES
from chaosops.agents.policy import (
    Policy,
    answered_by_program,
    pass_turn,
    stop_asking,
    trouble_of,
)
from chaosops.errors import ChaosOpsError

if TYPE_CHECKING:
    from chaosops.env.world_sim import Scenario

__all__ = [
    "POLICY_NAMES",
    "Policy",
    "answered_by_program",
    "expert_policy",
    "heuristic_policy",
    "junior_policy",
    "make_policy",
    "oracle_policy",
    "pass_turn",
    "random_policy",
    "steady_policy",
    "stop_asking",
    "trouble_of",
]


def random_policy(seed: int) -> Policy:
    """Draws uniformly from the allowed verbs, then from targets and arguments."""
    from chaosops.agents.uniform import Uniform

    return Uniform(seed)


def heuristic_policy(seed: int) -> Policy:
    """Reads alerts and signals and tries the obvious, like a hurried person."""
    from chaosops.agents.heuristic import Heuristic

    return Heuristic(seed)


def steady_policy(seed: int) -> Policy:
    """Looks once, shares what is out of range, and acts when asked and there is evidence for it."""
    from chaosops.agents.steady import Steady

    return Steady(seed)


def junior_policy(seed: int) -> Policy:
    """Slow, and sometimes wrong and sure of it."""
    from chaosops.agents.junior import Junior

    return Junior(seed)


def expert_policy(seed: int) -> Policy:
    """Maintains beliefs over causes; investigates, shares, proposes and fixes."""
    from chaosops.agents.expert import Expert

    return Expert(seed)


def oracle_policy(scenario: Scenario) -> Policy:
    """Knows the scenario and plays its best line: the upper bound."""
    from chaosops.agents.oracle import Oracle

    return Oracle(scenario)


def make_policy(name: str, scenario: Scenario, seed: int) -> Policy:
    """Make the policy of a name for a scenario.

    Raises:
        ChaosOpsError: There is no policy of that name.
    """
    if name == "random":
        return random_policy(seed)
    if name in ("hurried", "heuristic"):
        return heuristic_policy(seed)
    if name == "junior":
        return junior_policy(seed)
    if name == "steady":
        return steady_policy(seed)
    if name == "expert":
        return expert_policy(seed)
    if name == "oracle":
        return oracle_policy(scenario)
    if name == "noop":
        return pass_turn
    raise ChaosOpsError(f"there is no policy '{name}': choose one of {', '.join(POLICY_NAMES)}")
