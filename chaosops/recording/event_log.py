"""Writes an episode's log: one JSON line an event, on the disk before the call returns."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from chaosops.agents.runner import EpisodeStep
from chaosops.errors import RecordingError
from chaosops.recording.codec import FrameEncoder
from chaosops.recording.events import Footer, Header, HumanPart, Part

SUFFIX = ".jsonl"


class EventLogWriter:
    """The log of one episode that is being played.

    What a call wrote is on the disk when it returns. Where the disk fails, the call raises, what
    was written before stays whole, and the event is kept and written with the next call.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        """Take over an empty file, open for writing; `create` is how a log is begun."""
        self.path = path
        self._descriptor: int | None = descriptor
        self._size = 0
        self._pending: list[bytes] = []
        self._frames = FrameEncoder()

    @classmethod
    def create(cls, folder: Path, header: Header) -> EventLogWriter:
        """Begin a log in a new file, `<scenario>-<seed>-<random>.jsonl`, that only its owner reads.

        Raises:
            RecordingError: The file cannot be written; none is left behind.
        """
        scenario = re.sub(r"[^A-Za-z0-9_-]+", "_", header.scenario)[:60]
        path = folder / f"{scenario}-{header.seed}-{header.episode_id[:12]}{SUFFIX}"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
            writer = cls(path, os.open(path, flags, 0o600))
        except OSError as error:
            raise _failed(path, error) from error
        try:
            writer._append("header", header=_dump(header))
            _sync_folder(folder)
        except (RecordingError, OSError) as error:
            writer.abandon()
            raise error if isinstance(error, RecordingError) else _failed(path, error) from error
        return writer

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        """Write a turn.

        Raises:
            RecordingError: The disk failed; the turn is kept for the next call.
        """
        self._append("turn", frame=self._frames.encode(frame), human=_dump(human))

    def finish(self, footer: Footer) -> None:
        """Write the footer and close the log.

        Raises:
            RecordingError: The disk failed; what is on it stays as it is, without a footer.
        """
        try:
            self._append("footer", footer=_dump(footer))
        finally:
            self.close()

    def close(self) -> None:
        """Close the file. A log without a footer is of a game that may be resumed."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def abandon(self) -> None:
        """Close the log and remove its file."""
        self.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _append(self, kind: str, **parts: Any) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            raise RecordingError(f"the recording {self.path} is closed: begin another one")
        self._pending.append(to_line({"kind": kind, **parts}))
        block = b"".join(self._pending)
        try:
            _write(descriptor, block)
            os.fsync(descriptor)
        except OSError as error:
            self._take_back(descriptor)
            raise _failed(self.path, error) from error
        self._size += len(block)
        self._pending.clear()

    def _take_back(self, descriptor: int) -> None:
        """Cut off what a failed write may have left, so that the next one does not follow it."""
        try:
            os.ftruncate(descriptor, self._size)
            os.lseek(descriptor, self._size, os.SEEK_SET)
        except OSError:
            self.close()


def to_line(event: dict[str, Any]) -> bytes:
    """An event as a line of the log."""
    text = json.dumps(event, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def _dump(part: Part) -> dict[str, Any]:
    return part.model_dump(mode="json")


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failed(path: Path, error: OSError) -> RecordingError:
    why = os.strerror(error.errno) if error.errno else str(error)
    return RecordingError(
        f"cannot write the recording {path}: {why}; make room there, "
        "or name another folder with --recordings DIR"
    )
