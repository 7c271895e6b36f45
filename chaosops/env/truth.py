"""The truth of an episode apart from the physics: the cast, and names for readings."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.causes import Cast
from chaosops.scenarios.changes import DrawnChange


class Truth(NamedTuple):
    """What the seed drew.

    Attributes:
        casts: What is wrong, the first cause first.
        words: What is filled into the texts of the first cause.
        changes: The change history, oldest first.
        budget_minutes: Minutes of full outage that the error budget is worth.
        level: Factor of the usual user requests.
    """

    casts: tuple[Cast, ...]
    words: tuple[tuple[str, str], ...]
    changes: tuple[DrawnChange, ...]
    budget_minutes: float
    level: float
