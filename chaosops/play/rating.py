"""A player's rating of an episode: its quality as an example, its workload, a comment."""

from __future__ import annotations

from typing import Final, NamedTuple

from chaosops.recording.events import Note, Workload
from chaosops.recording.times import now_ms

SCALES: Final = {
    "mental": "How much thinking did it take?",
    "physical": "How much manual effort?",
    "temporal": "How rushed was it?",
    "performance": "How badly did it go?",
    "effort": "How hard did you have to work?",
    "frustration": "How annoying was it?",
}
"""The six scales of NASA-TLX, from 0 to 100, in the order of the form; all of them or none."""


class Rating(NamedTuple):
    """A player's rating of an episode; None for what they left out."""

    quality: int | None = None
    workload: dict[str, int] | None = None
    comment: str | None = None

    def note(self) -> Note:
        """Return the rating as it is recorded."""
        return Note(
            at_ms=now_ms(),
            quality=self.quality,
            workload=None if self.workload is None else Workload(**self.workload),
            comment=self.comment,
        )
