"""The log of a game, which survives a failing disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Self

from chaosops.agents.runner import EpisodeStep
from chaosops.errors import RecordingError
from chaosops.files import is_file
from chaosops.recording.event_log import EventLogWriter, GoneError
from chaosops.recording.events import MAX_NOTES, Footer, Header, HumanPart, Note

if TYPE_CHECKING:
    from chaosops.recording.resume import Resumed


_TOLD_FOR: Final = 8
"""Turns for which the player is told that a recording was rewritten: two for each seat."""


class Log(Protocol):
    """A log to which turns are written, such as `EventLogWriter`."""

    path: Path

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        """Write a turn; raises RecordingError."""

    def note(self, note: Note) -> None:
        """Write what was done between two turns; raises RecordingError."""

    def finish(self, footer: Footer) -> None:
        """Write the footer and close; raises RecordingError."""

    def keep(self) -> bool:
        """Rewrite the file if it was removed; return whether it was. Raises RecordingError."""

    def close(self) -> None:
        """Close without a footer."""


def open_log(folder: Path, header: Header) -> Log:
    """Begin an event log in a folder; raises RecordingError."""
    return EventLogWriter.create(folder, header)


class GameLog:
    """The log of one game, which continues in memory when its disk fails.

    Attributes:
        notes: What was done between its turns.
        trouble: What a person should know about the disk; empty while there is no problem.
        lost: The first turn that is not on disk, counted from 0; None if all are.
    """

    def __init__(self) -> None:
        """Create a log that begins later, or never."""
        self._log: Log | None = None
        self.lost: int | None = None
        self.notes: list[Note] = []
        self.trouble = ""
        self._remade: int | None = None
        self._is_nothing_saved = self._is_closed = False

    @classmethod
    def going_on(cls, resumed: Resumed) -> Self:
        """Continue the log of a resumed game."""
        log = cls()
        log._log = resumed.writer
        log.notes += resumed.recording.notes
        return log

    def begin(self, open_in: Callable[[Path, Header], Log], folder: Path, header: Header) -> None:
        """Begin a log in a folder."""
        try:
            self._log = open_in(folder, header)
        except RecordingError as error:
            self.trouble = f"This game is not recorded: {error}"

    @property
    def was_remade(self) -> bool:
        """Whether the file was removed during the game and rewritten."""
        return self._remade is not None

    @property
    def is_gone(self) -> bool:
        """Whether the file of the recording has disappeared."""
        return self.path is not None and not is_file(self.path)

    def saved(self, turns: int) -> int:
        """Return how many turns are on disk, counted from the first.

        Args:
            turns: How many have been taken.
        """
        if self.path is None:
            return 0
        return turns if self.lost is None else self.lost

    @property
    def path(self) -> Path | None:
        """The file, if there is one."""
        return None if self._log is None else self._log.path

    def write(self, step: EpisodeStep, part: HumanPart, footer: Footer | None) -> None:
        """Write a turn, and the footer after the last one."""
        if self._log is not None:
            with self._reported(step.turn):
                self._log.turn(step, part)
                if footer is not None:
                    self._log.finish(footer)

    def note(self, note: Note) -> None:
        """Keep what was done between two turns; seat changes only while there is room for notes."""
        if note.hint is None and len(self.notes) >= MAX_NOTES // 2:
            return
        self.notes.append(note)
        if self._log is not None:
            with self._reported(note.turn or 0):
                self._log.note(note)

    @contextmanager
    def _reported(self, turn: int) -> Iterator[None]:
        """Report from which turn on nothing is recorded, until recording works again."""
        try:
            yield
            self._keep(turn)
        except GoneError as error:
            self.lost, self._is_nothing_saved = 0, True
            self.trouble = f"Nothing of this game is saved: {error}"
        except RecordingError as error:
            self.lost = turn if self.lost is None else self.lost
            self.trouble = f"Not recorded from turn {self.lost + 1} on: {error}"

    def keep(self, turn: int) -> None:
        """Check before the next turn that what was written is still there."""
        if self._log is None or self._is_closed:
            return
        if self.lost is None or self._is_nothing_saved:
            with self._reported(turn):
                pass

    def _keep(self, turn: int) -> None:
        assert self._log is not None
        if self._log.keep():
            self._remade = turn
        self.trouble, self.lost, self._is_nothing_saved = "", None, False
        if self._remade is not None and turn < self._remade + _TOLD_FOR:
            self.trouble = (
                f"The recording was deleted during the game and has been written again in full: "
                f"{self._log.path}"
            )

    def close(self) -> None:
        """Close the log. What was written stays; a finished episode has its footer."""
        self._is_closed = True
        if self._log is not None:
            self._log.close()
