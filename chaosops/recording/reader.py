"""Reads a log back. The file is a stranger's: every line is checked, and nothing is executed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, NoReturn, Self

from pydantic import BaseModel, ConfigDict

from chaosops.agents.runner import EpisodeStep
from chaosops.errors import RecordingError
from chaosops.recording.codec import (
    ActionShape,
    FieldError,
    FrameDecoder,
    FrameShape,
    read_part,
)
from chaosops.recording.events import (
    MAX_NOTES,
    SCHEMA_VERSION,
    Footer,
    Header,
    HumanPart,
    Note,
    Opinion,
    opinion_of,
)
from chaosops.recording.first_edition import LATER_PARTS, has_first_columns
from chaosops.recording.layout import columns
from chaosops.recording.lines import (
    SUFFIX,
    CannotRead,
    LineReader,
    RecordedLine,
    needs_cleaning,
    parse_line,
)
from chaosops.recording.versions import (
    is_first_edition,
    other_columns,
    other_format,
    other_header,
    writer_of,
)
from chaosops.version import __version__

MAX_WHOLE = 256 * 1024 * 1024
"""The longest log that is read into memory as a whole, in bytes."""

NO_RECORDING = f"this is not a recording: choose a {SUFFIX} file that the game wrote"
DAMAGED = "the file is damaged or was edited: use an intact copy"


class RecordedTurn(NamedTuple):
    """A frame, and how its action came about."""

    frame: EpisodeStep
    human: HumanPart


@dataclass(frozen=True, slots=True)
class Recording:
    """A log that was read.

    Attributes:
        footer: None if the game was not finished.
        notes: What was noted between its turns, and said of it afterwards, oldest first.
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
        seal: The seal of the game: of the line that was read last, notes aside. Two files that
            end with the same one are copies.
        footer, notes, warnings: Once all turns were read.
    """

    header: Header

    def __init__(self, path: Path, *, max_bytes: int | None = None) -> None:
        """Read a file when the `with` is entered.

        Args:
            max_bytes: What its lines may come to; by default anything.
        """
        self.path = path
        self.seal = ""
        self.footer: Footer | None = None
        self.notes: list[Note] = []
        self.warnings: list[str] = []
        self._lines = LineReader(path)
        self._left = max_bytes

    @property
    def opinion(self) -> Opinion:
        """What the player thinks of it, once all turns were read."""
        return opinion_of(self.footer, self.notes)

    def __enter__(self) -> Self:
        self._lines.__enter__()
        try:
            with self._placed(NO_RECORDING):
                line = next(iter(self._lines), None)
                self.header = read_header(line)
        except RecordingError:
            self._lines.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lines.__exit__(kind, error, trace)

    def __iter__(self) -> Iterator[RecordedTurn]:
        with self._placed(DAMAGED):
            yield from self._turns()

    def _turns(self) -> Iterator[RecordedTurn]:
        order = _Order(self.header)
        frames = FrameDecoder(later=LATER_PARTS if is_first_edition(self.header) else {})
        for line in self._lines:
            self._count(line)
            event = read_event(line)
            if event is None:
                self.warnings.append(torn(line))
                break
            kind = order.kind_of(event)
            if kind == "turn":
                turn = read_part(TurnShape, line.raw if event.is_safe else event.data, "")
                recorded = RecordedTurn(frames.decode(turn.frame, turn.action), turn.human)
                order.turn(recorded.frame)
                self.seal = turn.seal
                yield recorded
            elif kind == "footer":
                end = read_part(FooterShape, event.data, "")
                self.footer, self.seal = end.footer, end.seal
                order.footer(self.footer)
            else:
                count_notes(len(self.notes) + 1)
                note = read_part(NoteShape, event.data, "").note
                place_note(note, None if self.footer else order.turns)
                self.notes.append(note)

    def _count(self, line: RecordedLine) -> None:
        if self._left is not None:
            self._left -= len(line.raw)
            if self._left < 0:
                raise RecordingError("the recording is too long to open")

    @contextmanager
    def _placed(self, cure: str) -> Iterator[None]:
        try:
            yield
        except CannotRead:
            raise
        except OtherVersion as error:
            raise OtherVersion(f"{self._place}: {error}") from None
        except RecordingError as error:
            raise RecordingError(f"{self._place}: {error}; {cure}") from None

    @property
    def _place(self) -> str:
        return f"{self.path}, line {max(self._lines.number, 1)}"


class OtherVersion(RecordingError):
    """A log of another version of the format. The text says what differs, and the cure."""


class Event(NamedTuple):
    """A line's JSON object; `is_safe` where its text is so in the file already."""

    data: dict[str, Any]
    is_safe: bool


