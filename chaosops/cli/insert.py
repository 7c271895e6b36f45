"""Inserts generated text into a file, between two comments."""

from __future__ import annotations

from pathlib import Path

from chaosops.errors import ChaosOpsError
from chaosops.files import read_bytes, replace_file, why

_MOST = 2**22


def insert(path: Path, name: str, table: str) -> None:
    """Replace the text between `<!-- name: begin -->` and `<!-- name: end -->`.

    Raises:
        ChaosOpsError: The file can't be read or written, isn't text, or lacks the comments.
    """
    before, after = _around(path, name)
    try:
        replace_file(path, f"{before}\n{table}\n{after}")
    except OSError as error:
        raise _unwritten(path, error) from error


def has_room(path: Path, name: str) -> bool:
    """Return whether a file has the comments between which a table is inserted."""
    try:
        _around(path, name)
    except ChaosOpsError:
        return False
    return True


def check_room(path: Path, name: str) -> None:
    """Check that a table can be inserted, for those who work on it for long before they do.

    Raises:
        ChaosOpsError: The file can't be read, isn't text, or lacks the comments.
    """
    _around(path, name)


def _around(path: Path, name: str) -> tuple[str, str]:
    """Return what stands before and after a table, its comments included."""
    first, last = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    try:
        text = read_bytes(path, _MOST).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ChaosOpsError(f"{path} is not UTF-8 text: choose a Markdown file") from error
    except OSError as error:
        raise _unwritten(path, error) from error
    before, begin, rest = text.partition(first)
    _old, end, after = rest.partition(last)
    if not begin or not end:
        raise ChaosOpsError(f"{path} has no lines '{first}' and '{last}': add them first")
    return f"{before}{begin}", f"{end}{after}"


def _unwritten(path: Path, error: OSError) -> ChaosOpsError:
    return ChaosOpsError(f"cannot write the table to {path}: {why(error)}; choose a Markdown file")
