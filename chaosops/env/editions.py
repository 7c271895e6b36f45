"""Which world an incident is played in: the one that moves, or the first edition's."""

from __future__ import annotations

from chaosops.env.first_edition import FirstEditionWorld
from chaosops.env.incident_world import IncidentWorld
from chaosops.env.living_world import LivingWorld, TopologyContext
from chaosops.env.world_sim import Fleet
from chaosops.scenarios.drawing import CastIncident
from chaosops.scenarios.scenario import Scenario


class Worlds:
    """Makes the worlds of episodes, and keeps what those on one topology share."""

    def __init__(self) -> None:
        self._fleet: Fleet | None = None
        self._context: TopologyContext | None = None

    def of(self, scenario: Scenario) -> IncidentWorld:
        """A world at the minute of the page.

        Raises:
            CastingError: What the seed has drawn cannot be made as strong as the level wants it.
        """
        if isinstance(scenario.incident, CastIncident):
            self._context = TopologyContext.of(scenario, self._context)
            return LivingWorld(scenario, self._context)
        self._fleet = Fleet.of(scenario, self._fleet)
        return FirstEditionWorld(scenario, self._fleet)
