"""Compares policies in one seat on the same games, with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Final, NamedTuple

from chaosops.adapters.seat_game import SeatGame
from chaosops.agents.policies import Policy
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.rendering import ScenarioSource

_Z: Final = 1.96


class SeatPlayed(NamedTuple):
    """What came of one game.

    Attributes:
        seat: What the seat earned.
        team: The reward of the whole team.
    """

    player: str
    incident: str
    seed: int
    seat: float
    team: float
    resolved: bool


class Estimate(NamedTuple):
    """A mean, and half the width of its interval of 95 %."""

    mean: float
    margin: float

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.margin:.1f}"


def compare(
    players: Mapping[str, Callable[[Scenario, int], Policy]],
    role: AgentRole,
    others: str,
    sources: Sequence[ScenarioSource],
    seeds: Sequence[int],
) -> Iterator[SeatPlayed]:
    """Play every incident on every seed with each player in the seat.

    Args:
        players: Makes each player for a scenario and a seed.
        others: The policy of the other seats, by name.
    """
    for source in sources:
        for seed in seeds:
            scenario = Scenario.of(source, seed)
            for name, make in players.items():
                game = SeatGame(scenario, role, others)
                policy = make(scenario, seed)
                while not game.done:
                    game.take(policy(game.observation, role))
                result = game.result
                yield SeatPlayed(
                    name, source.id, seed, game.score, result.cumulative_reward, result.resolved
                )


def estimate(values: Mapping[str, Sequence[float]]) -> Estimate:
    """Return the mean of the incidents' means, over all seeds of just these incidents.

    Args:
        values: The values of each incident; all have the same number.
    """
    means, variances = [], []
    for each in values.values():
        mean = sum(each) / len(each)
        spread = sum((value - mean) ** 2 for value in each) / max(1, len(each) - 1)
        means.append(mean)
        variances.append(spread / len(each))
    many = len(means)
    return Estimate(sum(means) / many, _Z * sqrt(sum(variances)) / many)


def by_incident(
    played: Sequence[SeatPlayed], player: str, value: Callable[[SeatPlayed], float]
) -> dict[str, list[float]]:
    """Return a value of a player's games by incident, in the order of play."""
    found: dict[str, list[float]] = {}
    for game in played:
        if game.player == player:
            found.setdefault(game.incident, []).append(value(game))
    return found


def lead(
    played: Sequence[SeatPlayed], player: str, other: str, value: Callable[[SeatPlayed], float]
) -> Estimate:
    """Return by how much one player is ahead of another, from the differences game by game."""
    mine, theirs = by_incident(played, player, value), by_incident(played, other, value)
    return estimate(
        {
            name: [one - two for one, two in zip(mine[name], theirs[name], strict=True)]
            for name in mine
        }
    )
