"""Puts policies into seats."""

from __future__ import annotations

from collections.abc import Mapping

from chaosops.agents.policies import Policy
from chaosops.agents.registry import Policies
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario


def seat_policies(
    names: Mapping[AgentRole, str], scenario: Scenario, policies: Policies | None = None
) -> dict[AgentRole, Policy]:
    """Make the policies of one episode.

    Each seat has its own seed, derived from the scenario's: two seats with the same
    policy draw different numbers, and the same episode always has the same players.

    Args:
        policies: Makes the policies by name; by default all but those of a family.

    Raises:
        ChaosOpsError: There is no policy of that name.
    """
    made = policies or Policies()
    return {
        role: made.make(names[role], scenario, scenario.seed * len(TURN_ORDER) + index)
        for index, role in enumerate(TURN_ORDER)
        if role in names
    }
