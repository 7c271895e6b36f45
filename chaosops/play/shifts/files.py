"""The files of shifts: one for each, beside the recordings, replaced as a whole after each step."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from chaosops.errors import ChaosOpsError
from chaosops.files import read_bytes, replace_file, why
from chaosops.play.formatting import shown
from chaosops.play.shifts.state import FORMAT, ShiftState
from chaosops.recording.folders import make_private
from chaosops.scenarios.problems import shown_path

_FOLDER: Final = "shifts"
_MOST_BYTES: Final = 2**18
_CURE: Final = "correct it, or remove the file to begin another shift"


class ShiftFileError(ChaosOpsError):
    """The file of a shift can't be read or written."""


class KeptShift(NamedTuple):
    """A shift on disk."""

    path: Path
    state: ShiftState


class KeptShifts(NamedTuple):
    """The shifts in a folder of recordings.

    Attributes:
        shifts: The oldest first.
        troubles: Why others can't be read.
    """

    shifts: tuple[KeptShift, ...]
    troubles: tuple[str, ...] = ()

    @property
    def unfinished(self) -> KeptShift | None:
        """The unfinished shift that was begun last."""
        return next((kept for kept in reversed(self.shifts) if not kept.state.is_over), None)


def new_path(recordings: Path) -> Path:
    """Return the path of a new shift's file.

    Args:
        recordings: The folder of the recordings.
    """
    return recordings / _FOLDER / f"{secrets.token_hex(8)}.json"


def read_shift(path: Path) -> ShiftState:
    """Read the file of a shift, which may have been edited by hand.

    Raises:
        ShiftFileError: It can't be read, or is none; the text says where, and what to do.
    """
    place = shown_path(path)
    try:
        data = json.loads(read_bytes(path, _MOST_BYTES))
    except OSError as error:
        raise ShiftFileError(f"cannot read the shift {place}: {why(error)}") from error
    except json.JSONDecodeError as error:
        reason = f"it is not JSON ({error.msg})"
        raise ShiftFileError(f"{place}:{error.lineno}: {reason}; {_CURE}") from error
    except (ValueError, RecursionError) as error:
        raise ShiftFileError(f"{place}: it is not JSON text in UTF-8; {_CURE}") from error
    version = data.get("format") if isinstance(data, dict) else None
    if type(version) is int and version > FORMAT:
        raise ShiftFileError(
            f"{place}: it is of a later version of chaosops (format {version}, and this reads "
            f"{FORMAT}): install that version, or begin another shift with 'chaosops shift --new'"
        )
    try:
        return ShiftState.model_validate_json(json.dumps(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        said = first["msg"].removeprefix("Value error, ")
        what = (
            f"{field}: {said[:1].lower()}{said[1:]}" if field else f"{said[:1].lower()}{said[1:]}"
        )
        raise ShiftFileError(f"{place}: {shown(what, 300)}; {_CURE}") from None


def write_shift(path: Path, state: ShiftState) -> None:
    """Write the file of a shift, all of it or nothing.

    Raises:
        ShiftFileError: It can't be written; what was there is unchanged.
    """
    try:
        make_private(path.parent)
        replace_file(path, state.model_dump_json(indent=2) + "\n")
    except OSError as error:
        raise ShiftFileError(
            f"cannot save the shift in {shown_path(path)}: {why(error)}; free disk space, or name "
            "another folder with --recordings DIR"
        ) from error


def kept_shifts(recordings: Path) -> KeptShifts:
    """Return the shifts in a folder of recordings."""
    found: list[KeptShift] = []
    troubles: list[str] = []
    try:
        paths = sorted((recordings / _FOLDER).glob("*.json"))
    except OSError:
        paths = []
    for path in paths:
        if path.name.startswith("."):
            continue
        try:
            found.append(KeptShift(path, read_shift(path)))
        except ShiftFileError as error:
            troubles.append(str(error))
    found.sort(key=lambda kept: (kept.state.started_at_ms, kept.path.name))
    return KeptShifts(tuple(found), tuple(troubles))
