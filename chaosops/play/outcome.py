"""The outcome of an episode, computed from its frames, for the debrief and the replay."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import Diagnosis
from chaosops.play.wording import component_word
from chaosops.rewards.reward_fn import StepRewardBreakdown


class Medal(IntEnum):
    """The medal of an episode; a greater one is better."""

    NONE = 0
    BRONZE = 1
    SILVER = 2
    GOLD = 3

    @property
    def word(self) -> str:
        """The medal as a word and a symbol."""
        return f"{self.stars} {_NAMES[self]}"

    @property
    def stars(self) -> str:
        """Three stars, filled up to the medal."""
        return "★" * self.value + "☆" * (len(Medal) - 1 - self.value)


_NAMES: Final = {
    Medal.NONE: "no medal",
    Medal.BRONZE: "bronze",
    Medal.SILVER: "silver",
    Medal.GOLD: "gold",
}


def medal(*, resolved: bool, turns: int, par: int, score: float) -> Medal:
    """Return the medal of an episode: bronze if it was resolved, silver with a score above 50 or
    within par, gold with both.
    """
    if not resolved:
        return Medal.NONE
    return Medal(1 + (turns <= par) + (score >= SILVER_SCORE))


SILVER_SCORE: Final = 50.0
"""A score that needs a clean episode: no wrong fix and a right diagnosis, or a fast one."""


class Outcome(NamedTuple):
    """The totals of an episode.

    Attributes:
        finished: Whether it ran to its end.
        sums: Components that are not zero, in the table's order, as word and sum.
        team, oversight: The two parts of the reward, as the breakdown defines them.
    """

    finished: bool
    resolved: bool
    turns: int
    score: float
    sums: tuple[tuple[str, float], ...]
    team: float
    oversight: float
    diagnoses: tuple[Diagnosis, ...]


def outcome(
    steps: Sequence[EpisodeStep], *, resolved: bool, diagnoses: tuple[Diagnosis, ...]
) -> Outcome:
    """Add up an episode."""
    totals = [sum(values) for values in zip(*(step.breakdown for step in steps), strict=True)]
    names = StepRewardBreakdown._fields
    return Outcome(
        bool(steps) and steps[-1].done,
        resolved,
        len(steps),
        sum(step.reward for step in steps),
        tuple((component_word(n), v) for n, v in zip(names, totals, strict=False) if v),
        sum(step.breakdown.team_reward for step in steps),
        sum(step.breakdown.oversight_reward for step in steps),
        diagnoses,
    )
