"""The path of lessons, and how far a player is on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Final

import yaml
from pydantic import Field

from chaosops.env.models import AgentRole
from chaosops.env.models.topology import Line, Name, Strict
from chaosops.errors import ChaosOpsError
from chaosops.play.setup import Setup
from chaosops.recording.events import SeatKind
from chaosops.recording.library import Filter, RecordedOutcome, RecordingSummary, find
from chaosops.scenarios.problems import instead, shown
from chaosops.scenarios.schema import Prose

TEAMMATES: Final = "steady"
"""The policy of the other seats: it is up to the learner whether the incident is resolved."""


class LessonQuestion(Strict):
    """A question to talk about after the game.

    Attributes:
        expect: What a good answer has in it, for the instructor.
    """

    ask: Line
    expect: Prose


class Lesson(Strict):
    """A lesson: an incident with a seed, what to watch for, and what to talk about.

    Attributes:
        role: The seat that the learner takes.
        cause: The id of the cause that the seed draws, for the instructor.
        minutes: How long it takes, with the talk.
        goal: What the learner can do afterwards.
        glossary: What to look up first, as the glossary names it.
    """

    id: Name
    title: Line
    role: AgentRole
    scenario: Name
    seed: int = Field(ge=0)
    cause: Name
    minutes: int = Field(ge=5, le=120)
    goal: Prose
    glossary: tuple[Line, ...] = Field(min_length=1)
    watch: tuple[Line, ...] = Field(min_length=2)
    questions: tuple[LessonQuestion, ...] = Field(min_length=2)

    @property
    def command(self) -> str:
        """The command that plays it, beside teammates who act when they are asked."""
        return (
            f"chaosops play {self.scenario} --role {self.role.value} --seed {self.seed} "
            f"--teammates {TEAMMATES}"
        )

    @property
    def setup(self) -> Setup:
        """Who sits where: the learner in the seat, and the teammates of `command`."""
        return Setup.of((self.role,), TEAMMATES)


class _Path(Strict):
    lessons: tuple[Lesson, ...] = Field(min_length=1)


class LessonMark(StrEnum):
    """How far a player is with a lesson, by the recordings."""

    OPEN = "open"
    PLAYED = "played"
    RESOLVED = "resolved"


def lessons() -> tuple[Lesson, ...]:
    """Return the lessons, in the order of the path."""
    text = files("chaosops.play.lessons").joinpath("path.yaml").read_text("utf-8")
    return _Path.model_validate(yaml.safe_load(text), strict=False).lessons


def lesson_named(name: str, path: Sequence[Lesson]) -> Lesson:
    """Return the lesson of an id, or of a number on the path, from 1.

    Raises:
        ChaosOpsError: There is none.
    """
    if name.isdecimal() and 1 <= int(name[:4]) <= len(path):
        return path[int(name[:4]) - 1]
    known = {lesson.id: lesson for lesson in path}
    wanted = "-".join(name.lower().replace("_", " ").split())
    if wanted in known:
        return known[wanted]
    cure = instead(wanted, known)
    raise ChaosOpsError(f'no lesson "{shown(name)}"; {cure} (see `chaosops lessons list`)')


def marks(path: Iterable[Lesson], places: Sequence[Path]) -> dict[str, LessonMark]:
    """Return how far a player is with each lesson, by its id.

    A lesson counts as played if somebody played its incident, seed and role to its end.

    Args:
        places: Folders and files with recordings.
    """
    lessons_of = list(path)
    wanted = tuple(dict.fromkeys(lesson.scenario for lesson in lessons_of))
    return marks_of(lessons_of, find(list(places), Filter(scenarios=wanted)) if places else ())


def marks_of(path: Sequence[Lesson], games: Iterable[RecordingSummary]) -> dict[str, LessonMark]:
    """Return how far a player is with each lesson, by its id, from recorded games."""
    found = dict.fromkeys((lesson.id for lesson in path), LessonMark.OPEN)
    for entry in games:
        for lesson in path:
            if _is_game_of(entry, lesson):
                resolved = entry.outcome is RecordedOutcome.RESOLVED
                best = LessonMark.RESOLVED if resolved else LessonMark.PLAYED
                if found[lesson.id] is not LessonMark.RESOLVED:
                    found[lesson.id] = best
    return found


def _is_game_of(entry: RecordingSummary, lesson: Lesson) -> bool:
    header = entry.header
    if header is None or entry.outcome not in (
        RecordedOutcome.RESOLVED,
        RecordedOutcome.UNRESOLVED,
    ):
        return False
    seat = header.seats.get(lesson.role)
    by_person = seat is not None and seat.kind is not SeatKind.SCRIPTED
    return by_person and (header.current_scenario, header.seed) == (lesson.scenario, lesson.seed)
