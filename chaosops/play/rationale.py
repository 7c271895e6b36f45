"""What a person says of a decision, if they like: why, and how sure they are."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from chaosops.env.models import MAX_TEXT
from chaosops.play.formatting import shown
from chaosops.recording.events import HumanPart

_STEPS: Final = (25, 50, 75, 100)


class Thought(NamedTuple):
    """What was said of one decision.

    Attributes:
        why: The reason in the person's own words; empty if there is none.
        sure: How sure they are, from 0 to 100; None if they did not say.
    """

    why: str = ""
    sure: int | None = None

    @classmethod
    def kept_in(cls, human: HumanPart) -> Thought:
        """What a recording has of it."""
        return cls(human.rationale or "", human.confidence)

    def surer(self) -> Thought:
        """The same reason and the next step of sureness; after the last one it is left unsaid."""
        above = (step for step in _STEPS if self.sure is None or step > self.sure)
        return self._replace(sure=next(above, None))

    def lines(self, limit: int = MAX_TEXT) -> list[str]:
        """What was said, a line each, ready to be shown; nothing where nothing was.

        Args:
            limit: The most characters of the reason.
        """
        said = [f"why: {shown(self.why, limit)}"] if self.why else []
        return said if self.sure is None else [*said, f"{self.sure} % sure"]

    def fields(self) -> dict[str, Any]:
        """The fields of `HumanPart` that it is kept in."""
        return {"rationale": self.why[:MAX_TEXT] or None, "confidence": self.sure}


UNSAID: Final = Thought()
"""Of most decisions nobody says anything."""
