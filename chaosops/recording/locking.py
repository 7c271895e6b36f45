"""One writer a log: the lock that a process holds on the file while it plays or changes it.

The system lets go of it when the process ends, however it ends. Where a file system has no locks,
everyone gets one.
"""

from __future__ import annotations

import errno
import os
import sys

_HELD = frozenset({errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK})
_FAR_PAST_THE_END = 2**40


def try_lock(descriptor: int) -> bool:
    """Lock an open file; False if another process, or another descriptor, has it locked."""
    try:
        _lock(descriptor)
    except OSError as error:
        return error.errno not in _HELD
    return True


def lock_for_certain(descriptor: int) -> bool:
    """Lock an open file; False if someone may have it locked, as without locks nobody knows."""
    try:
        _lock(descriptor)
    except OSError:
        return False
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR_PAST_THE_END, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
