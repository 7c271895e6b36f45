"""A linear policy: the score of a move is a weighted sum of the features, then a softmax.

A move's score is that of its parts together, such as "any fix", "any restart" and "restart
deepest", so what is learned of one fix holds for others until they turn out to differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum
from random import Random
from typing import NamedTuple

from chaosops.adapters.learning.encoding import Features, Seen


class LinearPolicy(NamedTuple):
    """The weights of a policy.

    Attributes:
        parts: The parts of each move, as places in `rows`.
        rows: For each part, a weight for each feature.
        value: A weight for each feature, of what is still to be earned.
    """

    parts: tuple[tuple[int, ...], ...]
    rows: list[list[float]]
    value: list[float]

    @classmethod
    def blank(cls, parts: tuple[tuple[int, ...], ...], features: int) -> LinearPolicy:
        """Return a policy that finds all moves equally good."""
        count = 1 + max(part for each in parts for part in each)
        return cls(parts, [[0.0] * features for _ in range(count)], [0.0] * features)

    def scores(self, features: Features, possible: Sequence[int]) -> list[float]:
        """Return the score of each possible move."""
        used = {part for move in possible for part in self.parts[move]}
        of = {part: dot(self.rows[part], features) for part in used}
        return [sum([of[part] for part in self.parts[move]]) for move in possible]

    def chances(self, features: Features, possible: Sequence[int]) -> list[float]:
        """Return the probability of each possible move, which add up to 1."""
        scores = self.scores(features, possible)
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
        scores = self.scores(seen.features, seen.possible)
        return seen.possible[scores.index(max(scores))]


def dot(weights: Sequence[float], features: Features) -> float:
    """Return the weighted sum of features."""
    return sum([weights[k] * value for k, value in features])
