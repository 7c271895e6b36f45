"""Reads a log back. The file is a stranger's: every line is checked, and nothing is executed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self

from pydantic import BaseModel, ConfigDict

from chaosops.agents.runner import EpisodeStep
from chaosops.errors import RecordingError
from chaosops.recording.codec import FrameDecoder, FrameShape, read_part
from chaosops.recording.events import (
    SCHEMA_VERSION,
    Footer,
    Header,
    HumanPart,
    Note,
    Opinion,
    opinion_of,
)
from chaosops.recording.layout import columns
from chaosops.recording.lines import (
    MAX_LINE,
    SUFFIX,
    Line,
    Lines,
    needs_cleaning,
    open_lines,
    parse_line,
)

MAX_WHOLE = 256 * 1024 * 1024
"""The longest log that is read into memory as a whole, in bytes."""

_NO_RECORDING = f"this is no recording: give a {SUFFIX} file that the game wrote"
_DAMAGED = "the file is damaged or was edited: take a copy that is whole"
_OTHER_VERSION = "open it with the version of chaosops that wrote it"


class RecordedTurn(NamedTuple):
    """A frame, and how its action came about."""

    frame: EpisodeStep
    human: HumanPart


@dataclass(frozen=True, slots=True)
class Recording:
    """A log that was read.

    Attributes:
        footer: None where the game was not finished.
        notes: What was said of it afterwards, oldest first.
        warnings: What was odd but could be read over, a line each.
    """

    path: Path
    header: Header
    turns: tuple[RecordedTurn, ...]
    footer: Footer | None
    warnings: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    @property
    def frames(self) -> tuple[EpisodeStep, ...]:
        """The frames alone."""
        return tuple(turn.frame for turn in self.turns)

    @property
    def opinion(self) -> Opinion:
        """What the player thinks of it."""
        return opinion_of(self.footer, self.notes)


def read_recording(path: Path) -> Recording:
    """Read a log, plain or gzip, without changing it.

    A last line that was torn, as a power cut does, is left out and named in `warnings`.

    Raises:
        RecordingError: It cannot be read, is no recording, or is damaged elsewhere; the text
            names the line and the field.
    """
    with LogReader(path, max_bytes=MAX_WHOLE) as log:
        turns = tuple(log)
    return Recording(path, log.header, turns, log.footer, tuple(log.warnings), tuple(log.notes))


class LogReader:
    """Reads a log turn by turn, in memory that does not grow with the file.

    Used in a `with`, and iterated over once; it raises what `read_recording` raises. A torn last
    line is left out.

    Attributes:
        header: From the beginning on.
        footer, notes, warnings: Once all turns were read.
    """

    header: Header

    def __init__(self, path: Path, *, max_bytes: int | None = None) -> None:
        """Read a file when the `with` is entered.

        Args:
            max_bytes: What the lines may come to; by default anything.
        """
        self.path = path
        self.footer: Footer | None = None
        self.notes: list[Note] = []
        self.warnings: list[str] = []
        self._max_bytes = max_bytes
        self._stack = ExitStack()
        self._order = LineOrder()

    @property
    def opinion(self) -> Opinion:
        """What the player thinks of it, once all turns were read."""
        return opinion_of(self.footer, self.notes)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            lines = stack.enter_context(open_lines(self.path))
            self._events = self._read(lines)
            self.header = next(self._events, None) or self.header
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)
