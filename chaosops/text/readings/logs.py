"""Logs as text: counts by template, and lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chaosops.env.models import Status
from chaosops.env.models.readings import LogEntry, LogView
from chaosops.text.dialect import Dialect
from chaosops.text.readings.facts import PartFacts

LEVELS = ("ERROR", "WARN", "INFO")
"""The levels, the most severe first; others come after them."""


class TemplateCount(NamedTuple):
    """The lines of one template at one level.

    Attributes:
        lines: The number of its lines.
        by_instance: The number of lines of each instance, the highest first.
        newest: Its newest entry.
        first: The minute of its oldest one.
    """

    level: str
    template: str
    lines: int
    by_instance: tuple[tuple[str, int], ...]
    newest: LogEntry
    first: int


def template_counts(entries: Sequence[LogEntry]) -> tuple[TemplateCount, ...]:
    """Count lines by template; sort by level, the most severe first, then by the count."""
    groups: dict[tuple[str, str], list[LogEntry]] = {}
    for entry in entries:
        groups.setdefault((entry.level, entry.template), []).append(entry)
    counts = []
    for (level, template), group in groups.items():
        by_instance: dict[str, int] = {}
        for entry in group:
            by_instance[entry.instance] = by_instance.get(entry.instance, 0) + entry.times
        ranked = sorted(by_instance.items(), key=lambda item: (-item[1], item[0]))
        lines = sum(by_instance.values())
        first = min(entry.minute for entry in group)
        newest = max(group, key=lambda entry: entry.minute)
        counts.append(TemplateCount(level, template, lines, tuple(ranked), newest, first))
    return tuple(sorted(counts, key=_rank))


def level_rank(level: str) -> int:
    """Return the rank of a level, 0 for the most severe."""
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def _rank(count: TemplateCount) -> tuple[int, int, str]:
    return (level_rank(count.level), -count.lines, count.template)


def log_facts(log: LogView, status: Status, dialect: Dialect) -> PartFacts:
    """Return a line per template: level, count, since when, where, and its newest line."""
    if not log.entries:
        return PartFacts(f"log of {log.title}", (), "templates")
    first = min(entry.minute for entry in log.entries)
    last = max(entry.minute for entry in log.entries)
    total = sum(entry.times for entry in log.entries)
    title = (
        f"log of {log.title}, {total} lines from {dialect.at(status, first)} to "
        f"{dialect.at(status, last)}, by template with the newest line of each"
    )
    counts = template_counts(log.entries)
    return PartFacts(title, tuple(_count_line(c, status, dialect) for c in counts), "templates")


def entry_line(entry: LogEntry, status: Status, dialect: Dialect) -> str:
    """Format one entry, with how many lines it stands for."""
    times = f", {entry.times} lines like it" if entry.times > 1 else ""
    at = dialect.at(status, entry.minute)
    return f"{at} {entry.instance} {entry.level} {entry.text}{times}"


def _count_line(count: TemplateCount, status: Status, dialect: Dialect) -> str:
    where = ", ".join(f"{name} {lines}" for name, lines in count.by_instance)
    if len(count.by_instance) == 1:
        where = count.newest.instance
    at = dialect.at(status, count.newest.minute)
    since = "" if count.first == count.newest.minute else f"{dialect.at(status, count.first)} to "
    return f"{count.lines} {count.level} {since}{at} on {where}: {count.newest.text}"
