"""Choose the world of an incident: the living world, or that of the first edition.

Each is imported when an incident needs it, so that a game can begin sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chaosops.env.episode import Episode
from chaosops.env.incident_world import IncidentWorld
from chaosops.rewards.reward_fn import (
    FIRST_EDITION,
    SECOND_EDITION,
    RewardCalculator,
    RewardWeights,
)
from chaosops.scenarios.drawing import CastIncident
from chaosops.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from chaosops.env.topology_context import TopologyContext
    from chaosops.env.world_sim import Fleet


class Calculators:
    """The reward calculators of both editions; each edition has its own weights by default."""

    def __init__(self, weights: RewardWeights | None) -> None:
        self.first = RewardCalculator(weights or FIRST_EDITION)
        self.second = RewardCalculator(weights or SECOND_EDITION)


def new_episode(scenario: Scenario, world: IncidentWorld, calculators: Calculators) -> Episode:
    """Start an episode in its own world, by the rules of its edition."""
    if isinstance(scenario.incident, CastIncident):
        from chaosops.env.living_episode import LivingEpisode

        return LivingEpisode(scenario, world, calculators.second)
    return Episode(scenario, world, calculators.first)


class Worlds:
    """Makes the worlds of episodes, and caches what worlds on one topology share."""

    def __init__(self) -> None:
        self._fleet: Fleet | None = None
        self._context: TopologyContext | None = None

    def of(self, scenario: Scenario) -> IncidentWorld:
        """Make a world at the minute of the page.

        Raises:
            CastingError: The drawn cause can't be made as strong as the level requires.
        """
        if isinstance(scenario.incident, CastIncident):
            from chaosops.env.living_world import LivingWorld
            from chaosops.env.topology_context import TopologyContext

            self._context = TopologyContext.of(scenario, self._context)
            return LivingWorld(scenario, self._context)
        from chaosops.env.first_edition import FirstEditionWorld
        from chaosops.env.world_sim import Fleet

        self._fleet = Fleet.of(scenario, self._fleet)
        return FirstEditionWorld(scenario, self._fleet)
