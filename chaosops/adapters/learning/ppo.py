"""Proximal policy optimisation with a mask, as published, for a linear policy.

A batch of episodes is played with the policy as it is. Then some steps of gradient ascent make
those moves likelier that earned more than expected, and stop where a probability has changed by
more than the clipping range. Moves that are not possible have probability 0 and get no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from random import Random
from typing import Final, NamedTuple

from chaosops.adapters.learning.encoding import Features, encode
from chaosops.adapters.learning.linear import LinearPolicy, dot
from chaosops.adapters.seat_game import SeatGame

_POINTS: Final = 50.0
"""Points that count as 1, so that returns are around 1."""
_BETAS: Final = (0.9, 0.999)
_TINY: Final = 1e-8


class PpoSettings(NamedTuple):
    """How the policy is improved.

    Attributes:
        batch: Episodes that are played between two improvements.
        passes: Steps of gradient ascent for each batch.
        rate: The length of a step.
        clip: By how much the probability of a move may change, as a share of it.
        trace: How far advantages look ahead, from 0, one turn, to 1, to the end.
        entropy: The weight of the entropy, which keeps the policy trying.
    """

    batch: int = 20
    passes: int = 4
    rate: float = 0.05
    clip: float = 0.2
    trace: float = 0.95
    entropy: float = 0.003


class Decision(NamedTuple):
    """A turn as it was taken.

    Attributes:
        chance: The probability of the move when it was drawn.
        paid: Points for it, of which 50 count as 1.
    """

    features: Features
    possible: tuple[int, ...]
    move: int
    chance: float
    paid: float


class _Lesson(NamedTuple):
    decision: Decision
    advantage: float
    earned: float


def play(game: SeatGame, policy: LinearPolicy, random: Random) -> list[Decision]:
    """Play an episode, drawing moves by their probabilities."""
    taken = []
    while not game.done:
        seen = encode(game.observation.view)
        move, chance = policy.sample(seen, random)
        paid = game.take(seen.actions[move])
        taken.append(Decision(seen.features, seen.possible, move, chance, paid / _POINTS))
    return taken


class Ppo:
    """Improves a policy in place, batch by batch."""

    def __init__(self, policy: LinearPolicy, settings: PpoSettings) -> None:
        self._policy = policy
        self._settings = settings
        features = len(policy.value)
        self._rows = [_Adam(weights, settings.rate) for weights in policy.rows]
        self._value = _Adam(policy.value, settings.rate)
        self._features = features

    def improve(self, episodes: Sequence[Sequence[Decision]]) -> None:
        """Improve the policy by what a batch of episodes earned."""
        lessons = self._lessons(episodes)
        if lessons:
            for _pass in range(self._settings.passes):
                self._step(lessons)

    def _lessons(self, episodes: Sequence[Sequence[Decision]]) -> list[_Lesson]:
        """Return each turn with its advantage (GAE, undiscounted), normalised over the batch."""
        found = []
        for episode in episodes:
            ahead = advantage = 0.0
            for decision in reversed(episode):
                expected = dot(self._policy.value, decision.features)
                surprise = decision.paid + ahead - expected
                advantage = surprise + self._settings.trace * advantage
                found.append(_Lesson(decision, advantage, advantage + expected))
                ahead = expected
        if not found:
            return found
        mean = sum(lesson.advantage for lesson in found) / len(found)
        spread = sqrt(sum((lesson.advantage - mean) ** 2 for lesson in found) / len(found))
        return [
            lesson._replace(advantage=(lesson.advantage - mean) / (spread + _TINY))
            for lesson in found
        ]

    def _step(self, lessons: Sequence[_Lesson]) -> None:
        rows: dict[int, list[float]] = {}
        value = [0.0] * self._features
        share = 1.0 / len(lessons)
        for lesson in lessons:
            features = lesson.decision.features
            of_parts: dict[int, float] = {}
            for move, slope in self._slopes(lesson):
                for part in self._policy.parts[move]:
                    of_parts[part] = of_parts.get(part, 0.0) + slope * share
            for part, slope in of_parts.items():
                row = rows.get(part)
                if row is None:
                    row = rows[part] = [0.0] * self._features
                for k, x in features:
                    row[k] += slope * x
            missed = (lesson.earned - dot(self._policy.value, features)) * share
            for k, x in features:
                value[k] += missed * x
        for part in sorted(rows):
            self._rows[part].ascend(rows[part])
        self._value.ascend(value)

    def _slopes(self, lesson: _Lesson) -> list[tuple[int, float]]:
        """Return how the objective changes with the score of each possible move."""
        decision, settings = lesson.decision, self._settings
        chances = self._policy.chances(decision.features, decision.possible)
        ratio = chances[decision.possible.index(decision.move)] / decision.chance
        is_clipped = (
            ratio > 1.0 + settings.clip if lesson.advantage > 0.0 else ratio < 1.0 - settings.clip
        )
        gain = 0.0 if is_clipped else lesson.advantage * ratio
        logs = [log(chance + _TINY) for chance in chances]
        mixed = sum([chance * each for chance, each in zip(chances, logs, strict=True)])
        return [
            (
                move,
                gain * ((move == decision.move) - chance)
                - settings.entropy * chance * (each - mixed),
            )
            for move, chance, each in zip(decision.possible, chances, logs, strict=True)
        ]


class _Adam:
    """Steps of Adam along slopes, for one row of weights, which it changes in place."""

    def __init__(self, weights: list[float], rate: float) -> None:
        self._weights = weights
        self._rate = rate
        self._mean = [0.0] * len(weights)
        self._square = [0.0] * len(weights)
        self._steps = 0

    def ascend(self, slopes: Sequence[float]) -> None:
        self._steps += 1
        keep, keep_square = _BETAS
        mean, square, weights = self._mean, self._square, self._weights
        scale = sqrt(1.0 - keep_square**self._steps) / (1.0 - keep**self._steps) * self._rate
        for k, slope in enumerate(slopes):
            if slope == 0.0 and mean[k] == 0.0:
                continue
            mean[k] = keep * mean[k] + (1.0 - keep) * slope
            square[k] = keep_square * square[k] + (1.0 - keep_square) * slope * slope
            weights[k] += scale * mean[k] / (sqrt(square[k]) + _TINY)
