"""Opens files that a person or a folder named, and replaces small files all at once.

A path may lead anywhere: to a pipe that nobody writes to, to a device without an end, through a
symbolic link into somebody's collection of settings. Opening one here never waits, and replacing
one keeps the link, the permissions and the owner.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Final

WRITE: Final = os.O_WRONLY
READ: Final = os.O_RDONLY

_ALWAYS: Final = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
)
_KINDS: Final = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)


class NotAFileError(OSError):
    """The path leads to a folder, a pipe, a socket or a device; `strerror` says to which."""

    def __init__(self, path: Path, mode: int) -> None:
        kind = next((words for matches, words in _KINDS if matches(mode)), "it is something else")
        super().__init__(errno.EINVAL, f"{kind}, not a file", str(path))


class TooLargeError(OSError):
    """The file is larger than what is read of its kind."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {most // 1024} KiB", str(path))


def is_file(path: Path) -> bool:
    """Whether there is a regular file; a name that no file can have has none."""
    try:
        return path.is_file()
    except OSError:
        return False


def why(error: OSError) -> str:
    """What an error says, without its number and its path."""
    return error.strerror or str(error)


def open_descriptor(path: Path, flags: int) -> int:
    """Open a regular file, without ever waiting for what is at the other end of something else.

    Args:
        flags: `READ` or `WRITE`, and what else `os.open` takes. Nothing is created.

    Raises:
        OSError: It cannot be opened; NotAFileError where it is no regular file.
    """
    # Even to open some devices does something, so that it is asked before and, since what a path
    # leads to may have changed meanwhile, after.
    _require_regular(path, path.stat().st_mode)
    descriptor = os.open(path, flags | _ALWAYS)
    try:
        _require_regular(path, os.fstat(descriptor).st_mode)
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def open_file(path: Path) -> BufferedReader:
    """Open a regular file for reading.

    Raises:
        OSError: It cannot be opened; NotAFileError where it is no regular file.
    """
    return os.fdopen(open_descriptor(path, READ), "rb")


def read_bytes(path: Path, most: int) -> bytes:
    """All that is in a regular file.

    Args:
        most: Bytes that it may have.

    Raises:
        OSError: It cannot be read; NotAFileError where it is no regular file, TooLargeError where
            it has more.
    """
    with open_file(path) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise TooLargeError(path, most)
    return found


def replace_file(path: Path, text: str) -> None:
    """Write a small file, all of it or nothing.

    A symbolic link stays, and what it leads to is written. A file that is there keeps its
    permissions, and its owner as far as the system allows it; a new one is for its owner alone.

    Raises:
        OSError: It cannot be written; what was there before is still there.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    try:
        before = target.stat()
    except FileNotFoundError:
        before = None
    if before is not None:
        _require_regular(path, before.st_mode)
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            if before is not None:
                _take_over(file.fileno(), name, before)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
        sync_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def copy_file(path: Path, target: Path) -> None:
    """Copy a small file beside itself, with its permissions, under a name that is not taken.

    Raises:
        OSError: It cannot be copied; nothing is left of the copy.
    """
    with open_file(path) as file:
        descriptor = os.open(target, WRITE | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as copy:
                _take_over(descriptor, str(target), os.fstat(file.fileno()))
                shutil.copyfileobj(file, copy)
                copy.flush()
                os.fsync(descriptor)
            sync_folder(target.parent)
        except OSError:
            target.unlink(missing_ok=True)
            raise


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, where the system can.

    Raises:
        OSError: The disk failed.
    """
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotAFileError(path, mode)


def _take_over(descriptor: int, name: str, before: os.stat_result) -> None:
    """Give a new file the owner and the permissions of the one that it replaces."""
    mode = stat.S_IMODE(before.st_mode)
    if os.name != "posix":
        Path(name).chmod(mode)
        return
    now = os.fstat(descriptor)
    if now.st_uid != before.st_uid:
        with suppress(OSError):
            os.fchown(descriptor, before.st_uid, -1)
    if now.st_gid != before.st_gid:
        try:
            os.fchown(descriptor, -1, before.st_gid)
        except OSError:
            # The members of another group may do no more than everybody could.
            mode &= ~0o070 | ((mode & 0o007) << 3)
    os.fchmod(descriptor, mode)
