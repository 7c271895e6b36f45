"""What a person can do with a reading: filter a log, sort a table, narrow a chart, pair a diff.

Each function takes a part and returns a part of the same kind, so that any front end can show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from chaosops.env.models import AgentRole, Finding, RoleView, Status
from chaosops.env.models.readings import Cell, Chart, Diff, LogEntry, LogView, Table
from chaosops.presenter import Entry, finding_entry
from chaosops.text.readings import LEVELS, level_rank

WINDOWS: Final = (60, 30, 15, 10)
"""The windows of a chart in minutes, the longest first."""


class LogFilter(NamedTuple):
    """Which lines of a log are shown; empty fields let every line pass.

    Attributes:
        level: The lowest level that is shown.
        instance: The only instance that is shown.
        words: Words that all have to be in the line, ignoring case.
        template: The only template that is shown.
    """

    level: str = ""
    instance: str = ""
    words: str = ""
    template: str = ""

    @property
    def is_open(self) -> bool:
        """Whether every line passes."""
        return not any(self)

    def passes(self, entry: LogEntry) -> bool:
        """Whether a line is shown."""
        if self.level and level_rank(entry.level) > level_rank(self.level):
            return False
        if self.instance and entry.instance != self.instance:
            return False
        if self.template and entry.template != self.template:
            return False
        text = f"{entry.instance} {entry.level} {entry.text}".casefold()
        return all(word in text for word in self.words.casefold().split())


def filtered(log: LogView, wanted: LogFilter) -> LogView:
    """Return the log with the lines that pass."""
    return log._replace(entries=tuple(entry for entry in log.entries if wanted.passes(entry)))


def levels_of(log: LogView) -> tuple[str, ...]:
    """Return the levels of its lines, the most severe first."""
    found = {entry.level for entry in log.entries}
    return tuple(level for level in LEVELS if level in found)


def instances_of(log: LogView) -> tuple[str, ...]:
    """Return the instances that wrote it, sorted by name."""
    return tuple(sorted({entry.instance for entry in log.entries}))


class Sorting(NamedTuple):
    """The column that a table is sorted by."""

    column: int
    descending: bool = False


def sorted_rows(table: Table, by: Sorting | None) -> Table:
    """Return the sorted table; the original order if there is no sorting.

    Numbers come before text, and empty cells are last in either direction. Rows that are equal in
    the column stay in the order of the reading.
    """
    if by is None or not 0 <= by.column < len(table.columns):
        return table
    filled = [row for row in table.rows if _cell(row, by.column) is not None]
    empty = [row for row in table.rows if _cell(row, by.column) is None]
    filled.sort(key=lambda row: _rank(_cell(row, by.column)), reverse=by.descending)
    return table._replace(rows=(*filled, *empty))


def _cell(row: tuple[Cell, ...], column: int) -> Cell:
    return row[column] if column < len(row) else None


def _rank(cell: Cell) -> tuple[bool, float, str]:
    is_text = isinstance(cell, str)
    return (is_text, 0.0 if is_text or cell is None else float(cell), str(cell).casefold())


def last_minute(chart: Chart) -> int:
    """Return the minute of a chart's newest value."""
    return chart.start + max((len(series.values) for series in chart.series), default=1) - 1


def windowed(chart: Chart, minutes: int) -> Chart:
    """Return the last minutes of a chart, with their marks; all of it if it is shorter."""
    last = last_minute(chart)
    first = max(chart.start, last - max(1, minutes) + 1)
    skipped = first - chart.start
    return chart._replace(
        start=first,
        series=tuple(s._replace(values=s.values[skipped:]) for s in chart.series),
        marks=tuple(mark for mark in chart.marks if first <= mark.minute <= last),
    )


class ComparedLine(NamedTuple):
    """A line before and after a change; None if there is none."""

    before: str | None
    after: str | None

    @property
    def is_changed(self) -> bool:
        """Whether the two differ."""
        return self.before != self.after


def paired(diff: Diff) -> tuple[ComparedLine, ...]:
    """Return the lines of a diff side by side, without their signs."""
    return tuple(_pairs(diff))


def _pairs(diff: Diff) -> Iterator[ComparedLine]:
    removed: list[str] = []
    added: list[str] = []
    for line in diff.lines:
        sign, text = line[:1], line[1:]
        if sign == "-":
            if added:
                yield from _together(removed, added)
                removed, added = [], []
            removed.append(text)
        elif sign == "+":
            added.append(text)
        else:
            yield from _together(removed, added)
            removed, added = [], []
            kept = text if sign == " " else line
            yield ComparedLine(kept, kept)
    yield from _together(removed, added)


def _together(removed: list[str], added: list[str]) -> Iterator[ComparedLine]:
    for i in range(max(len(removed), len(added))):
        before = removed[i] if i < len(removed) else None
        yield ComparedLine(before, added[i] if i < len(added) else None)


class KnownFinding(NamedTuple):
    """A finding that a role can open.

    Attributes:
        place: Its index among the role's own findings; None if it is a teammate's.
        sender: The teammate who shared it.
    """

    finding: Finding
    place: int | None = None
    sender: AgentRole | None = None

    @property
    def number(self) -> int | None:
        """Its number in commands, from 1; None if it is a teammate's."""
        return None if self.place is None else self.place + 1

    def entry(self, status: Status) -> Entry:
        """What it says, as a row."""
        return finding_entry(self.finding, status, place=self.place, sender=self.sender)


def known_findings(view: RoleView) -> tuple[KnownFinding, ...]:
    """Return the role's own findings, then shared ones that have a reading.

    Each is listed once, however often it was shared.
    """
    own = [KnownFinding(found, place) for place, found in enumerate(view.findings)]
    shared: dict[Finding, KnownFinding] = {}
    for message in sorted((*view.channel, *view.inbox), key=lambda message: message.minute):
        found = message.finding
        if found is not None and found.reading is not None and message.sender is not view.role:
            shared.setdefault(found, KnownFinding(found, sender=message.sender))
    return (*own, *shared.values())


class Looking(NamedTuple):
    """What a person has in view of a part of a reading; None for what the part doesn't have.

    Attributes:
        part: The kind of part, such as `chart`.
        title: The title of the part.
        minutes: The length of a chart's window.
        cursor: The minute under a chart's cursor; None for the newest.
        chosen: The highlighted series, request or row, by name or number.
        filter: The filter of a log.
        sorted_by: The column that a table is sorted by.
        descending: Whether the highest comes first.
        rows: The first and the last row in view, from 0; in a log, among the filtered ones.
    """

    part: str
    title: str
    minutes: int | None = None
    cursor: int | None = None
    chosen: str | None = None
    filter: LogFilter | None = None
    sorted_by: str | None = None
    descending: bool | None = None
    rows: tuple[int, int] | None = None
