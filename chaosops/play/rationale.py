"""A person's optional rationale of a decision: why, and how confident they are."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from chaosops.env.models import MAX_TEXT
from chaosops.play.formatting import shown
from chaosops.recording.events import HumanPart

_STEPS: Final = (25, 50, 75, 100)


class Thought(NamedTuple):
    """The rationale of one decision.

    Attributes:
        why: The reason in the person's own words; empty if there is none.
        sure: Their confidence from 0 to 100; None if they didn't say.
    """

    why: str = ""
    sure: int | None = None

    @classmethod
    def kept_in(cls, human: HumanPart) -> Thought:
        """Return the rationale in a recording."""
        return cls(human.rationale or "", human.confidence)

    def surer(self) -> Thought:
        """Return the same reason with the next confidence; after the last one it is left out."""
        above = (step for step in _STEPS if self.sure is None or step > self.sure)
        return self._replace(sure=next(above, None))

    def lines(self, limit: int = MAX_TEXT) -> list[str]:
        """Return the rationale as lines to show; empty if there is none.

        Args:
            limit: The most characters of the reason.
        """
        said = [f"why: {shown(self.why, limit)}"] if self.why else []
        return said if self.sure is None else [*said, f"{self.sure} % sure"]

    def fields(self) -> dict[str, Any]:
        """Return the fields of `HumanPart` that record it."""
        return {"rationale": self.why[:MAX_TEXT] or None, "confidence": self.sure}


UNSAID: Final = Thought()
"""No rationale, as for most decisions."""
