"""Where a game's turns are written."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from chaosops.agents.runner import EpisodeStep
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import Footer, Header, HumanPart


class Log(Protocol):
    """Where the turns are written; `EventLogWriter` is one."""

    path: Path

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        """Write a turn; raises RecordingError."""

    def finish(self, footer: Footer) -> None:
        """Write the footer and close; raises RecordingError."""

    def close(self) -> None:
        """Close without a footer."""


def open_log(folder: Path, header: Header) -> Log:
    """Begin an event log in a folder; raises RecordingError."""
    return EventLogWriter.create(folder, header)
