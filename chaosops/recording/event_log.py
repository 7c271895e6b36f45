"""Writes an episode's log: one JSON line an event, on the disk before the call returns."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from chaosops.agents.runner import EpisodeStep
from chaosops.errors import RecordingError
from chaosops.files import WRITE, NotAFileError, open_descriptor, sync_folder, why
from chaosops.recording.events import Footer, Header, HumanPart, Note
from chaosops.recording.lines import SUFFIX
from chaosops.recording.locking import try_lock
from chaosops.recording.script import Script

__all__ = ["SUFFIX", "EventLogWriter"]

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""How a log is begun. It can be read, so that one whose name was removed can be written anew."""


class GoneError(RecordingError):
    """The file of a log was removed while it was written, and cannot be written anew."""


class EventLogWriter:
    """The log of one episode that is being played.

    What a call wrote is on the disk when it returns. Where the disk fails, the call raises, what
    was written before stays whole, and the event is kept and written with the next call. While
    the log is open, no other process can write to it.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, descriptor: int, script: Script | None = None) -> None:
        """Take over a file that is open for writing, and go on at its end.

        Args:
            script: What wrote the lines that are there; None for an empty file.
        """
        self.path = path
        self._descriptor: int | None = descriptor
        self._size = os.lseek(descriptor, 0, os.SEEK_END)
        self._pending: list[bytes] = []
        self._was_remade = False
        self._script = script or Script()

    @classmethod
    def create(cls, folder: Path, header: Header) -> EventLogWriter:
        """Begin a log in a new file, `<scenario>-<seed>-<random>.jsonl`, that only its owner reads.

        Raises:
            RecordingError: The file cannot be written; none is left behind.
        """
        scenario = re.sub(r"[^A-Za-z0-9_-]+", "_", header.scenario)[:60]
        path = folder / f"{scenario}-{header.seed}-{header.episode_id[:12]}{SUFFIX}"
        try:
            writer = cls(path, os.open(path, _NEW, 0o600))
        except OSError as error:
            raise cannot_write(path, error) from error
        try:
            lock(path, writer._descriptor)
            writer._append(writer._script.header(header))
            sync_folder(folder)
        except (RecordingError, OSError) as error:
            writer.abandon()
            if isinstance(error, RecordingError):
                raise
            raise cannot_write(path, error) from error
        return writer

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        """Write a turn.

        Raises:
            RecordingError: The disk failed; the turn is kept for the next call.
        """
        self._require_open()
        self._append(self._script.turn(frame, human))

    def note(self, note: Note) -> None:
        """Write what was done between two turns; its `turn` is the one to be taken.

        Raises:
            RecordingError: The disk failed; the note is kept for the next call.
        """
        self._require_open()
        self._append(self._script.note(note))

    def finish(self, footer: Footer) -> None:
        """Write the footer and close the log.

        Raises:
            RecordingError: The disk failed; what is on it stays as it is, without a footer.
        """
        self._require_open()
        try:
            self._append(self._script.footer(footer))
        finally:
            self.close()

    def keep(self) -> bool:
        """Make sure that the file is still where it was, and write it there anew if it is not.

        Where another file has its name now, it gets a new one.

        Returns:
            Whether it had to be written anew since this was asked last.

        Raises:
            GoneError: It was removed, and cannot be written anew. What is written from now on is
                kept for the next try.
        """
        self._remake_if_gone()
        remade, self._was_remade = self._was_remade, False
        return remade

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

    def _require_open(self) -> int:
        if self._descriptor is None:
            raise RecordingError(f"the recording {self.path} is closed: start another one")
        return self._descriptor

    def _append(self, line: bytes) -> None:
        descriptor = self._require_open()
        self._pending.append(line)
        block = b"".join(self._pending)
        try:
            write_all(descriptor, block)
            os.fsync(descriptor)
        except OSError as error:
            self._take_back(descriptor)
            raise cannot_write(self.path, error) from error
        self._size += len(block)
        self._pending.clear()
        self._remake_if_gone()

    def _remake_if_gone(self) -> None:
        if self._descriptor is None or self._is_in_place(self._descriptor):
            return
        try:
            # What has no name any more can still be read by whoever has it open.
            content = _read_all(self._descriptor, self._size)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            path = _free_name(self.path)
            descriptor = os.open(path, _NEW, 0o600)
            try:
                lock(path, descriptor)
                write_all(descriptor, content)
                os.fsync(descriptor)
                sync_folder(path.parent)
            except BaseException:
                os.close(descriptor)
                path.unlink(missing_ok=True)
                raise
        except (OSError, RecordingError) as error:
            reason = why(error) if isinstance(error, OSError) else str(error)
            raise GoneError(
                f"the recording {self.path} was removed, and cannot be written anew: {reason}; "
                "make its folder writable, and the next turn will write it all"
            ) from error
        os.close(self._descriptor)
        self._descriptor, self.path, self._was_remade = descriptor, path, True

    def _is_in_place(self, descriptor: int) -> bool:
        try:
            there = self.path.stat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(descriptor))

    def _take_back(self, descriptor: int) -> None:
        """Cut off what a failed write may have left, so that the next one does not follow it."""
        try:
            os.ftruncate(descriptor, self._size)
            os.lseek(descriptor, self._size, os.SEEK_SET)
        except OSError:
            self.close()


def lock(path: Path, descriptor: int | None) -> None:
    """Make sure that nobody else writes to an open log.

    Raises:
        RecordingError: The recording is being played.
    """
    if descriptor is not None and not try_lock(descriptor):
        raise RecordingError(f"the recording {path} is being played: end that game first")


def _read_all(descriptor: int, size: int) -> bytes:
    """The beginning of an open file; where it is read and written next does not change."""
    at = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        parts: list[bytes] = []
        left = size
        while left and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    finally:
        os.lseek(descriptor, at, os.SEEK_SET)
    if left:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return b"".join(parts)


def _free_name(path: Path) -> Path:
    """The path, or one like it that is not taken."""
    found, number = path, 1
    while found.exists() or found.is_symlink():
        number += 1
        found = path.with_name(f"{path.name.removesuffix(SUFFIX)}-{number}{SUFFIX}")
    return found


def write_all(descriptor: int, data: bytes) -> None:
    """Write all the bytes, however many calls it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def cannot_write(path: Path, error: OSError) -> RecordingError:
    """The error of a log that cannot be written."""
    if isinstance(error, NotAFileError):
        return RecordingError(
            f"cannot write the recording {path}: {why(error)}; choose a recording"
        )
    return RecordingError(
        f"cannot write the recording {path}: {why(error)}; free disk space, "
        "or name another folder with --recordings DIR"
    )


@contextmanager
def held(path: Path) -> Iterator[int]:
    """The file, open for writing at its end, and nobody else's while this lasts.

    Raises:
        RecordingError: It cannot be written, or a game is being played in it.
    """
    try:
        descriptor = open_descriptor(path, WRITE | os.O_APPEND)
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        lock(path, descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether a file cannot be written to now: a game is being played, or the system refuses."""
    try:
        with held(path):
            return False
    except RecordingError:
        return True
