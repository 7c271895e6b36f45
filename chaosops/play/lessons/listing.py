"""The path of lessons as lines of the list of incidents, with how far the player is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.play.formatting import MUTED, ROLE_NAMES, shown
from chaosops.play.lessons.path import Lesson, LessonMark
from chaosops.play.styled import CatalogueLine, StyledText, Words

LESSON: Final = "lesson:"
"""The prefix of the name of a lesson's line, before the id."""

MARKS: Final[Mapping[LessonMark, str]] = MappingProxyType(
    {LessonMark.OPEN: "○", LessonMark.PLAYED: "◐", LessonMark.RESOLVED: "●"}
)


class LessonPath(NamedTuple):
    """The lessons, in order, and how far the player is with each, by its id."""

    lessons: Sequence[Lesson]
    marks: Mapping[str, LessonMark]

    def named(self, line: str) -> Lesson | None:
        """Return the lesson of a line; None if it has none."""
        wanted = line.removeprefix(LESSON)
        found = (lesson for lesson in self.lessons if lesson.id == wanted)
        return next(found, None) if line.startswith(LESSON) else None

    def lines(self) -> Iterator[CatalogueLine]:
        """Yield a heading, and a line for each lesson."""
        done = sum(mark is LessonMark.RESOLVED for mark in self.marks.values())
        told = f"{done} of {len(self.lessons)} resolved, each with what to watch for"
        yield CatalogueLine("", (StyledText("Lessons  ", "bold"), StyledText(told, MUTED)))
        for lesson in self.lessons:
            seat = f"  {ROLE_NAMES[lesson.role]}, about {lesson.minutes} min"
            yield CatalogueLine(
                LESSON + lesson.id,
                (
                    StyledText(f"  {MARKS[self._mark(lesson)]} ", "bold"),
                    StyledText(shown(lesson.title, 120)),
                    StyledText(seat, MUTED),
                ),
            )

    def about(self, lesson: Lesson, incident: str) -> list[Words]:
        """Describe a lesson: what it is for, what to look up, and what to watch for.

        Args:
            incident: The title of its incident.
        """
        place = self.lessons.index(lesson) + 1
        facts = f"{ROLE_NAMES[lesson.role]}, about {lesson.minutes} min, seed {lesson.seed}"
        mark = self._mark(lesson)
        return [
            (StyledText(f"Lesson {place} of {len(self.lessons)}: {shown(lesson.title)}", "bold"),),
            (StyledText(f"{facts}, {mark.value}", MUTED),),
            (StyledText(shown(lesson.goal)),),
            (StyledText(f"Incident: {shown(incident, 120)}", MUTED),),
            (
                StyledText(
                    f"Look up first in the glossary: {shown(', '.join(lesson.glossary))}", MUTED
                ),
            ),
            (),
            (StyledText("Watch for", "bold"),),
            *((StyledText(f"- {shown(line)}"),) for line in lesson.watch),
            (),
            (
                StyledText(
                    f"Afterwards, chaosops lessons show {lesson.id} has questions to talk about.",
                    MUTED,
                ),
            ),
        ]

    def _mark(self, lesson: Lesson) -> LessonMark:
        return self.marks.get(lesson.id, LessonMark.OPEN)
