"""Checks that skill pays: the expert resolves everything, and each better policy earns more."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Final, NamedTuple

from chaosops.agents.policies import make_policy
from chaosops.env.models import TURN_ORDER, Difficulty
from chaosops.evaluation.measurement import Figure, FigureRow, Sample, group_rows, level_rows
from chaosops.evaluation.study import Study, StudyPlan, play, situation_of
from chaosops.scenarios.rendering import ScenarioSource

_POLICIES: Final = ("random", "noop", "heuristic", "expert", "oracle")
_BELOW: Final = (
    ("random", "heuristic"),
    ("noop", "heuristic"),
    ("heuristic", "expert"),
    ("expert", "oracle"),
)


class Ranking:
    """Plays every policy in all four seats."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the expert's worst situation, and the smallest step between two policies."""
        found = study.gather(_played)
        solved = [Sample(p.level, p.situation, p.resolved) for p in found if p.policy == "expert"]
        inside = group_rows((one for one in solved if one.level in levels), "situation")
        worst = min((row.figure for row in inside), default=None)
        means = {
            (level, policy): values
            for level in Difficulty
            for policy in _POLICIES
            if (values := [p.reward for p in found if p.level is level and p.policy == policy])
        }
        rewards = [
            FigureRow("reward", f"{policy}, {level.value}", fmean(values), len(values), "points")
            for (level, policy), values in means.items()
        ]
        steps = [
            FigureRow(
                "step",
                f"{worse} to {better}, {level.value}",
                fmean(means[level, better]) - fmean(means[level, worse]),
                len(means[level, better]),
                "points",
            )
            for level in Difficulty
            for worse, better in _BELOW
            if level in levels and (level, worse) in means
        ]
        least = min((row.figure for row in steps), default=None)
        return {
            "expert resolves": Figure(
                worst, sum(row.n for row in inside), (*level_rows(solved), *inside)
            ),
            "ranking": Figure(least, len(found), (*steps, *rewards)),
        }


class _Played(NamedTuple):
    situation: str
    level: Difficulty
    policy: str
    resolved: float
    reward: float


def _played(plan: StudyPlan, source: ScenarioSource) -> list[_Played]:
    found = []
    for scenario in plan.scenarios(source):
        for name in _POLICIES:
            policy = make_policy(name, scenario, scenario.seed)
            game = play(scenario, dict.fromkeys(TURN_ORDER, policy))
            where = situation_of(scenario)
            found.append(_Played(where, game.level, name, float(game.resolved), game.reward))
    return found
