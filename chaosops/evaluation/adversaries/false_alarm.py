"""An adversary that recognizes false alarms by one number in the header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from chaosops.env.models import Difficulty, FailureType
from chaosops.evaluation.classifiers import balanced_accuracy, best_threshold, halves
from chaosops.evaluation.measurement import Figure, FigureRow
from chaosops.evaluation.openings import Opening, opening_of, unhealthy
from chaosops.evaluation.study import Study, StudyPlan
from chaosops.scenarios.rendering import ScenarioSource


class OpeningNumbers(NamedTuple):
    """The numbers of one opening, and whether it is a false alarm."""

    scenario: str
    level: Difficulty
    is_false: bool
    numbers: Mapping[str, float]


class OneThreshold:
    """Finds the best threshold on the best number in half of the incidents, and tests the rest."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the balanced accuracy, with a row for each number alone."""
        headers = [
            header
            for found in study.of_each(_headers)
            for header in found
            if header.level in levels
        ]
        if len({header.is_false for header in headers}) < 2:
            return {"false alarm": Figure(None, 0)}
        names = sorted(headers[0].numbers)
        answers = _answers(headers, names)
        rows = []
        for name in names:
            alone = _answers(headers, [name])
            if alone:
                rows.append(FigureRow("number", name, balanced_accuracy(alone), len(alone)))
        figure = balanced_accuracy(answers) if answers else None
        return {"false alarm": Figure(figure, len(answers), tuple(rows))}


def _answers(headers: Sequence[OpeningNumbers], names: Sequence[str]) -> list[tuple[bool, bool]]:
    """Return the answers of each half's rule about the other, with the truth."""
    sides = halves({header.scenario: header.is_false for header in headers})
    answers: list[tuple[bool, bool]] = []
    for learned, asked in (sides, sides[::-1]):
        examples = [
            ({name: header.numbers[name] for name in names}, header.is_false)
            for header in headers
            if header.scenario in learned
        ]
        has_choice = any(len({numbers[name] for numbers, _is in examples}) > 1 for name in names)
        if has_choice and len({is_false for _numbers, is_false in examples}) > 1:
            rule = best_threshold(examples)
            answers += [
                (rule.says(header.numbers), header.is_false)
                for header in headers
                if header.scenario in asked
            ]
    return answers


def _headers(plan: StudyPlan, source: ScenarioSource) -> list[OpeningNumbers]:
    return [
        OpeningNumbers(
            scenario.stream_key,
            scenario.difficulty,
            scenario.failure_type is FailureType.FALSE_ALARM,
            _numbers(opening_of(scenario)),
        )
        for scenario in plan.scenarios(source)
    ]


def _numbers(opening: Opening) -> dict[str, float]:
    status = opening.sre.status
    impact = opening.manager.impact
    return {
        "users ok": status.users_ok,
        "users ok above the SLO": status.users_ok - status.slo,
        "budget": float(status.budget),
        "held": float(status.held),
        "hold": float(status.hold),
        "turns": float(status.turns),
        "alerts": float(len(opening.sre.alerts)),
        "unhealthy services": float(len(unhealthy(opening.sre))),
        "failed": impact.failed if impact else 0.0,
    }
