"""The lines of a log file, plain or gzip, one at a time: a file may be larger than memory."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, cast

from chaosops.env.text_safety import clean
from chaosops.errors import RecordingError

MAX_LINE = 8 * 1024 * 1024
"""The longest line that is read, in bytes."""

SUFFIX = ".jsonl"
GZ_SUFFIX = ".jsonl.gz"

_GZIP = b"\x1f\x8b"
_MAY_NEED_CLEANING = re.compile(rb"\\[bfru]|[^\x20-\x7e]")


class Line(NamedTuple):
    """A line with its end; `number` counts from 1, `is_last` says that nothing follows."""

    number: int
    raw: bytes
    is_last: bool


class Lines:
    """Iterates over the lines of an open log.

    Attributes:
        number: Of the line that was read last; 0 before the first.
    """

    def __init__(self, file: gzip.GzipFile | Any) -> None:
        self._file = file
        self.number = 0

    def __iter__(self) -> Iterator[Line]:
        while raw := self._read():
            yield Line(self.number, raw, not self._more())

    def _read(self) -> bytes:
        self.number += 1
        try:
            raw: bytes = self._file.readline(MAX_LINE + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise RecordingError(f"the gzip ends early or is damaged ({error})") from None
        if not raw:
            self.number -= 1
        return raw

    def _more(self) -> bool:
        try:
            return bool(self._file.peek(1))
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return True


@contextmanager
def open_lines(path: Path) -> Iterator[Lines]:
    """Open a log for reading.

    Raises:
        RecordingError: The file cannot be read.
    """
    try:
        with path.open("rb") as plain:
            if plain.peek(2)[:2] == _GZIP:
                with gzip.GzipFile(fileobj=cast(BinaryIO, plain)) as packed:
                    yield Lines(packed)
            else:
                yield Lines(plain)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise RecordingError(
            f"cannot read the recording {path}: {why}; give a {SUFFIX} file that the game wrote"
        ) from error


def is_gzip(path: Path) -> bool:
    """Whether a file is packed; a file that cannot be read is not."""
    try:
        with path.open("rb") as file:
            return file.read(2) == _GZIP
    except OSError:
        return False


def parse_line(raw: bytes) -> dict[str, Any]:
    """The line's JSON object, its text made safe.

    Raises:
        ValueError: It is none, or has no end.
    """
    if len(raw) > MAX_LINE:
        raise ValueError(f"it is longer than {MAX_LINE // 1024**2} MiB")
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
