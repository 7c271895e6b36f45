"""Draws the first draft of a situation, with every cause that may be behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chaosops.env.models import Difficulty
from chaosops.generation.automation import draw_agents
from chaosops.generation.cohort import draw_candidates
from chaosops.generation.decoys import draw_decoys
from chaosops.generation.dice import SeededDice
from chaosops.generation.draft import Fleet, Length, SituationDraft
from chaosops.generation.fleets import fleet_of
from chaosops.generation.spec import SituationSpec
from chaosops.generation.wording import Symptom, word
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.situation import LEAST_CASTS

_LONGEST_ID: Final = 40
_LENGTHS: Final = {
    Difficulty.EASY: ((9, 10), (22, 24), (5, 6)),
    Difficulty.MEDIUM: ((13, 15), (28, 30), (5, 6)),
    Difficulty.HARD: ((16, 19), (34, 36), (6, 8)),
}


def situation_id(spec: SituationSpec, topology_id: str) -> str:
    """Return the id of a situation, which is also the name of its file."""
    end = f"-{spec.seed}"
    return f"gen-{spec.level.value}-{topology_id}"[: _LONGEST_ID - len(end)] + end


class DraftMaker:
    """Draws drafts of one situation; the same number always gives the same draft.

    Attributes:
        spec, fleet: What was asked for, and the fleet that it is on.
    """

    def __init__(self, spec: SituationSpec, fleet: Fleet, causes: Mapping[str, Cause]) -> None:
        self.spec = spec
        self.fleet = fleet
        self._causes = causes

    @classmethod
    def of(cls, spec: SituationSpec) -> DraftMaker:
        """Return what draws the drafts of a spec.

        Raises:
            GenerationError: The spec is impossible.
        """
        spec.check()
        return cls(spec, fleet_of(spec), _all_causes())

    def dice(self, number: int) -> SeededDice:
        """Return the stream that a draft of a number, and all about it, is drawn from."""
        return SeededDice(self.spec.seed, self.spec.level.value, self.fleet.id, "draft", number)

    def draft(self, number: int) -> SituationDraft | None:
        """Draw a draft with every candidate; None if too few causes fit together."""
        level, dice, topology = self.spec.level, self.dice(number), self.fleet.topology
        casts = draw_candidates(self._causes, topology, level, dice.of("causes"))
        if len(casts) < LEAST_CASTS[level]:
            return None
        causes = [cast.cause for cast in casts]
        rounds, par, hold = _LENGTHS[level]
        steps = dice.of("length")
        length = Length(steps.between(*rounds), steps.between(*par), steps.between(*hold))
        agents = draw_agents(causes, topology, dice.of("agents"))
        places = {name for cast in casts for spot in cast.spots for name in spot if name}
        return SituationDraft(
            situation_id(self.spec, self.fleet.id),
            level,
            self.fleet,
            casts,
            agents,
            draw_decoys(topology, places, dice.of("decoys")),
            length,
            word(Symptom.MIXED, self.fleet, causes, agents, length, dice.of("words")),
        )


def _all_causes() -> Mapping[str, Cause]:
    """Return the built-in causes by id."""
    reader = FileReader(())
    found = {}
    for name, path in sorted(cause_files(()).items()):
        cause = reader.cause(path).cause
        if cause is not None:
            found[name] = cause
    return found
