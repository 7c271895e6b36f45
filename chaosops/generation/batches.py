"""Generates many situations, in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.generation.errors import GenerationError, SetNameError
from chaosops.generation.generator import GeneratedSituation, generate
from chaosops.generation.spec import LEVELS, SituationSpec
from chaosops.scenarios.problems import shown
from chaosops.scenarios.rendering import MAX_SEED, ScenarioSource
from chaosops.worker_pool import WorkerPool

MOST_IN_A_SET: Final = 1000
"""The most situations of a set that is generated on the spot."""


class GenerationFailure(NamedTuple):
    """A situation that could not be generated, and why."""

    spec: SituationSpec
    message: str


Made = GeneratedSituation | GenerationFailure

Watched = Callable[[Iterable[Made], int], Iterable[Made]]
"""Shows the progress of an iterator that has so many items."""


def generated(specs: Iterable[SituationSpec], pool: WorkerPool) -> Iterator[Made]:
    """Generate situations, and yield them in the order of their specs."""
    return pool.spread(_generate, specs)


def _generate(spec: SituationSpec) -> Made:
    try:
        return generate(spec)
    except GenerationError as error:
        return GenerationFailure(spec, str(error))


def specs_of_set(text: str) -> tuple[SituationSpec, ...]:
    """Return the specs of a generated set: of seeds A to B - 1, the levels one after another.

    Args:
        text: `A:B`, or `LEVEL:A:B` for one level only.

    Raises:
        SetNameError: The text is no such range.
    """
    head, colon, rest = text.partition(":")
    levels: Sequence[Difficulty] = LEVELS
    span = text
    if head in {level.value for level in LEVELS} and colon:
        levels, span = (Difficulty(head),), rest
    first, colon, stop = span.partition(":")
    is_span = colon and first.isdecimal() and stop.isdecimal() and len(first + stop) <= 20
    if not is_span or not int(first) < int(stop) <= MAX_SEED + 1:
        raise SetNameError(
            f"generated:{shown(text)} is no generated set: write generated:0:100 for the seeds 0 "
            "to 99, or generated:medium:0:100"
        )
    if int(stop) - int(first) > MOST_IN_A_SET:
        raise SetNameError(
            f"generated:{shown(text)} has more than {MOST_IN_A_SET} situations: use fewer seeds"
        )
    return tuple(
        SituationSpec(seed, levels[seed % len(levels)]) for seed in range(int(first), int(stop))
    )


class GeneratedSets:
    """Opens sets written `generated:A:B`; what can't be proven is left out, and told.

    Args:
        pool: Where they are generated.
        watched: Shows the progress.
        told: Is told of each situation that is left out.
    """

    def __init__(
        self,
        pool: WorkerPool,
        watched: Watched,
        told: Callable[[str], None],
    ) -> None:
        self._pool = pool
        self._watched = watched
        self._told = told

    def __call__(self, text: str, _folders: Sequence[Path]) -> Sequence[ScenarioSource]:
        """Generate the situations of a set."""
        specs = specs_of_set(text)
        sources = []
        for made in self._watched(generated(specs, self._pool), len(specs)):
            if isinstance(made, GenerationFailure):
                self._told(made.message)
            else:
                sources.append(made.source)
        return sources
