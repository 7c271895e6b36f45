"""Checks that an incident gets worse if nobody does anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, Difficulty
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.measurement import Figure, Sample, mean_of
from chaosops.evaluation.openings import unhealthy
from chaosops.evaluation.study import Study, StudyPlan, family_of, situation_of, truth_of
from chaosops.scenarios.rendering import ScenarioSource

_LATE: Final = 30
_WINDOW: Final = 5
_WORSE: Final = 1.25


class EverybodyPasses:
    """Leaves an incident alone for half an hour."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure how often it has become worse by then; false alarms are left out."""
        samples = study.gather(_samples)
        return {"stands still": mean_of(samples, levels)}


def _samples(plan: StudyPlan, source: ScenarioSource) -> list[Sample]:
    return [
        Sample(
            scenario.difficulty,
            situation_of(scenario),
            float(gets_worse(scenario)),
            family_of(scenario),
        )
        for scenario in plan.scenarios(source)
        if truth_of(scenario).place
    ]


def gets_worse(scenario: Scenario) -> bool:
    """Whether the incident gets worse while everyone passes.

    Either a quarter more requests fail in the five minutes up to minute 30 (or the last) than in
    the five around minute 2, or a service is unhealthy then that was healthy in SRE's first two
    turns.
    """
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    failed: list[float] = []
    sick: list[tuple[str, ...]] = []
    while not stepper.done and stepper.observation.view.status.minute <= _LATE:
        view = stepper.observation.view
        failed.append(1.0 - view.status.users_ok)
        if stepper.role is AgentRole.SRE:
            sick.append(unhealthy(view))
        stepper.take(pass_turn(stepper.observation, stepper.role))
    return is_worse(failed) or bool(set(sick[-1]) - set(sick[0]) - set(sick[1]))


def is_worse(failed: Sequence[float]) -> bool:
    """Whether the last five minutes are worse by a quarter than the first five.

    Args:
        failed: Share of requests that failed, from the minute of the page on.
    """
    early, late = fmean(failed[:_WINDOW]), fmean(failed[-_WINDOW:])
    return late > 0.0 and late >= early * _WORSE
