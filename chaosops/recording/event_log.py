"""Writes an episode's log: one JSON line per event, on disk before the call returns."""

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
"""The mode of a new log. It can be read, so that one whose file was removed can be rewritten."""


class GoneError(RecordingError):
    """The file of a log was removed while it was written, and can't be rewritten."""


class EventLogWriter:
    """The log of an episode in progress.

    What a call wrote is on disk when it returns. If the disk fails, the call raises, what
    was written before stays intact, and the event is kept and written with the next call. While
    the log is open, no other process can write to it.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, descriptor: int, script: Script | None = None) -> None:
        """Take over a file that is open for writing, and continue at its end.

        Args:
            script: What wrote the existing lines; None for an empty file.
        """
        self.path = path
        self._descriptor: int | None = descriptor
        self._size = os.lseek(descriptor, 0, os.SEEK_END)
        self._pending: list[bytes] = []
        self._was_remade = False
        self._script = script or Script()

    @classmethod
    def create(cls, folder: Path, header: Header) -> EventLogWriter:
        """Begin a log in a new file, `<scenario>-<seed>-<random>.jsonl`, private to its owner.

        Raises:
            RecordingError: The file can't be written; none is left behind.
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
        """Write what was done between two turns; its `turn` is the next one.

        Raises:
            RecordingError: The disk failed; the note is kept for the next call.
        """
        self._require_open()
        self._append(self._script.note(note))

    def finish(self, footer: Footer) -> None:
        """Write the footer and close the log.

        Raises:
            RecordingError: The disk failed; what is on it stays without a footer.
        """
        self._require_open()
        try:
            self._append(self._script.footer(footer))
        finally:
            self.close()

    def keep(self) -> bool:
        """Check that the file still exists, and rewrite it if not.

        If another file has its name now, it gets a new one.

        Returns:
            Whether it had to be rewritten since the last call.

        Raises:
            GoneError: It was removed and can't be rewritten. What is written from now on is
                kept for the next attempt.
        """
        self._remake_if_gone()
        remade, self._was_remade = self._was_remade, False
        return remade

    def close(self) -> None:
        """Close the file. A game whose log has no footer can be resumed."""
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
            # A file without a name can still be read by whoever has it open.
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
        """Cut off what a failed write may have left before the next one."""
        try:
            os.ftruncate(descriptor, self._size)
            os.lseek(descriptor, self._size, os.SEEK_SET)
        except OSError:
            self.close()


def lock(path: Path, descriptor: int | None) -> None:
    """Lock an open log for writing.

    Raises:
        RecordingError: The recording is being played.
    """
    if descriptor is not None and not try_lock(descriptor):
        raise RecordingError(f"the recording {path} is being played: end that game first")


def _read_all(descriptor: int, size: int) -> bytes:
    """Read the beginning of an open file without moving its position."""
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
    """Return the path, or a similar one that is not taken."""
    found, number = path, 1
    while found.exists() or found.is_symlink():
        number += 1
        found = path.with_name(f"{path.name.removesuffix(SUFFIX)}-{number}{SUFFIX}")
    return found


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, in as many calls as it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def cannot_write(path: Path, error: OSError) -> RecordingError:
    """Return the error of a log that can't be written."""
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
    """Open a file for writing at its end, and lock it meanwhile.

    Raises:
        RecordingError: It can't be written, or its game is being played.
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
    """Whether a file can't be written now: its game is being played, or the system refuses."""
    try:
        with held(path):
            return False
    except RecordingError:
        return True
