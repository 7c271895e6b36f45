"""Opens files at untrusted paths safely, and replaces small files atomically.

A path may lead to a pipe without a writer, to an endless device, or through a symbolic link into
someone's settings repository. Opening a file here never blocks, and replacing one keeps the link,
the permissions and the owner.
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
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotAFileError(OSError):
    """The path leads to a folder, a pipe, a socket or a device; `strerror` says which."""

    def __init__(self, path: Path, mode: int) -> None:
        kind = next((words for matches, words in _KINDS if matches(mode)), "something else")
        super().__init__(errno.EINVAL, f"it is {kind}, not a file", str(path))


class TooLargeError(OSError):
    """The file is larger than the limit for its kind."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {most // 1024} KiB", str(path))


def is_file(path: Path) -> bool:
    """Whether the path is a regular file; an invalid name counts as none."""
    try:
        return path.is_file()
    except OSError:
        return False


def why(error: OSError) -> str:
    """Return the message of an error, without its number and path."""
    return error.strerror or str(error)


def open_descriptor(path: Path, flags: int) -> int:
    """Open a regular file, and never block on anything else.

    Args:
        flags: `READ` or `WRITE`, and other flags of `os.open`. No file is created.

    Raises:
        OSError: The file can't be opened; NotAFileError if it isn't a regular file.
    """
    # Opening some devices has side effects, so check first. Check again afterwards, because the
    # path may have changed in between.
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
        OSError: The file can't be opened; NotAFileError if it isn't a regular file.
    """
    return os.fdopen(open_descriptor(path, READ), "rb")


def read_bytes(path: Path, most: int) -> bytes:
    """Read a whole regular file.

    Args:
        most: The most bytes that the file may have.

    Raises:
        OSError: The file can't be read; NotAFileError if it isn't a regular file, TooLargeError
            if it is larger than `most`.
    """
    with open_file(path) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise TooLargeError(path, most)
    return found


def replace_file(path: Path, text: str) -> None:
    """Write a small file atomically.

    A symbolic link is kept, and its target is written. An existing file keeps its permissions and,
    if the system allows it, its owner; only its owner can read a new file.

    Raises:
        OSError: The file can't be written; an existing file is unchanged.
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


def create_file(path: Path, text: str) -> None:
    """Write a small file atomically to a path that doesn't exist yet.

    Raises:
        FileExistsError: The path exists, be it a link that leads nowhere.
        OSError: The file can't be written; nothing is left of it.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        try:
            # Unlike a rename, a link never replaces anything.
            path.hardlink_to(temporary)
        except FileExistsError:
            raise
        except OSError:
            # Not every file system has links.
            copy_file(temporary, path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def copy_file(path: Path, target: Path) -> None:
    """Copy a small file with its permissions to a path that doesn't exist yet.

    Raises:
        OSError: The file can't be copied; no partial copy is left.
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
    """Flush a folder's directory entries to disk, if the system supports it.

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
    """Give a new file the owner and the permissions of the file that it replaces."""
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
            # Give the new group no more permissions than others had.
            mode &= ~0o070 | ((mode & 0o007) << 3)
    os.fchmod(descriptor, mode)
