"""`chaosops lessons list` and `show`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from chaosops.cli.options import json_option
from chaosops.cli.recording_options import places, recordings_option
from chaosops.cli.tables import table
from chaosops.errors import ChaosOpsError
from chaosops.output import columns_of, print_data, say
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.lessons.path import LessonMark, lesson_named, lessons, marks
from chaosops.play.lessons.sheet import instructor_sheet, learner_lines

_COLUMNS = ("", "LESSON", "TITLE", "SEAT", "INCIDENT", "SEED", "YOU")
_WORDS = {
    LessonMark.OPEN: "-",
    LessonMark.PLAYED: "played, not resolved",
    LessonMark.RESOLVED: "✔ resolved",
}


@click.command("list", epilog="Example: chaosops lessons list")
@json_option
@recordings_option
def list_(as_json: bool, recordings: Path | None) -> None:
    """List the lessons in their order, and how far you are.

    A lesson is done when your recordings have its incident, seed and seat, resolved.
    """
    path = lessons()
    done = marks(path, places((), recordings))
    if as_json:
        print_data(
            json.dumps(
                [
                    lesson.model_dump(mode="json", exclude={"cause", "questions"})
                    | {"progress": done[lesson.id].value, "command": lesson.command}
                    for lesson in path
                ],
                indent=2,
            )
        )
        return
    rows = [
        [
            str(number),
            lesson.id,
            lesson.title,
            ROLE_NAMES[lesson.role],
            lesson.scenario,
            str(lesson.seed),
            _WORDS[done[lesson.id]],
        ]
        for number, lesson in enumerate(path, 1)
    ]
    say(table([list(_COLUMNS), *rows], columns_of(sys.stdout), (0, 5)))
    after = next((each for each in path if done[each.id] is not LessonMark.RESOLVED), None)
    if after is not None:
        say(f"\nNext: chaosops lessons show {after.id}")


@click.command(epilog="Example: chaosops lessons show 4 --sheet > sheet.md")
@click.argument("lesson", metavar="LESSON")
@recordings_option
@click.option(
    "--sheet", is_flag=True, help="The instructor's sheet as Markdown; it gives the answer away."
)
def show(lesson: str, sheet: bool, recordings: Path | None) -> None:
    """Show what a lesson is about, how to play it, and what to watch for.

    LESSON is an id or a number from 'chaosops lessons list'. Once you have played it, there are
    questions to talk about.
    """
    try:
        found = lesson_named(lesson, lessons())
    except ChaosOpsError as error:
        raise click.UsageError(str(error)) from error
    if sheet:
        print_data(instructor_sheet(found).removesuffix("\n"))
    else:
        mark = marks((found,), places((), recordings))[found.id]
        say("\n".join(learner_lines(found, mark)))
