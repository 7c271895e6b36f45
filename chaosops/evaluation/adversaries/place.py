"""An adversary that always fixes the deepest unhealthy service."""

from __future__ import annotations

from collections.abc import Mapping

from chaosops.env.models import Difficulty
from chaosops.evaluation.measurement import Figure, Sample, mean_of
from chaosops.evaluation.openings import deepest_unhealthy, opening_of
from chaosops.evaluation.study import Study, StudyPlan, family_of, situation_of, truth_of
from chaosops.scenarios.rendering import ScenarioSource


class DeepestUnhealthy:
    """Names the deepest unhealthy service of the opening, without an investigation."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure how often the cause is there; false alarms, which are nowhere, are left out."""
        samples = study.gather(_samples)
        return {"place": mean_of(samples, levels)}


def _samples(plan: StudyPlan, source: ScenarioSource) -> list[Sample]:
    samples = []
    for scenario in plan.scenarios(source):
        place = truth_of(scenario).place
        if place:
            guess = deepest_unhealthy(opening_of(scenario).sre)
            where, family = situation_of(scenario), family_of(scenario)
            samples.append(Sample(scenario.difficulty, where, float(guess == place), family))
    return samples
