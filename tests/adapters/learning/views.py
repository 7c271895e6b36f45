"""Views of games under way, for the tests of the learner."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from chaosops.adapters.learning.encoding import encode
from chaosops.adapters.seat_game import SeatGame
from chaosops.env.models import AgentRole, ChaosOpsObservation
from tests.worlds import scenario


def played(name: str, role: AgentRole, seed: int = 0, others: str = "expert") -> SeatGame:
    """A game that a learner which knows nothing played to its end."""
    game, random = SeatGame(scenario(name, seed), role, others), Random(seed)
    while not game.done:
        seen = encode(game.observation.view)
        game.take(seen.actions[random.choice(seen.possible)])
    return game


def observations(name: str, role: AgentRole, seed: int = 0) -> Iterator[ChaosOpsObservation]:
    """What the seat saw at its turns."""
    for step in played(name, role, seed).steps:
        if step.role is role:
            yield step.observation
