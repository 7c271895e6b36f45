"""Trains a policy for one seat on seeds of some incidents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from chaosops.adapters.learning.encoding import feature_names
from chaosops.adapters.learning.linear import LinearPolicy
from chaosops.adapters.learning.moves import parts
from chaosops.adapters.learning.ppo import Ppo, PpoSettings, play
from chaosops.adapters.seat_game import SeatGame
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.rendering import ScenarioSource


class TrainingPlan(NamedTuple):
    """What a policy is trained on; it decides the weights.

    Attributes:
        others: The policy of the other seats, by name.
        seeds: The seeds of each incident that are played, in turn.
        episodes: How many episodes are played.
        seed: Decides the moves that are drawn.
    """

    role: AgentRole
    others: str
    incidents: tuple[str, ...]
    seeds: tuple[int, ...]
    episodes: int
    seed: int = 0


def train(
    plan: TrainingPlan,
    sources: Sequence[ScenarioSource],
    settings: PpoSettings | None = None,
    after: Callable[[int, float, LinearPolicy], None] = lambda *_: None,
) -> LinearPolicy:
    """Train a policy.

    Args:
        sources: The incidents, in the plan's order.
        after: Called after each episode with how many there were, what the seat earned in this
            one, and the policy as it is by then.

    Raises:
        ChaosOpsError: The others are no policy.
    """
    settings = settings or PpoSettings()
    random = Random(plan.seed)
    policy = LinearPolicy.blank(parts(plan.role), len(feature_names(plan.role)))
    learner = Ppo(policy, settings)
    batch = []
    for k in range(plan.episodes):
        source = sources[k % len(sources)]
        seed = plan.seeds[k // len(sources) % len(plan.seeds)]
        game = SeatGame(Scenario.of(source, seed), plan.role, plan.others)
        batch.append(play(game, policy, random))
        if len(batch) == settings.batch or k == plan.episodes - 1:
            learner.improve(batch)
            batch = []
        after(k + 1, game.score, policy)
    return policy
