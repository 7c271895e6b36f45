"""An adversary that only reads the texts that are visible without an investigation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from chaosops.env.models import Difficulty
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.classifiers import NaiveBayes, Tokens, halves
from chaosops.evaluation.measurement import (
    Figure,
    FigureRow,
    Sample,
    mean_of,
)
from chaosops.evaluation.openings import (
    frame_of_the_game,
    opening_of,
    text_parts,
    words_of,
)
from chaosops.evaluation.study import Study, StudyPlan, family_of, situation_of, truth_of
from chaosops.scenarios.rendering import ScenarioSource

_ENOUGH = 40
"""The least episodes of a cause for a word to count as evidence for it."""

_CAUSES = 5
"""The least causes that both halves must share, since fewer leave it to chance."""


class Read(NamedTuple):
    """What was read of one opening, and the right answer.

    Attributes:
        words: The words of all texts that are visible without an investigation.
        parts: Each whole text by its place, and the content of the header.
    """

    scenario: str
    situation: str
    family: str
    level: Difficulty
    cause: str
    words: Tokens
    parts: Mapping[str, Tokens]


class FreeText:
    """Counts words in openings with known causes, and names the causes of others."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the shares of right answers, each with that of the most common answer.

        `free text` is fitted on other seeds of the same situations, `free text elsewhere` on half
        of the incidents, if both halves share at least five causes. Rows have how often single
        parts identify the incident.
        """
        known = study.gather(_known)
        played = study.gather(_played)
        named = _answers(known, played, lambda read: read.words, lambda read: read.cause)
        figure = mean_of(named, levels, base=_commonest(played, levels))
        parts = [_named(known, played, part) for part in known[0].parts] if known else ()
        return {
            "free text": figure._replace(rows=(*figure.rows, *parts)),
            "free text elsewhere": _elsewhere([*known, *played], levels),
        }


def _named(known: Sequence[Read], played: Sequence[Read], part: str) -> FigureRow:
    """Measure how often one part alone identifies the incident, at any level."""
    samples = _answers(known, played, lambda read: read.parts[part], lambda read: read.scenario)
    right = fmean(sample.value for sample in samples)
    return FigureRow("incident named by", part, right, len(samples))


def _answers(
    known: Sequence[Read],
    asked: Sequence[Read],
    tokens: Callable[[Read], Tokens],
    answer: Callable[[Read], Hashable],
) -> list[Sample]:
    classifier = NaiveBayes([(tokens(read), answer(read)) for read in known])
    samples = []
    for read in asked:
        is_right = classifier.label(tokens(read)) == answer(read)
        samples.append(Sample(read.level, read.situation, float(is_right), read.family))
    return samples


def _commonest(reads: Sequence[Read], levels: frozenset[Difficulty]) -> float:
    """Measure how often the most common cause of each situation is right."""
    counts: dict[str, Counter[str]] = {}
    for read in reads:
        if read.level in levels:
            counts.setdefault(read.situation, Counter())[read.cause] += 1
    right = sum(max(counter.values()) for counter in counts.values())
    total = sum(counter.total() for counter in counts.values())
    return right / total if total else 0.0


def _elsewhere(reads: Sequence[Read], levels: frozenset[Difficulty]) -> Figure:
    """Measure whether words learned in half of the incidents name the cause in the others."""
    inside = [read for read in reads if read.level in levels]
    sides = halves({read.scenario: read.cause for read in inside})
    samples: list[Sample] = []
    causes_asked: Counter[str] = Counter()
    for learned, other in (sides, sides[::-1]):
        size = Counter(read.cause for read in inside if read.scenario in learned)
        fit = [r for r in inside if r.scenario in learned and size[r.cause] >= _ENOUGH]
        causes = {read.cause for read in fit}
        ask = [r for r in inside if r.scenario in other and r.cause in causes]
        if len({read.cause for read in ask}) >= _CAUSES:
            samples += _answers(fit, ask, lambda read: read.words, lambda read: read.cause)
            causes_asked.update(read.cause for read in ask)
    commonest = max(causes_asked.values(), default=0)
    return mean_of(samples, levels, base=commonest / max(1, causes_asked.total()))


def _known(plan: StudyPlan, source: ScenarioSource) -> list[Read]:
    return [_read(scenario) for scenario in plan.known(source)]


def _played(plan: StudyPlan, source: ScenarioSource) -> list[Read]:
    return [_read(scenario) for scenario in plan.scenarios(source)]


def _read(scenario: Scenario) -> Read:
    opening = opening_of(scenario)
    texts = text_parts(opening)
    parts = {
        part: frozenset(" ".join(words_of(text)) for text in found) for part, found in texts.items()
    }
    return Read(
        scenario.stream_key,
        situation_of(scenario),
        family_of(scenario),
        scenario.difficulty,
        str(truth_of(scenario).cause),
        frozenset(word for found in texts.values() for text in found for word in words_of(text)),
        {"page, turns and hold": frame_of_the_game(opening), **parts},
    )
