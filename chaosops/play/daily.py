"""The incident of the day: one for everyone, by the date in UTC, drawn from proven seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zlib import crc32

from chaosops.errors import ChaosOpsError
from chaosops.evaluation.proven_seeds import ProvenSeeds, ProvenSeedsError, shipped_seeds
from chaosops.scenarios.summaries import ScenarioSummary, scenario_summaries


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


def today_in_utc() -> date:
    """Return today's date in UTC."""
    return datetime.now(UTC).date()


def days_of(today: date) -> tuple[date, date]:
    """Return the days whose incident may be played now: a game may go on past midnight."""
    return today, today - timedelta(days=1)


def daily_of(
    scenario: str, seed: int, incidents: Sequence[ScenarioSummary], days: Iterable[date]
) -> date | None:
    """Return the day whose incident a game was; None if it was of none of some days.

    Args:
        scenario: Its id.
        incidents: The built-in set.
    """
    for day in days:
        found = daily(incidents, day)
        if found is not None and (found.incident.id, found.seed) == (scenario, seed):
            return day
    return None


def daily(
    incidents: Sequence[ScenarioSummary], day: date, proven: ProvenSeeds | None = None
) -> Daily | None:
    """Return the incident of a day; None if no seed is proven on this engine.

    Args:
        incidents: The built-in set; those without proven seeds, such as lessons, are left out.
        day: In UTC.
        proven: By default the shipped seeds.
    """
    try:
        known = proven or shipped_seeds()
    except ProvenSeedsError:
        return None
    pool = sorted(
        (
            seen
            for seen in incidents
            if seen.id in known.situations and known.situations[seen.id].seeds
        ),
        key=lambda seen: seen.id,
    )
    if not pool or not known.is_current:
        return None
    incident = pool[_picked(day, "incident", len(pool))]
    seeds = known.situations[incident.id].seeds
    return Daily(incident, seeds[_picked(day, "seed", len(seeds))], day)


def required_daily(day: date) -> Daily:
    """Return the incident of a day, whose seed was proven on it as it is here.

    Raises:
        ChaosOpsError: There is none, or it was proven on another version.
    """
    from chaosops.scenarios.loader import open_scenario

    known = shipped_seeds()
    known.require_engine()
    found = daily(scenario_summaries(), day, known)
    if found is None:
        raise ChaosOpsError("no incident has proven seeds: install chaosops again")
    known.situations[found.incident.id].require(open_scenario(found.incident.id))
    return found


def _picked(day: date, what: str, count: int) -> int:
    return crc32(f"daily {what} {day.isoformat()}".encode()) % count
