"""Where a game's turns are written, and how what a copilot said is put down there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from chaosops.agents.runner import EpisodeStep
from chaosops.errors import RecordingError
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import MAX_NOTES, Footer, Header, HumanPart, Note, Suggestion
from tui.offers import Offer

if TYPE_CHECKING:
    from chaosops.recording.resume import Resumed


class Log(Protocol):
    """Where the turns are written; `EventLogWriter` is one."""

    path: Path

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        """Write a turn; raises RecordingError."""

    def note(self, note: Note) -> None:
        """Write what was done between two turns; raises RecordingError."""

    def finish(self, footer: Footer) -> None:
        """Write the footer and close; raises RecordingError."""

    def close(self) -> None:
        """Close without a footer."""


def open_log(folder: Path, header: Header) -> Log:
    """Begin an event log in a folder; raises RecordingError."""
    return EventLogWriter.create(folder, header)


def suggested(offer: Offer, policy: str, *, accepted: bool) -> Suggestion:
    """What a copilot of that policy proposed, as the log has it.

    Args:
        accepted: Whether that is what was done.
    """
    return Suggestion.model_validate(
        {
            "policy": policy,
            "action_type": str(offer.action.action_type),
            "target": offer.action.target,
            "args": dict(offer.action.args),
            "reason": offer.why,
            "accepted": accepted,
        }
    )


class GameLog:
    """The log of one game, which goes on where its disk does not.

    Attributes:
        notes: What was done between its turns.
        trouble: What a person should know of the disk; empty while all is well.
        lost: The first turn that is not on disk, counted from 0; None where all are.
    """

    def __init__(self) -> None:
        """A log that begins later, or never."""
        self._log: Log | None = None
        self.lost: int | None = None
        self.notes: list[Note] = []
        self.trouble = ""

    @classmethod
    def going_on(cls, resumed: Resumed) -> Self:
        """The log of a game that was taken up."""
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
    def path(self) -> Path | None:
        """The file, where there is one."""
        return None if self._log is None else self._log.path

    def write(self, step: EpisodeStep, part: HumanPart, footer: Footer | None) -> None:
        """Write a turn, and the footer after the last one."""
        if self._log is not None:
            with self._reported(step.turn):
                self._log.turn(step, part)
                if footer is not None:
                    self._log.finish(footer)

    def note(self, note: Note) -> None:
        """Keep what was done between two turns; of seats, as long as afterthoughts have room."""
        if note.hint is None and len(self.notes) >= MAX_NOTES // 2:
            return
        self.notes.append(note)
        if self._log is not None:
            with self._reported(note.turn or 0):
                self._log.note(note)

    @contextmanager
    def _reported(self, turn: int) -> Iterator[None]:
        """Say from which turn on nothing is recorded, until it is again."""
        try:
            yield
            self.trouble, self.lost = "", None
        except RecordingError as error:
            self.lost = turn if self.lost is None else self.lost
            self.trouble = f"Not recorded from turn {self.lost + 1} on: {error}"

    def close(self) -> None:
        """Close it. What was written stays; a finished episode has its footer."""
        if self._log is not None:
            self._log.close()
