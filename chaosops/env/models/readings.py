"""Readings: what an instrument shows, as raw, typed, immutable values.

A reading is made of parts: charts, log views, traces, tables, diffs and statements. A part says
its type in its first field, so that rows of JSON can be read back without guessing. No part
judges: what a figure means is for the reader to decide.

Minutes count from the page, as everywhere. A reading takes at most `MAX_BYTES` as JSON.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, NamedTuple

MAX_BYTES: Final = 16 * 1024
"""The most that one reading may take as JSON, in bytes."""

Cell = str | int | float | None
"""A table cell: text, a number, or None if there is nothing to show."""


class ChartKind(StrEnum):
    """What a chart is of."""

    SIGNALS = "signals"
    DEVICE = "device"
    SESSIONS = "sessions"
    INSTANCES = "instances"
    VOLUMES = "volumes"
    SHARDS = "shards"
    PARTITIONS = "partitions"
    ZONES = "zones"


class TableKind(StrEnum):
    """What a table lists."""

    INSTANCES = "instances"
    POOL = "pool"
    SESSIONS = "sessions"
    SESSION_STATES = "session_states"
    STATEMENTS = "statements"
    SHARDS = "shards"
    PARTITIONS = "partitions"
    CONSUMERS = "consumers"
    PRODUCERS = "producers"
    CACHE_NODES = "cache_nodes"
    REPLICATION = "replication"
    SEQUENCES = "sequences"
    INVALIDATIONS = "invalidations"
    CACHE_KEYS = "cache_keys"
    OBJECTS = "objects"
    CHECKS = "checks"
    COLLECTED = "collected"
    DEVICE = "device"
    CPU_QUOTA = "cpu_quota"
    COLLECTION = "collection"
    DESCRIPTORS = "descriptors"
    THREADS = "threads"
    READINESS = "readiness"
    SCHEDULING = "scheduling"
    CONNECTIONS = "connections"
    KEYS = "keys"
    NETWORKS = "networks"
    PROFILE = "profile"
    CONFIGURATION = "configuration"
    EVIDENCE = "evidence"
    PROBES = "probes"
    ANSWERS = "answers"
    CERTIFICATES = "certificates"
    CLOCKS = "clocks"
    ACTS = "acts"
    POLICY = "policy"
    REQUESTS = "requests"
    ROUTES = "routes"
    ZONE_PAIRS = "zone_pairs"
    PORTS = "ports"
    HOSTS = "hosts"


class LogEvent(StrEnum):
    """What a log line reports, for programs."""

    CALLS_FAIL = "calls_fail"
    CALL_TIMEOUT = "call_timeout"
    MEMORY_KILL = "memory_kill"
    NOT_READY = "not_ready"
    DEADLOCK = "deadlock"
    LOCK_WAIT = "lock_wait"
    NO_CONNECTION = "no_connection"
    THROUGHPUT_EXCEEDED = "throughput_exceeded"
    AUTHENTICATION_FAILED = "authentication_failed"
    UNHANDLED_VALUE = "unhandled_value"
    OLD_PATH = "old_path"
    PROVIDER_ERROR = "provider_error"
    PROVIDER_THROTTLES = "provider_throttles"


class SpanStatus(StrEnum):
    """The status of a span, as the service reports it."""

    OK = "ok"
    TIMEOUT = "timeout"
    ERROR = "error"
    DEADLOCK = "error 40P01"
    NO_CONNECTION = "connection is not available"


class Mark(NamedTuple):
    """An event at a minute of a chart.

    Attributes:
        kind: `deploy`, `config`, `flag`, `migration`, `automation` or `action`.
    """

    minute: int
    kind: str
    text: str


class Series(NamedTuple):
    """One line of a chart: a value per minute, None if none was collected.

    Attributes:
        name: The signal, instance, volume, shard or partition that it is of.
    """

    name: str
    unit: str
    values: tuple[float | None, ...]


class Chart(NamedTuple):
    """Series on one axis of time. The first value of each is that of minute `start`.

    Attributes:
        title: The heading that people read; programs use `kind`.
    """

    part: Literal["chart"]
    title: str
    start: int
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    kind: ChartKind | None = None


class LogEntry(NamedTuple):
    """A log line, and how many lines of its template and instance it stands for.

    Attributes:
        template: The text with its varying parts replaced by `*`.
        times: How many lines like it there were in this minute.
        event: What it reports; None if no program needs to know.
    """

    minute: int
    instance: str
    level: str
    template: str
    text: str
    times: int
    event: LogEvent | None = None


class LogView(NamedTuple):
    """Lines of a log, oldest first; at most 100 of at most 140 characters."""

    part: Literal["logs"]
    title: str
    entries: tuple[LogEntry, ...]


class Span(NamedTuple):
    """A piece of work within a request.

    Attributes:
        depth: 0 for the root; a span belongs to the nearest one above it with a smaller depth.
    """

    depth: int
    service: str
    operation: str
    start_ms: int
    duration_ms: int
    status: SpanStatus


class Trace(NamedTuple):
    """One sampled request, as a tree of spans in depth-first order."""

    id: str
    minute: int
    spans: tuple[Span, ...]


class TraceView(NamedTuple):
    """A few sampled requests."""

    part: Literal["traces"]
    title: str
    traces: tuple[Trace, ...]


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        unit: The unit of its cells; empty for text and counts.
    """

    name: str
    unit: str = ""


