"""An adversary that ignores words and uses order, counts and minutes of the automation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.evaluation.classifiers import Logistic, area_under_curve, halves
from chaosops.evaluation.measurement import Figure, FigureRow
from chaosops.evaluation.openings import Opening, opening_of
from chaosops.evaluation.study import Study, StudyPlan, truth_of
from chaosops.scenarios.rendering import ScenarioSource

_NEVER: Final = 240.0
_NEAR: Final = 20

_COUNTS: Final = ("agents", "acts", "changes", "alerts")
_MINUTES: Final = ("acts near the page", "changes near the page", "last act", "last change")
_OF_THE_WHOLE: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"counts": _COUNTS, "minutes": _MINUTES, "counts and minutes": (*_COUNTS, *_MINUTES)}
)

_ORDER: Final = ("position", "first")
_OWN_COUNTS: Final = ("acts", "targets", "acts of its own kind")
_OWN_MINUTES: Final = ("acts near the page", "first minute", "last minute", "nearest minute")
_OF_AGENTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "order": _ORDER,
        "counts": _OWN_COUNTS,
        "minutes": _OWN_MINUTES,
        "order, counts and minutes": (*_ORDER, *_OWN_COUNTS, *_OWN_MINUTES),
    }
)

Features = Mapping[str, float]


class Form(NamedTuple):
    """The figures of one opening.

    Attributes:
        agents: The figures of each agent, in the order of the list.
        guilty: The number of the guilty one; None if none is.
        whole: The figures of the opening as a whole.
    """

    scenario: str
    level: Difficulty
    agents: tuple[Features, ...]
    guilty: int | None
    whole: Features


class FormReader:
    """Fits a regression to the figures of half of the incidents, and applies it to the others."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure how often it names the guilty agent, and how well it tells whether there is one.

        Rows have the same for each figure alone: the agent with the most or the least of it.
        """
        forms = [form for found in study.of_each(_forms) for form in found if form.level in levels]
        return {"form: who": tell_who(forms, levels), "form: whether": tell_whether(forms)}


def tell_who(forms: Sequence[Form], levels: frozenset[Difficulty]) -> Figure:
    """Measure how often the best set of figures names the guilty agent; the base is chance.

    A guess between equals counts by its chance. Rows have each set, which has
    its own regression, and each figure alone: the agent with the most of it, and the least.
    """
    guilty = [form for form in forms if form.guilty is not None and form.level in levels]
    if not guilty:
        return Figure(None, 0)
    rows = []
    for words, names in _OF_AGENTS.items():
        right = _named(guilty, names)
        if right:
            rows.append(FigureRow("set", words, fmean(right), len(right)))
    best = max((row.figure for row in rows), default=None)
    chance = fmean(1.0 / len(form.agents) for form in guilty)
    for name in sorted(guilty[0].agents[0]):
        for sign, words in ((1.0, "the most"), (-1.0, "the least")):
            alone = [_credit(form, [sign * a[name] for a in form.agents]) for form in guilty]
            rows.append(FigureRow("rule", f"{words} of {name}", fmean(alone), len(alone)))
    return Figure(best, len(guilty) if best is not None else 0, tuple(rows), chance)


def _named(forms: Sequence[Form], names: Sequence[str]) -> list[float]:
    """Return for each form the chance that a guess by the other half's regression is right."""
    right = []
    for learned, asked in _sides(forms):
        model = Logistic(
            [
                (_some(features, names), i == form.guilty)
                for form in learned
                for i, features in enumerate(form.agents)
            ]
        )
        for form in asked:
            scores = [model.score(_some(features, names)) for features in form.agents]
            right.append(_credit(form, scores))
    return right


def _credit(form: Form, scores: Sequence[float]) -> float:
    """Return the chance that a guess among those with the highest score is right."""
    top = [i for i, score in enumerate(scores) if score == max(scores)]
    return (form.guilty in top) / len(top)


def tell_whether(forms: Sequence[Form]) -> Figure:
    """Measure how well the best set of figures tells whether an agent is guilty.

    Rows have each set, which has its own regression, and each figure alone.
    """
    areas = {words: _area(forms, names) for words, names in _OF_THE_WHOLE.items()}
    rows = [
        FigureRow("set", words, area, len(forms), "auc")
        for words, area in areas.items()
        if area is not None
    ]
    best = max((row.figure for row in rows), default=None)
    for name in sorted(forms[0].whole) if forms else ():
        area = area_under_curve((form.whole[name], form.guilty is not None) for form in forms)
        if area is not None:
            rows.append(FigureRow("figure", name, max(area, 1.0 - area), len(forms), "auc"))
    return Figure(best, len(forms) if best is not None else 0, tuple(rows))


def _area(forms: Sequence[Form], names: Sequence[str]) -> float | None:
    scores: list[tuple[float, bool]] = []
    for learned, asked in _sides(forms):
        examples = [(_some(form.whole, names), form.guilty is not None) for form in learned]
        if len({label for _features, label in examples}) < 2:
            return None
        model = Logistic(examples)
        scores += [
            (model.score(_some(form.whole, names)), form.guilty is not None) for form in asked
        ]
    return area_under_curve(scores)


def _some(features: Features, names: Sequence[str]) -> Features:
    return {name: features[name] for name in names}


def _sides(forms: Sequence[Form]) -> list[tuple[list[Form], list[Form]]]:
    """Return both ways to learn from one half of the incidents and test on the other."""
    sides = halves({form.scenario: form.guilty is not None for form in forms})
    parts = [[form for form in forms if form.scenario in side] for side in sides]
    return [(parts[0], parts[1]), (parts[1], parts[0])] if all(parts) else []


def _forms(plan: StudyPlan, source: ScenarioSource) -> list[Form]:
    forms = []
    for scenario in plan.scenarios(source):
        opening = opening_of(scenario)
        names = opening.oversight.agents or ()
        culprit = truth_of(scenario).culprit
        forms.append(
            Form(
                scenario.stream_key,
                scenario.difficulty,
                tuple(_agent(opening, name, i) for i, name in enumerate(names)),
                names.index(culprit) if culprit in names else None,
                _whole(opening),
            )
        )
    return forms


def _agent(opening: Opening, name: str, position: int) -> dict[str, float]:
    audit = opening.oversight.audit or ()
    acts = [event for event in audit if event.agent == name]
    minutes = [event.minute for event in acts]
    alone = [act for act in acts if sum(other.act == act.act for other in audit) == 1]
    return {
        "position": float(position),
        "first": float(position == 0),
        "acts": float(len(acts)),
        "acts near the page": float(sum(abs(minute) <= _NEAR for minute in minutes)),
        "targets": float(len({event.target for event in acts})),
        "acts of its own kind": float(len(alone)),
        "first minute": float(min(minutes, default=-_NEVER)),
        "last minute": float(max(minutes, default=-_NEVER)),
        "nearest minute": float(min(map(abs, minutes), default=_NEVER)),
    }


def _whole(opening: Opening) -> dict[str, float]:
    audit = opening.oversight.audit or ()
    changes = opening.dev.changes or ()
    acted = [event.minute for event in audit]
    changed = [change.minute for change in changes]
    return {
        "agents": float(len(opening.oversight.agents or ())),
        "acts": float(len(audit)),
        "acts near the page": float(sum(abs(minute) <= _NEAR for minute in acted)),
        "changes": float(len(changes)),
        "changes near the page": float(sum(abs(minute) <= _NEAR for minute in changed)),
        "alerts": float(len(opening.sre.alerts)),
        "last act": float(max(acted, default=-_NEVER)),
        "last change": float(max(changed, default=-_NEVER)),
    }
