"""The folders of recordings, and whether they can be written to."""

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
    """Return the default folder of the user's recordings, which may not exist yet."""
    return user_data_path("chaosops", appauthor=False) / "recordings"


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents, accessible to the user only.

    Existing ones keep their permissions, except for the user's own data folder and what is
    in it, to which everyone else loses access.

    Raises:
        OSError: It can't be made.
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
    """Return the folder for new recordings; create it if needed, and check that it is writable.

    Args:
        folder: By default `default_folder()`.

    Raises:
        RecordingError: It can't be made or written to.
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
