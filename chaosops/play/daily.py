"""The incident of the day: one for everyone, by the date in UTC."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple
from zlib import crc32

from chaosops.env.models import Difficulty
from chaosops.scenarios.summaries import ScenarioSummary


class Daily(NamedTuple):
    """The incident of a day, the same for everyone who plays the same version."""

    incident: ScenarioSummary
    seed: int
    day: date

    @property
    def words(self) -> str:
        """The day, such as "28 Nov"."""
        return f"{self.day.day} {_MONTHS[self.day.month - 1]}"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def daily_of(scenario: str, seed: int, incidents: Sequence[ScenarioSummary]) -> date | None:
    """Return the day whose incident a game was; None if it was no daily one.

    Args:
        scenario: Its id.
        incidents: The built-in set.
    """
    try:
        day = date(seed // 10_000, seed // 100 % 100, seed % 100)
    except ValueError:
        return None
    found = daily(incidents, day)
    return day if found is not None and found.incident.id == scenario else None


def daily(incidents: Sequence[ScenarioSummary], day: date) -> Daily | None:
    """Return the incident of a day: its seed is the date as yyyymmdd, which also selects it.

    Args:
        incidents: The built-in set; those of the tutorial are left out.
        day: In UTC.
    """
    pool = sorted(
        (seen for seen in incidents if seen.level is not Difficulty.TUTORIAL),
        key=lambda seen: seen.id,
    )
    if not pool:
        return None
    seed = day.year * 10_000 + day.month * 100 + day.day
    return Daily(pool[crc32(f"daily {seed}".encode()) % len(pool)], seed, day)
