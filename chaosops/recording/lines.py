"""The lines of a log file, plain or gzip, one at a time: a file may be larger than memory."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self

from chaosops.errors import RecordingError
from chaosops.files import open_file, why
from chaosops.text_safety import clean

MAX_LINE = 1024 * 1024
"""The longest line that is read, in bytes. The longest that the game writes has not half of it."""

MAX_VALUES = 50_000
"""The most values in a line: each takes a thousand times the memory of its character."""

SUFFIX = ".jsonl"
GZ_SUFFIX = ".jsonl.gz"

_GZIP = b"\x1f\x8b"
_BAD_GZIP = (EOFError, zlib.error, gzip.BadGzipFile)
_PRINTABLE = bytes(range(0x20, 0x7F))
_MAY_NEED_CLEANING = re.compile(rb"\\[bfru]|[^\x20-\x7e]")


class CannotRead(RecordingError):
    """The system does not let us read the file; the text names it."""


class RecordedLine(NamedTuple):
    """A line with its end; `number` counts from 1, `is_last` says that nothing follows."""

    number: int
    raw: bytes
    is_last: bool

    @property
    def is_torn(self) -> bool:
        """Whether it is the last one, and has no end: a line is written with its end, at once."""
        return self.is_last and not self.raw.endswith(b"\n")


class LineReader:
    """The lines of a log; used in a `with`, and iterated over once.

    Attributes:
        number: Of the line that was read last; 0 before the first.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self._files = ExitStack()
        self._file: gzip.GzipFile | BufferedReader | None = None

    def __enter__(self) -> Self:
        """Open the file.

        Raises:
            RecordingError: It cannot be read.
        """
        try:
            with ExitStack() as files:
                plain = files.enter_context(open_file(self.path))
                self._file = plain
                if plain.peek(2)[:2] == _GZIP:
                    self._file = files.enter_context(gzip.GzipFile(fileobj=plain))
                self._files = files.pop_all()
        except OSError as error:
            raise self._cannot_read(error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()

    def __iter__(self) -> Iterator[RecordedLine]:
        """Yield the lines.

        Raises:
            RecordingError: The file cannot be read on.
        """
        while raw := self._read():
            yield RecordedLine(self.number, raw, not self._more())

    def _read(self) -> bytes:
        if self._file is None:
            return b""
        try:
            raw: bytes = self._file.readline(MAX_LINE + 1)
        except _BAD_GZIP as error:
            self.number += 1
            raise RecordingError(f"the gzip data is cut short or damaged: {error}") from None
        except OSError as error:
            raise self._cannot_read(error) from error
        self.number += bool(raw)
        if len(raw) > MAX_LINE:
            raise RecordingError(f"the line is longer than {MAX_LINE // 1024} KiB")
        if len(raw) > MAX_VALUES and raw.count(b",") > MAX_VALUES:
            raise RecordingError(f"the line has more than {MAX_VALUES} values")
        return raw

    def _more(self) -> bool:
        """Whether something follows; what cannot be read is something."""
        try:
            return self._file is not None and bool(self._file.peek(1))
        except (*_BAD_GZIP, OSError):
            return True

    def _cannot_read(self, error: OSError) -> CannotRead:
        return CannotRead(
            f"cannot read the recording {self.path}: {why(error)}; give a {SUFFIX} file that "
            "the game wrote"
        )


def is_gzip(path: Path) -> bool:
    """Whether a file is packed; a file that cannot be read is not."""
    try:
        with open_file(path) as file:
            return file.read(2) == _GZIP
    except OSError:
        return False


def parse_line(raw: bytes) -> dict[str, Any]:
    """Return the line's JSON object, with its texts cleaned.

    Raises:
        ValueError: It is none, or has no end.
    """
    if not raw.endswith(b"\n"):
        raise ValueError("it does not end")
    try:
        event = json.loads(raw, parse_constant=_no_constant)
        if needs_cleaning(raw):
            event = _clean(event)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(event, dict):
        raise ValueError("it is another value")
    return event


def needs_cleaning(raw: bytes) -> bool:
    """Whether a line may hold text that is not safe to keep; its end does not count."""
    # Nearly every line has neither, and this says so in a tenth of the time of a search.
    if b"\\" not in raw and not raw[:-1].translate(None, _PRINTABLE):
        return False
    return bool(_MAY_NEED_CLEANING.search(raw, 0, len(raw) - 1))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _clean(item) for key, item in value.items()}
    return value
