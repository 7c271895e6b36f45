"""Times of the log: milliseconds since 1970 that every reader can show as a date."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import Field

LATEST_MS: Final = 253_402_214_400_000
"""The beginning of the last day of the year 9999 in UTC: a date in every time zone."""

Millis = Annotated[int, Field(ge=0, le=LATEST_MS)]


def now_ms() -> int:
    """Return the milliseconds since the epoch; a clock out of range gives the nearest date."""
    return as_millis(time.time())


def as_millis(seconds: float) -> int:
    """Convert seconds since the epoch to the log's milliseconds."""
    return int(min(max(seconds * 1000, 0), LATEST_MS))


def local_minute(ms: int) -> str:
    """Format a time of the log as local date and time, to the minute."""
    try:
        at = datetime.fromtimestamp(ms / 1000)
    except (OSError, OverflowError, ValueError):
        # Some systems have no local time for distant dates.
        at = datetime.fromtimestamp(ms / 1000, UTC)
    return f"{at:%Y-%m-%d %H:%M}"
