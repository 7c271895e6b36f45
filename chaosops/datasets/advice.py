"""What helps where nothing could be exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from chaosops.datasets.episode import RowSelection
from chaosops.datasets.reasons import Reason
from chaosops.datasets.rows import Format

_OTHERS: Final = "play or record another game, or name other recordings"
_WHOLE: Final = "take copies that are whole; 'chaosops recordings verify' names what is wrong"
_VERSION: Final = (
    "get the recorded version, which 'chaosops recordings verify' names, or add --unverified"
)

_CURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        Reason.CANNOT_READ: _WHOLE,
        Reason.OTHER_FORMAT: "'chaosops recordings verify' names the version that reads them",
        Reason.EDITED: _WHOLE,
        Reason.DRIFTED: _VERSION,
        Reason.OTHER_ENGINE: "export them with the version that recorded them, which 'chaosops "
        "recordings verify' names",
        Reason.OTHER_SCENARIO: _VERSION,
        Reason.NO_SCENARIO: "name the folder of the incidents with --scenarios DIR, "
        "or add --unverified",
        Reason.WITHDRAWN: _OTHERS,
        Reason.DISCARDED: _OTHERS,
        Reason.NO_CONSENT: "agree with 'chaosops recordings consent --give actions', and play",
    }
)


def what_would_help(
    formats: Sequence[Format],
    wanted: RowSelection,
    left_out: Mapping[str, int],
    left_out_of: Mapping[Format, Mapping[str, int]],
) -> str:
    """What to do so that there is something to export.

    Args:
        left_out: Recordings by reason; the one that most of them have decides.
        left_out_of: What gave no row in a format, by reason.
    """
    if not left_out:
        return "ask for less with the filters, name other recordings, or play something first"
    most = max(left_out, key=lambda reason: left_out[reason])
    return _CURES.get(most) or _where_no_turn_fits(formats, wanted, left_out_of)


def _where_no_turn_fits(
    formats: Sequence[Format],
    wanted: RowSelection,
    left_out_of: Mapping[Format, Mapping[str, int]],
) -> str:
    if wanted.sources or wanted.roles:
        return "name others with --source, or other roles with --role"
    if tuple(formats) == (Format.PREFERENCE,):
        if wanted.forks is None:
            return "add --forks N to simulate what else could have been done"
        return "ask for more with --forks, for other turns with --turn, or for less --min-margin"
    if any(left_out_of.get(kind) for kind in formats):
        return "ask for another format, or for other recordings"
    return (
        "add --source scripted for the turns of policies, --source llm for those of programs in a "
        "seat, or play something first"
    )
