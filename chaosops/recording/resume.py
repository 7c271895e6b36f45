"""Takes an unfinished game up where it stopped, however it stopped."""

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
    """A game that goes on.

    Attributes:
        stepper: At the turn that comes next; done where only the footer was missing.
        writer: Appends to the log, and nobody else can; closed where the game is done.
        recording: What was played so far, and noted meanwhile.
        repaired: What was repaired in the file, in words for the player, or an empty string.
    """

    stepper: Stepper
    writer: EventLogWriter
    recording: Recording
    repaired: str = ""


def reopen(path: Path, folders: Sequence[Path] = ()) -> Resumed:
    """Take up a game from its log: its turns are simulated again, and compared.

    A last line that was torn off is cut off, and a game that was played to its end and lacks only
    the footer gets it; nothing else in the file is changed.

    Args:
        folders: Where scenarios are, besides the built-in set.

    Raises:
        RecordingError: The game is over, is being played, does not verify, or cannot be written.
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
    """Cut off what follows the last whole line."""
    try:
        if os.fstat(descriptor).st_size > size:
            os.ftruncate(descriptor, size)
            os.fsync(descriptor)
    except OSError as error:
        raise cannot_write(path, error) from error
