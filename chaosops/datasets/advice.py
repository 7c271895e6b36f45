"""Suggests what to do when there is nothing to export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from chaosops.datasets.episode import RowSelection
from chaosops.datasets.reasons import Reason
from chaosops.datasets.rows import Format

_OTHERS: Final = "record another game, or choose other recordings"
_WHOLE: Final = "use intact copies; 'chaosops recordings verify' shows what is wrong"
_VERSION: Final = (
    "use the recorded version, which 'chaosops recordings verify' shows, or add --unverified"
)

_CURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        Reason.CANNOT_READ: _WHOLE,
        Reason.OTHER_FORMAT: "'chaosops recordings verify' shows the version that reads them",
        Reason.EDITED: _WHOLE,
        Reason.DRIFTED: _VERSION,
        Reason.OTHER_ENGINE: "export them with the version that recorded them, which 'chaosops "
        "recordings verify' shows",
        Reason.OTHER_SCENARIO: _VERSION,
        Reason.NO_SCENARIO: "give the incidents' folder with --scenarios DIR, or add --unverified",
        Reason.WITHDRAWN: _OTHERS,
        Reason.DISCARDED: _OTHERS,
        Reason.NO_CONSENT: "run 'chaosops recordings consent --give actions', and play",
    }
)


def what_would_help(
    formats: Sequence[Format],
    wanted: RowSelection,
    left_out: Mapping[str, int],
    left_out_of: Mapping[Format, Mapping[str, int]],
) -> str:
    """Suggest how to get something to export.

    Args:
        left_out: Recordings by reason; the most common reason decides.
        left_out_of: What is left out of each format, by reason.
    """
    if not left_out:
        return "use fewer filters, choose other recordings, or play a game first"
    most = max(left_out, key=lambda reason: left_out[reason])
    return _CURES.get(most) or _where_no_turn_fits(formats, wanted, left_out_of)


def _where_no_turn_fits(
    formats: Sequence[Format],
    wanted: RowSelection,
    left_out_of: Mapping[Format, Mapping[str, int]],
) -> str:
    if wanted.sources or wanted.roles:
        return "use another --source or --role"
    if tuple(formats) == (Format.PREFERENCE,):
        if wanted.forks is None:
            return "add --forks N to simulate other actions"
        return "raise --forks, use another --turn, or lower --min-margin"
    if any(left_out_of.get(kind) for kind in formats):
        return "choose another format or other recordings"
    return (
        "add --source scripted for the turns of policies, --source llm for those of programs, or "
        "play a game first"
    )
