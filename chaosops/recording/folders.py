"""Where recordings live, and whether one can be written there."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from chaosops.errors import RecordingError

_PRIVATE: Final = 0o700
_CURE = "name another folder with --recordings DIR"


def default_folder() -> Path:
    """The folder of the user's recordings where none is named. It may not be there yet."""
    return user_data_path("chaosops", appauthor=False) / "recordings"


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the user alone.

    One that is there already keeps its permissions, but for the user's own data folder and what is
    in it: there they are taken from everyone else.

    Raises:
        OSError: It cannot be made.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=_PRIVATE, exist_ok=True)
    own = user_data_path("chaosops", appauthor=False)
    if os.name == "posix":
        for place in (own, own / "recordings"):
            if place in (folder, *folder.parents):
                _take_from_others(place)


def _take_from_others(folder: Path) -> None:
    with suppress(OSError):
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & 0o077:
            folder.chmod(mode & ~0o077)


def writable_folder(folder: Path | None = None) -> Path:
    """The folder for new recordings, made if need be and proved to take a file.

    Args:
        folder: By default `default_folder()`.

    Raises:
        RecordingError: It cannot be made or written to.
    """
    chosen = default_folder() if folder is None else folder.expanduser()
    try:
        make_private(chosen)
        with tempfile.TemporaryFile(dir=chosen) as probe:
            probe.write(b"0")
            probe.flush()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise RecordingError(f"cannot write recordings to {chosen}: {why}; {_CURE}") from error
    except (ValueError, RuntimeError) as error:
        raise RecordingError(f"cannot write recordings to {chosen}: {error}; {_CURE}") from error
    return chosen
