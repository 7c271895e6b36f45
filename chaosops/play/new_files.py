"""Files that people ask for: an existing one is replaced only if they say so."""

from __future__ import annotations

from pathlib import Path

from chaosops.errors import ChaosOpsError
from chaosops.files import create_file, replace_file, why
from chaosops.scenarios.problems import shown_path


def refuse_existing(path: Path) -> None:
    """Refuse a path that exists, before any work is done.

    Raises:
        ChaosOpsError: It exists, or can't be one.
    """
    try:
        exists = path.exists() or path.is_symlink()
    except OSError as error:
        raise _cannot_write(path, error) from error
    if exists:
        raise ChaosOpsError(
            f"{shown_path(path)} exists: name another file, or replace it with --force"
        )


def write_new(path: Path, text: str, *, force: bool) -> None:
    """Write a whole file or none.

    Args:
        force: Whether a file that exists is replaced.

    Raises:
        ChaosOpsError: It exists, or can't be written.
    """
    try:
        if force:
            replace_file(path, text)
        else:
            refuse_existing(path)
            create_file(path, text)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> ChaosOpsError:
    return ChaosOpsError(f"cannot write {shown_path(path)}: {why(error)}; name another file")
