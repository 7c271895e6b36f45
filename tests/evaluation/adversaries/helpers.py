"""Small studies for the adversaries' tests."""

from __future__ import annotations

from chaosops.evaluation.study import Study, StudyPlan
from chaosops.scenarios.loader import open_scenario


def study_of(*names: str, seeds: tuple[int, ...] = (0, 1), training: int = 3) -> Study:
    """The incidents of those names with a few seeds."""
    return Study(tuple(map(open_scenario, names)), StudyPlan(seeds, training, "expert"))
