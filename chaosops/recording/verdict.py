"""The verdict on a recording: whether each of its turns was reproduced, and what is wrong."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple


class VerificationStatus(StrEnum):
    """The result of a verification."""

    VERIFIED = "verified"
    EDITED = "edited"
    DRIFTED = "drifted"
    OTHER_ENGINE = "other_engine"
    OTHER_VERSION = "other_version"
    NO_SCENARIO = "no_scenario"
    DAMAGED = "damaged"


_SPEAKS_FOR_ITSELF: Final = frozenset(
    {
        VerificationStatus.VERIFIED,
        VerificationStatus.OTHER_ENGINE,
        VerificationStatus.OTHER_VERSION,
        VerificationStatus.NO_SCENARIO,
    }
)


class Verdict(NamedTuple):
    """What a verification found.

    Attributes:
        status: `edited` where the file was changed after it was written, sealed again or not;
            `drifted` where another version of ChaosOps wrote it, it is whole, and this engine
            gives something else; `other_engine` where the frames are those of an engine of
            another number, and are not compared; `other_version` where the scenario or the
            format is not the recorded one; `damaged` where it cannot be read on.
        turn, field: The first difference; None and empty if there is none, or it is in no turn.
        message: What is wrong, in one line; empty if nothing is.
        turns: Turns that are proved.
        finished: Whether the log is closed by a footer.
        warnings: Oddities that don't fail verification, such as a torn last line.
    """

    path: Path
    status: VerificationStatus
    turn: int | None = None
    field: str = ""
    message: str = ""
    turns: int = 0
    finished: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every turn in the file is proved."""
        return self.status is VerificationStatus.VERIFIED

    @property
    def reason(self) -> str:
        """What is wrong, and what that means for the file; empty if nothing is."""
        says_so = self.status in _SPEAKS_FOR_ITSELF
        return self.message if says_so else f"{self.status.value}: {self.message}"