class Stated(NamedTuple):
    """The meaning of a cell's text as values: the gates that were passed, or a rejected key."""

    row: int
    column: str
    values: tuple[str | int, ...]


class Table(NamedTuple):
    """Rows of cells, one cell per column.

    Attributes:
        title: The heading that people read; programs use `kind`.
        stated: The meaning of texts in its cells, by row and column.
    """

    part: Literal["table"]
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    kind: TableKind | None = None
    stated: tuple[Stated, ...] = ()


class Diff(NamedTuple):
    """A change and what it changed.

    Attributes:
        ticket: Its ticket; empty if it has none.
        lines: The lines of a unified diff: each begins with `+`, `-` or a blank.
        touches: Names of the settings that it changes, or of those that its rules affect.
    """

    part: Literal["diff"]
    minute: int
    service: str
    kind: str
    version: str
    author: str
    ticket: str
    text: str
    lines: tuple[str, ...]
    touches: tuple[str, ...] = ()


class Statement(NamedTuple):
    """A text written before the incident, such as an agent's policy."""

    part: Literal["statement"]
    title: str
    lines: tuple[str, ...]


Part = Chart | LogView | TraceView | Table | Diff | Statement
"""A part of a reading."""


class Reading(NamedTuple):
    """What an instrument showed of a target at a minute."""

    minute: int
    source: str
    target: str
    parts: tuple[Part, ...]

    def charts(self) -> tuple[Chart, ...]:
        """Return its charts."""
        return tuple(part for part in self.parts if isinstance(part, Chart))

    def tables(self) -> tuple[Table, ...]:
        """Return its tables."""
        return tuple(part for part in self.parts if isinstance(part, Table))

    def table(self, kind: TableKind) -> Table | None:
        """Return the first table of that kind; None if there is none."""
        return next((part for part in self.tables() if part.kind is kind), None)

    def log_entries(self) -> tuple[LogEntry, ...]:
        """Return the lines of all its log views."""
        return tuple(
            entry for part in self.parts if isinstance(part, LogView) for entry in part.entries
        )

    def traces(self) -> tuple[Trace, ...]:
        """Return all its traces."""
        return tuple(
            trace for part in self.parts if isinstance(part, TraceView) for trace in part.traces
        )

    def diffs(self) -> tuple[Diff, ...]:
        """Return its diffs."""
        return tuple(part for part in self.parts if isinstance(part, Diff))


def column(table: Table, name: str) -> tuple[Cell, ...]:
    """Return all cells of a column, row by row; empty if the table has no such column."""
    for i, head in enumerate(table.columns):
        if head.name == name:
            return tuple(row[i] for row in table.rows)
    return ()
