"""Readings as lines: open, filter and sort them, and read them at a minute."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from chaosops.env.models import RoleView, Status
from chaosops.env.models.readings import Chart, Diff, LogView, Part, Table, TraceView
from chaosops.play.action_form.typed import CommandError, normal
from chaosops.play.formatting import ROLE_NAMES, clock, shown
from chaosops.play.instrument_use import Watched
from chaosops.play.plain_dialect import PLAIN, on_one_line
from chaosops.play.readings import (
    KnownFinding,
    LogFilter,
    Looking,
    Sorting,
    filtered,
    instances_of,
    known_findings,
    last_minute,
    sorted_rows,
    windowed,
)
from chaosops.play.session import Session
from chaosops.text.figures import figure
from chaosops.text.readings import (
    LEVELS,
    entry_line,
    longest_first,
    part_facts,
    trace_lines,
)
from tui.plain.console import Console

_MOST_LINES: Final = 40
"""How many of the newest lines of a log are printed at once."""
_MOST_MINUTES: Final = 60
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})")
_DIRECTIONS: Final = {"up": False, "ascending": False, "down": True, "descending": True}
Kind = TypeVar("Kind", bound=Part)

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

USAGE: Final = (
    "finding 2: what its instrument showed. finding 2 part sessions: one part. finding 2 filter "
    "error lock: lines of a log by level, instance and words. finding 2 lines: all of them. "
    "finding 2 sort age: the rows of a table by a column, and up or down after it. finding 2 last "
    "10: the last minutes of a chart. finding 2 at 10:05: its values at a minute. finding 2 "
    "request 3e9e1c: one request span by span."
)
"""What can be typed after the word "finding"."""


_Tell = Callable[[Sequence[Part], Status], tuple[list[str], list[Looking]]]
"""Prints parts of a reading; returns the lines, and what is in view."""


class Instruments:
    """Opens findings for the role whose turn it is.

    Attributes:
        by_word: The function of each command; takes the words after it, and raises CommandError
            if they make no sense.
    """

    by_word: Mapping[str, Callable[[str], None]]

    def __init__(self, session: Session, console: Console) -> None:
        self._session, self._console = session, console
        self.by_word = {"finding": self._finding}

    def tell_newest(self, view: RoleView) -> None:
        """Open the newest finding of a role, right after the investigation."""
        known = known_findings(view)[len(view.findings) - 1]
        self._tell(known, view, _opened)

    def closed(self) -> None:
        """Note that what was opened is out of view, since something else was printed."""
        self._session.timing.watch(self._session.role, ())

    def _finding(self, words: str) -> None:
        view = self._session.observation.view
        name, _, rest = words.partition(" ")
        if not name:
            self._list(view)
            return
        known = named_finding(name, view)
        verb, _, wanted = rest.strip().partition(" ")
        told: Mapping[str, _Tell] = {
            "": _opened,
            "part": partial(_one_part, wanted.strip()),
            "filter": partial(_filtered, wanted.strip()),
            "lines": partial(_filtered, ""),
            "sort": partial(_sorted, wanted.strip()),
            "last": partial(_last, wanted.strip()),
            "at": partial(_at, wanted.strip()),
            "request": partial(_request, wanted.strip()),
        }
        if verb.lower() not in told:
            close = difflib.get_close_matches(verb.lower()[:40], told, 1)
            meant = f"did you mean '{close[0]}'? " if close and close[0] else ""
            raise CommandError(f"'{shown(verb, 40)}' opens nothing: {meant}{USAGE}")
        self._tell(known, view, told[verb.lower()])

    def _tell(self, known: KnownFinding, view: RoleView, tell: _Tell) -> None:
        found, status = known.finding, view.status
        reading = found.reading
        at = clock(status, found.minute)
        whose = "" if known.sender is None else f", shared by {ROLE_NAMES[known.sender]}"
        name = f"Finding {known.number}" if known.number else "A finding"
        title = f"{name}, {found.source.value} of {shown(found.target, 60)} at {at}{whose}:"
        lines, looks = tell(() if reading is None else reading.parts, status)
        if not lines:
            lines = [shown(found.text)]
        self._console.say(title, *(on_one_line(line) for line in lines))
        self._session.timing.watch(view.role, [Watched(known, looking) for looking in looks])

    def _list(self, view: RoleView) -> None:
        known = known_findings(view)
        if not known:
            self._console.say("You have no findings yet, and nobody has shared any.")
            return
        letters = iter(_LETTERS)
        for one in known:
            found = one.finding
            number = str(one.number) if one.number else next(letters, "?")
            whose = "" if one.sender is None else f", shared by {ROLE_NAMES[one.sender]}"
            self._console.say(
                f"- finding {number}: {clock(view.status, found.minute)}, {found.source.value} of "
                f"{shown(found.target, 60)}{whose}, {on_one_line(found.text)}"
            )
        self._console.say(USAGE)


def named_finding(name: str, view: RoleView) -> KnownFinding:
    """Return the finding of a number, or of the letter of a shared one.

    Raises:
        CommandError: There is none.
    """
    known = known_findings(view)
    if name.isdecimal():
        for one in known:
            if one.number == int(name[:6]):
                return one
    shared = [one for one in known if one.number is None]
    place = _LETTERS.find(name.lower()) if len(name) == 1 else -1
    if 0 <= place < len(shared):
        return shared[place]
    own = len(known) - len(shared)
    there = f"you have {own}" if own else "you have no findings yet"
    more = f", and teammates shared {len(shared)}, starting at a" if shared else ""
    raise CommandError(f"no finding '{shown(name, 20)}': {there}{more}")


def _opened(parts: Sequence[Part], status: Status) -> tuple[list[str], list[Looking]]:
    lines: list[str] = []
    for part in parts:
        lines += part_lines(part, status)
    return lines, [_plain_look(part) for part in parts]


def part_lines(part: Part, status: Status) -> list[str]:
    """Return a part as lines: its title, then a fact per line."""
    if isinstance(part, TraceView) and part.traces:
        return _trace_lines(part, status)
    facts = part_facts(part, status, PLAIN)
    body = [_diff_line(line) for line in facts.lines] if isinstance(part, Diff) else facts.lines
    title = f"{facts.title[:1].upper()}{facts.title[1:]}"
    if not body:
        return [f"{title}: nothing"]
    return [f"{title}:", *(f"- {line}" for line in body)]


def _trace_lines(view: TraceView, status: Status) -> list[str]:
    """Return the longest and the shortest request in full, the others as one line."""
    ranked = longest_first(view)
    lines = [f"{len(ranked)} requests through {view.title}, longest first:"]
    for place, trace in enumerate(ranked):
        head, *spans = trace_lines(trace, status, PLAIN)
        lines.append(f"- request {head}")
        if place in (0, len(ranked) - 1):
            lines += [f"- {span}" for span in spans]
    return lines


def _diff_line(line: str) -> str:
    words = {"+": "added: ", "-": "removed: "}
    return f"{words[line[0]]}{line[1:]}" if line[:1] in words else f"as before: {line.strip()}"


def _one_part(
    wanted: str, parts: Sequence[Part], status: Status
) -> tuple[list[str], list[Looking]]:
    names = [_name_of(part) for part in parts]
    if wanted.isdecimal() and 1 <= int(wanted[:4]) <= len(parts):
        part = parts[int(wanted[:4]) - 1]
    else:
        fits = (
            [i for i, name in enumerate(names) if normal(wanted) in normal(name)] if wanted else []
        )
        if not fits:
            raise CommandError(f"its parts are {', '.join(names) or 'none'}: choose one")
        part = parts[fits[0]]
    return part_lines(part, status), [_plain_look(part)]


def _filtered(
    wanted: str, parts: Sequence[Part], status: Status
) -> tuple[list[str], list[Looking]]:
    log = _first(parts, LogView, "log", "filter")
    levels = {level.lower(): level for level in LEVELS}
    instances = {name.lower(): name for name in instances_of(log)}
    level = instance = ""
    words: list[str] = []
    for word in wanted.split():
        if word.lower() in levels:
            level = levels[word.lower()]
        elif word.lower() in instances:
            instance = instances[word.lower()]
        else:
            words.append(word)
    by = LogFilter(level, instance, " ".join(words))
    entries = filtered(log, by).entries
    count = sum(entry.times for entry in entries)
    total = sum(entry.times for entry in log.entries)
    what = [
        f"{level} and above" if level else "",
        instance,
        f"with {' '.join(words)}" if words else "",
    ]
    which = ", ".join(part for part in what if part) or "all levels and instances"
    lines = [f"{count} of {total} lines of {log.title}, {which}:"]
    newest = entries[-_MOST_LINES:]
    if len(newest) < len(entries):
        lines.append(f"The newest {len(newest)} entries, {len(entries) - len(newest)} left out:")
    lines += [f"- {entry_line(entry, status, PLAIN)}" for entry in newest]
    first = len(entries) - len(newest)
    rows = (first, len(entries) - 1) if entries else None
    return lines, [Looking("logs", log.title, filter=by, rows=rows)]


def _sorted(wanted: str, parts: Sequence[Part], status: Status) -> tuple[list[str], list[Looking]]:
    tables = [part for part in parts if isinstance(part, Table)]
    if not tables:
        _first(parts, Table, "table", "sort")
    words = wanted.split()
    descending = None
    if words and words[-1].lower() in _DIRECTIONS:
        descending = _DIRECTIONS[words.pop().lower()]
    name = normal(" ".join(words))
    columns = list(dict.fromkeys(column.name for table in tables for column in table.columns))
    fits = [
        (table, place)
        for table in tables
        for place, column in enumerate(table.columns)
        if name and normal(column.name) == name
    ]
    if not fits:
        close = difflib.get_close_matches(name[:40], [normal(c) for c in columns], 1)
        meant = f"did you mean {close[0].replace('_', ' ')}? " if close else ""
        raise CommandError(f"{meant}its columns are {', '.join(columns)}: choose one")
    lines: list[str] = []
    looks: list[Looking] = []
    for table, place in fits:
        cells = [row[place] for row in table.rows if place < len(row)]
        numbers = not any(isinstance(cell, str) for cell in cells)
        by = Sorting(place, numbers if descending is None else descending)
        made = sorted_rows(table, by)
        way = "highest first" if by.descending else "lowest first"
        lines.append(f"{table.title} by {table.columns[place].name}, {way}:")
        lines += [f"- {line}" for line in part_facts(made, status, PLAIN).lines]
        looks.append(
            _plain_look(made)._replace(
                sorted_by=table.columns[place].name, descending=by.descending
            )
        )
    return lines, looks


def _last(wanted: str, parts: Sequence[Part], status: Status) -> tuple[list[str], list[Looking]]:
    charts = [part for part in parts if isinstance(part, Chart)]
    if not charts:
        _first(parts, Chart, "chart", "last")
    if not wanted.isdecimal() or not 1 <= int(wanted[:4]) <= _MOST_MINUTES:
        raise CommandError(f"give the minutes, from 1 to {_MOST_MINUTES}: last 10")
    minutes = int(wanted)
    lines: list[str] = []
    for chart in charts:
        lines += part_lines(windowed(chart, minutes), status)
    return lines, [_plain_look(chart)._replace(minutes=minutes) for chart in charts]


def _at(wanted: str, parts: Sequence[Part], status: Status) -> tuple[list[str], list[Looking]]:
    charts = [part for part in parts if isinstance(part, Chart)]
    if not charts:
        _first(parts, Chart, "chart", "at")
    minute = _minute(wanted, status, charts)
    lines: list[str] = []
    for chart in charts:
        lines.append(f"{chart.title} at {clock(status, minute)}:")
        place = minute - chart.start
        for series in chart.series:
            value = series.values[place] if 0 <= place < len(series.values) else None
            told = "no value" if value is None else figure(value, series.unit)
            lines.append(f"- {series.name} {told}")
    return lines, [_plain_look(chart)._replace(cursor=minute) for chart in charts]


def _minute(wanted: str, status: Status, charts: Sequence[Chart]) -> int:
    """Return the minute of a time of day within the charts."""
    first = min(chart.start for chart in charts)
    last = max(last_minute(chart) for chart in charts)
    found = _CLOCK.fullmatch(wanted)
    if found is not None:
        of_day = (int(found[1]) * 60 + int(found[2])) % 1440
        for minute in range(last, first - 1, -1):
            if (status.paged_at + minute) % 1440 == of_day:
                return minute
    span = f"{clock(status, first)} to {clock(status, last)}"
    raise CommandError(f"give a time from {span}: at {clock(status, last)}")


def _request(wanted: str, parts: Sequence[Part], status: Status) -> tuple[list[str], list[Looking]]:
    view = _first(parts, TraceView, "traces", "request")
    for trace in view.traces:
        if trace.id == wanted:
            head, *spans = trace_lines(trace, status, PLAIN)
            look = Looking("traces", view.title, chosen=trace.id)
            return [f"Request {head}:", *(f"- {span}" for span in spans)], [look]
    ids = ", ".join(trace.id for trace in longest_first(view))
    raise CommandError(f"its requests are {ids or 'none'}: choose one")


def _first(parts: Sequence[Part], kind: type[Kind], what: str, verb: str) -> Kind:
    for part in parts:
        if isinstance(part, kind):
            return part
    raise CommandError(f"it has no {what} to {verb}")


def _name_of(part: Part) -> str:
    return shown(part.version if isinstance(part, Diff) else part.title, 60)


def _plain_look(part: Part) -> Looking:
    """Return what is in view if a part is printed in full."""
    if isinstance(part, Chart):
        return Looking("chart", part.title, minutes=last_minute(part) - part.start + 1)
    if isinstance(part, Table):
        rows = (0, len(part.rows) - 1) if part.rows else None
        return Looking("table", part.title, rows=rows)
    if isinstance(part, LogView):
        return Looking("logs", part.title, filter=LogFilter())
    return Looking(part.part, _name_of(part))
