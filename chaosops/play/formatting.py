"""Formatting: roles, health, clocks and numbers as text. Needs no screen.

Every screen needs it, the first one too, so it imports little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from chaosops.env.models import AgentRole, Health
from chaosops.env.models.roles import ROLES
from chaosops.text_safety import clean

if TYPE_CHECKING:
    from chaosops.env.models import Status

ROLE_NAMES: Final[Mapping[AgentRole, str]] = {role: spec.name for role, spec in ROLES.items()}

MUTED: Final = "$foreground-muted"
"""The style of secondary text."""

HEALTH_SHAPES: Final[Mapping[Health, str]] = {
    Health.HEALTHY: "●",
    Health.DEGRADED: "▲",
    Health.CRITICAL: "■",
    Health.DOWN: "✖",
}

HEALTH_STYLES: Final[Mapping[Health, str]] = {
    Health.HEALTHY: "$success",
    Health.DEGRADED: "$warning",
    Health.CRITICAL: "$error",
    Health.DOWN: "bold $error",
}

_BARS = "▁▂▃▄▅▆▇"


def shown(text: object, limit: int = 2_100) -> str:
    """Put foreign text on one line: replace unsafe characters, make line ends visible."""
    line = clean(str(text)[: limit + 1]).replace("\n", " ⏎ ").replace("\t", " ")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def in_words(name: object) -> str:
    """Replace the underscores of a name by blanks."""
    return shown(name, 80).replace("_", " ")


def role_word(value: object) -> str:
    """Return a role's name; any other text is returned as it is."""
    try:
        return ROLE_NAMES[AgentRole(str(value))]
    except ValueError:
        return shown(value, 80)


def clock(status: Status, minute: int) -> str:
    """Format the time of day of a minute counted from the page, as HH:MM."""
    of_day = (status.paged_at + minute) % 1440
    return f"{of_day // 60:02d}:{of_day % 60:02d}"


def signed(value: float) -> str:
    """Format a reward with its sign and one decimal."""
    return f"{value:+.1f}" if abs(value) >= 0.05 else "0.0"


def timed(text: str, *, is_late: bool) -> str:
    """Describe what was done in a turn, and mark one that passed because time ran out."""
    return f"{text}, out of time" if is_late else text


def percent(share: float) -> str:
    """Format a share of 0 to 1 as a percentage with one decimal: "96.1 %"."""
    return f"{share * 100:.1f} %"


def milliseconds(value: int) -> str:
    """Format a latency: "940 ms", and from ten seconds on "12 s"."""
    if value < 1_000:
        return f"{value} ms"
    return f"{value / 1000:.1f} s" if value < 10_000 else f"{value // 1000} s"


def bar(share: float, cells: int = 5) -> str:
    """Draw a share of 0 to 1 as a bar of filled and open cells; any rest shows as one cell."""
    filled = round(min(1.0, max(0.0, share)) * cells)
    if share > 0 and not filled:
        filled = 1
    return "▰" * filled + "▱" * (cells - filled)


def sparkline(
    values: Sequence[float], low: float, high: float, width: int, *, usual: float | None = None
) -> str:
    """Draw values as at most `width` bars between `low` and `high`, right-aligned.

    If there are more values than bars, a bar shows the one of its share of them that is farthest
    from the usual value; by default the highest.
    """
    span = max(high - low, 1e-9)
    count = min(width, len(values))
    edges = [round(i * len(values) / count) for i in range(count + 1)] if count else [0]
    marks = []
    for start, end in pairwise(edges):
        some = values[start:end]
        value = max(some) if usual is None else max(some, key=lambda each: abs(each - usual))
        level = int(min(1.0, max(0.0, (value - low) / span)) * (len(_BARS) - 1) + 0.5)
        marks.append(_BARS[level])
    return "".join(marks).rjust(width)
