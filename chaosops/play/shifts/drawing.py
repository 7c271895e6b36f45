"""Draws the incidents of a shift: proven seeds of different situations on one fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.proven_seeds import LEVELS, ProvenSeeds, ProvenSituation
from chaosops.play.shifts.codes import ShiftPlan
from chaosops.scenarios.drawing import stream
from chaosops.scenarios.random_streams import below

_FILLED_FROM: Final[Mapping[Difficulty, tuple[Difficulty, ...]]] = MappingProxyType(
    {
        Difficulty.EASY: (Difficulty.EASY, Difficulty.MEDIUM),
        Difficulty.MEDIUM: (Difficulty.MEDIUM, Difficulty.EASY),
        Difficulty.HARD: (Difficulty.HARD, Difficulty.MEDIUM, Difficulty.EASY),
    }
)
"""Where the situations of a shift come from: those of its level first, as far as there are any."""


class DrawnIncident(NamedTuple):
    """An incident of a shift."""

    situation: ProvenSituation
    seed: int


def drawn(plan: ShiftPlan, proven: ProvenSeeds) -> tuple[DrawnIncident, ...]:
    """Draw the incidents of a shift, the hardest one last; the same in every process.

    Raises:
        ProvenSeedsError: The proven seeds are of another engine.
        ChaosOpsError: No fleet has enough situations.
    """
    proven.require_engine()
    dice = stream("shift", plan.seed, f"{plan.level.value} {plan.incidents}")
    fleets = _fleets(plan, proven)
    if not fleets:
        raise ChaosOpsError(
            f"no fleet has {plan.incidents} proven situations for a shift of level "
            f"{plan.level.value}: choose another level, or fewer incidents"
        )
    tiers = fleets[below(dice, len(fleets))]
    chosen: list[ProvenSituation] = []
    for tier in tiers:
        left = list(tier)
        while left and len(chosen) < plan.incidents:
            chosen.append(left.pop(below(dice, len(left))))
    chosen.sort(key=lambda one: LEVELS.index(one.level))
    return tuple(DrawnIncident(one, _seed(one, dice)) for one in chosen)


def _seed(situation: ProvenSituation, dice: Random) -> int:
    return situation.seeds[below(dice, len(situation.seeds))]


def _fleets(plan: ShiftPlan, proven: ProvenSeeds) -> list[Sequence[Sequence[ProvenSituation]]]:
    """Return the situations of each fleet that has enough, in tiers by level, the level's first."""
    known = sorted(proven.situations.values(), key=lambda one: one.id)
    found: list[Sequence[Sequence[ProvenSituation]]] = []
    for name in sorted({one.topology for one in known}):
        tiers = [
            [one for one in known if (one.topology, one.level) == (name, level) and one.seeds]
            for level in _FILLED_FROM[plan.level]
        ]
        if tiers[0] and sum(map(len, tiers)) >= plan.incidents:
            found.append(tiers)
    return found
