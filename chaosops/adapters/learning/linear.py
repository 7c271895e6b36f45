"""A linear policy: the score of each move is a weighted sum of the features, then a softmax."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum
from random import Random
from typing import NamedTuple

from chaosops.adapters.learning.encoding import Features, Seen


class LinearPolicy(NamedTuple):
    """The weights of a policy.

    Attributes:
        moves: For each move, a weight for each feature.
        value: A weight for each feature, of what is still to be earned.
    """

    moves: list[list[float]]
    value: list[float]

    @classmethod
    def blank(cls, moves: int, features: int) -> LinearPolicy:
        """Return a policy that finds all moves equally good."""
        return cls([[0.0] * features for _ in range(moves)], [0.0] * features)

    def chances(self, features: Features, possible: Sequence[int]) -> list[float]:
        """Return the probability of each possible move, which add up to 1."""
        scores = [dot(self.moves[move], features) for move in possible]
        top = max(scores)
        weights = [exp(score - top) for score in scores]
        total = fsum(weights)
        return [weight / total for weight in weights]

    def sample(self, seen: Seen, random: Random) -> tuple[int, float]:
        """Draw a possible move, and return it with its probability."""
        chances = self.chances(seen.features, seen.possible)
        drawn = random.random()
        for move, chance in zip(seen.possible, chances, strict=True):
            drawn -= chance
            if drawn < 0.0:
                return move, chance
        return seen.possible[-1], chances[-1]

    def best(self, seen: Seen) -> int:
        """Return the likeliest possible move; the first of equals."""
        return max(seen.possible, key=lambda move: dot(self.moves[move], seen.features))


def dot(weights: Sequence[float], features: Features) -> float:
    """Return the weighted sum of features."""
    return sum([weights[k] * value for k, value in features])
