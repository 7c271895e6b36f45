"""What is asked of the generator: a seed, a level, and a fleet."""

from __future__ import annotations

from typing import Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.generation.errors import GenerationError
from chaosops.scenarios.rendering import MAX_SEED

LEVELS: Final = (Difficulty.EASY, Difficulty.MEDIUM, Difficulty.HARD)
"""The levels of generated situations; the lessons of the tutorial are written by hand."""

FEWEST: Final = 8
MOST: Final = 40
"""The number of services of a generated fleet."""


class SituationSpec(NamedTuple):
    """A situation to generate.

    Attributes:
        seed: The generator's seed; the same spec always makes the same file.
        topology: The id of a built-in topology; None if it is drawn.
        services: The number of services of a topology that is generated too; None if the
            topology is built in or drawn.
    """

    seed: int
    level: Difficulty
    topology: str | None = None
    services: int | None = None

    def check(self) -> None:
        """Check what needs no file.

        Raises:
            GenerationError: The seed, the level or the number of services is out of range.
        """
        if not 0 <= self.seed <= MAX_SEED:
            raise GenerationError(f"{self.seed} is not a seed: use one from 0 to {MAX_SEED}")
        if self.level not in LEVELS:
            levels = ", ".join(level.value for level in LEVELS)
            raise GenerationError(
                f"situations of the level {self.level.value} are written by hand: "
                f"choose from {levels}"
            )
        if self.topology is not None and self.services is not None:
            raise GenerationError(
                "a built-in topology has its own number of services: give a topology or a number"
            )
        if self.services is not None and not FEWEST <= self.services <= MOST:
            raise GenerationError(
                f"a generated fleet can't have {self.services} services: use {FEWEST} to {MOST}"
            )
