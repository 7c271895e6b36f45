"""Reasons why something is left out of a data set, worded to follow a count."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a whole recording is left out."""

    CANNOT_READ = "recordings that cannot be read"
    OTHER_FORMAT = "recordings in another version of the format"
    EDITED = "recordings edited after the game"
    DRIFTED = "recordings with frames that this engine does not reproduce"
    OTHER_ENGINE = "recordings from another engine version"
    OTHER_SCENARIO = "recordings with another version of the incident"
    NO_SCENARIO = "recordings whose incident was not found"
    COPY = "recordings of a game that is already included"
    WITHDRAWN = "recordings whose player withdrew consent"
    DISCARDED = "recordings discarded by the player"
    NO_CONSENT = "recordings without consent to the use of the player's actions"
    NO_TURN = "recordings without a selected turn"


def counted(count: int, what: str) -> str:
    """Format a count with its noun, the plural first word of `what`.

    >>> counted(1, "recordings discarded by the player")
    '1 recording discarded by the player'
    """
    first, space, rest = what.partition(" ")
    return f"{count} {first.removesuffix('s') if count == 1 else first}{space}{rest}"
