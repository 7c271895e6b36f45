"""Why something is not in a data set, in words that follow a number."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a whole recording is not used."""

    CANNOT_READ = "recordings that cannot be read"
    OTHER_FORMAT = "recordings in another version of the format"
    EDITED = "recordings edited after the game"
    DRIFTED = "recordings whose frames this engine does not give"
    OTHER_ENGINE = "recordings of another engine"
    OTHER_SCENARIO = "recordings on another version of the incident"
    NO_SCENARIO = "recordings whose incident is not here"
    COPY = "recordings of a game that is in it already"
    WITHDRAWN = "recordings whose player took the consent back"
    DISCARDED = "recordings discarded by the player"
    NO_CONSENT = "recordings without consent to use what the player did"
    NO_TURN = "recordings without a turn that was asked for"


def counted(count: int, what: str) -> str:
    """A number and what it counts, whose first word is a plural.

    >>> counted(1, "recordings discarded by the player")
    '1 recording discarded by the player'
    """
    first, space, rest = what.partition(" ")
    return f"{count} {first.removesuffix('s') if count == 1 else first}{space}{rest}"
