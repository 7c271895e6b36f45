"""Where recordings live, and whether one can be written there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from platformdirs import user_data_path

from chaosops.errors import RecordingError

_CURE = "name another folder with --recordings DIR"


def default_folder() -> Path:
    """The folder of the user's recordings where none is named. It may not be there yet."""
    return user_data_path("chaosops", appauthor=False) / "recordings"


def writable_folder(folder: Path | None = None) -> Path:
    """The folder for new recordings, made if need be and proved to take a file.

    Args:
        folder: By default `default_folder()`.

    Raises:
        RecordingError: It cannot be made or written to.
    """
    chosen = default_folder() if folder is None else folder.expanduser()
    try:
        chosen.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=chosen) as probe:
            probe.write(b"0")
            probe.flush()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise RecordingError(f"cannot write recordings to {chosen}: {why}; {_CURE}") from error
    except (ValueError, RuntimeError) as error:
        raise RecordingError(f"cannot write recordings to {chosen}: {error}; {_CURE}") from error
    return chosen
