"""Resumes an unfinished game where it stopped, however it stopped."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from chaosops.agents.runner import Stepper
from chaosops.errors import RecordingError
from chaosops.files import open_descriptor
from chaosops.recording.event_log import EventLogWriter, cannot_write, lock
from chaosops.recording.events import new_footer
from chaosops.recording.lines import is_gzip
from chaosops.recording.reader import RecordedTurn, Recording
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.verify import Failed, Verification


@dataclass(frozen=True, slots=True)
class Resumed:
    """A resumed game.

    Attributes:
        stepper: At the next turn; done if only the footer was missing.
        writer: Appends to the log, which it locks; closed if the game is done.
        recording: The turns and notes so far.
        repaired: What was repaired in the file, for the player; may be empty.
    """

    stepper: Stepper
    writer: EventLogWriter
    recording: Recording
    repaired: str = ""


def reopen(path: Path, folders: Sequence[Path] = ()) -> Resumed:
    """Resume a game from its log: its turns are simulated again and compared.

    A torn last line is cut off, and a game that ended and only lacks
    the footer gets it; nothing else in the file is changed.

    Args:
        folders: Where scenarios are, besides the built-in set.

    Raises:
        RecordingError: The game is over, is being played, doesn't verify, or can't be written.
    """
    with ExitStack() as on_failure:
        try:
            descriptor = open_descriptor(path, os.O_RDWR)
        except OSError as error:
            raise cannot_write(path, error) from error
        on_failure.callback(os.close, descriptor)
        lock(path, descriptor)
        check = Verification(path, ScenarioBook(folders))
        try:
            turns = tuple(RecordedTurn(frame, human) for frame, human in check.turns())
        except Failed as failure:
            where = f" in turn {check.proved}" if check.in_turn else ""
            raise RecordingError(
                f"{path} cannot be resumed{where}: {failure}; step through it with "
                "'chaosops replay'"
            ) from failure
        if check.footer is not None:
            raise RecordingError(f"{path} is finished: step through it with 'chaosops replay'")
        if is_gzip(path):
            raise RecordingError(f"{path} is compressed: unpack it with gunzip first")
        _cut(path, descriptor, check.size)
        writer = EventLogWriter(path, descriptor, check.script)
        on_failure.pop_all()
    footer = None
    if check.stepper.done:
        footer = new_footer(check.stepper.result())
        writer.finish(footer)
    recording = Recording(
        path, check.header, turns, footer, tuple(check.warnings), tuple(check.notes)
    )
    return Resumed(check.stepper, writer, recording, "; ".join(check.warnings))


def _cut(path: Path, descriptor: int, size: int) -> None:
    """Cut off what follows the last complete line."""
    try:
        if os.fstat(descriptor).st_size > size:
            os.ftruncate(descriptor, size)
            os.fsync(descriptor)
    except OSError as error:
        raise cannot_write(path, error) from error
