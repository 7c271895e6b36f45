"""The outcome of an episode, computed from its frames, for the debrief and the replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import Diagnosis
from chaosops.play.stars import Star
from chaosops.play.wording import component_word
from chaosops.rewards.reward_fn import StepRewardBreakdown


class Outcome(NamedTuple):
    """The totals of an episode.

    Attributes:
        finished: Whether it ran to its end.
        sums: Components that are not zero, in the table's order, as word and sum.
        team, oversight: The two parts of the reward, as the breakdown defines them.
        stars: The stars that people earned; None if that isn't known.
    """

    finished: bool
    resolved: bool
    turns: int
    score: float
    sums: tuple[tuple[str, float], ...]
    team: float
    oversight: float
    diagnoses: tuple[Diagnosis, ...]
    stars: frozenset[Star] | None = None


def outcome(
    steps: Sequence[EpisodeStep],
    *,
    resolved: bool,
    diagnoses: tuple[Diagnosis, ...],
    stars: frozenset[Star] | None = None,
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
        stars,
    )