class _Sealed(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True
    )

    seal: str


class HeaderShape(_Sealed):
    """The first line."""

    kind: Literal["header"]
    header: Header


class TurnShape(_Sealed):
    """The line of a turn."""

    kind: Literal["turn"]
    action: ActionShape
    human: HumanPart
    marks: dict[str, str]
    frame: FrameShape


class FooterShape(_Sealed):
    """The line that ends the game."""

    kind: Literal["footer"]
    footer: Footer


class NoteShape(_Sealed):
    """The line of a note."""

    kind: Literal["note"]
    note: Note


def read_event(line: RecordedLine) -> Event | None:
    """Parse a line's event; None for a torn last line.

    Raises:
        RecordingError: It is no event.
    """
    try:
        return Event(parse_line(line.raw), not needs_cleaning(line.raw))
    except ValueError as error:
        if line.number > 1 and line.is_torn:
            return None
        raise RecordingError(f"not a JSON object: {error}") from None


def torn(line: RecordedLine) -> str:
    """Return the warning for a torn last line."""
    return f"line {line.number} is incomplete and was left out"


def count_notes(count: int) -> None:
    """Let no file be a book of notes.

    Raises:
        RecordingError: There are too many.
    """
    if count > MAX_NOTES:
        raise RecordingError(f"there are more than {MAX_NOTES} notes")


def place_note(note: Note, turn: int | None) -> None:
    """Let a note be only where it says that it is.

    Args:
        turn: The turn to be taken there; None after the footer.

    Raises:
        RecordingError: It is somewhere else.
    """
    if turn is None and note.turn is not None:
        raise RecordingError("note.turn: a note from within the game after the footer")
    if turn is not None and note.turn is None:
        raise RecordingError("a note before the footer without a turn")
    if note.turn != turn:
        raise RecordingError(f"note.turn: this should be turn {turn}")


def read_header(line: RecordedLine | None) -> Header:
    """Parse the header in a log's first line.

    Raises:
        OtherVersion: It is one of another version of the format.
        RecordingError: It is none.
    """
    event = None if line is None else read_event(line)
    if event is None:
        _refuse("the file is empty")
    data: Any = event.data.get("header")
    if event.data.get("kind") != "header":
        _refuse("kind: not 'header'")
    version = data.get("schema_version") if isinstance(data, dict) else None
    if isinstance(version, int) and version != SCHEMA_VERSION:
        raise OtherVersion(other_format(data))
    try:
        header = read_part(HeaderShape, event.data, "").header
    except FieldError as error:
        if isinstance(data, dict) and writer_of(data) not in ("", __version__):
            raise OtherVersion(other_header(str(error), data)) from None
        raise
    if header.columns != columns() and not (
        is_first_edition(header) and has_first_columns(header.columns)
    ):
        raise OtherVersion(other_columns(header))
    return header


class _Order:
    """What the lines so far say, and whether the next one may follow.

    Attributes:
        turns: So many there were.
    """

    def __init__(self, header: Header) -> None:
        self._max_turns = header.max_turns
        self.turns = 0
        self._total = 0.0
        self._done = False
        self._closed = False

    def kind_of(self, event: Event) -> str:
        kind = event.data.get("kind")
        if kind == "header":
            _refuse("a second header")
        if kind not in ("turn", "footer", "note"):
            _refuse("kind: not one of turn, footer, note")
        if self._closed and kind != "note":
            _refuse("an event other than a note after the footer")
        return str(kind)

    def turn(self, frame: EpisodeStep) -> None:
        expected = self.turns
        if frame.turn != expected or frame.observation.step != expected:
            _refuse(f"frame.turn: this should be turn {expected}")
        if expected >= self._max_turns:
            _refuse(f"frame.turn: the header allows {self._max_turns} turns")
        if self._done:
            _refuse("frame.turn: the episode was over before")
        if not frame.role == frame.action.role == frame.observation.turn_role:
            _refuse("frame.role: not the role that saw and acted")
        if frame.reward != frame.breakdown.total:
            _refuse(
                f"frame.reward: {frame.reward} is not the sum of the breakdown, "
                f"{frame.breakdown.total}"
            )
        self.turns += 1
        self._total += frame.reward
        self._done = frame.done

    def footer(self, footer: Footer) -> None:
        if footer.turns != self.turns:
            _refuse(f"footer.turns: {footer.turns}, but there are {self.turns}")
        if footer.cumulative_reward != self._total:
            _refuse(
                f"footer.cumulative_reward: {footer.cumulative_reward} is not the sum of the "
                f"turns' rewards, {self._total}"
            )
        self._closed = True


def _refuse(why: str) -> NoReturn:
    raise RecordingError(why)
