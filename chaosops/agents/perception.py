"""Turns readings into facts: what an experienced person sees in charts, tables, logs and traces.

A fact is a sign at a place, derived from the reading alone. How each is found is public
knowledge. No screen shows facts, and no fact names a cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.agents import (
    conduct,
    connecting,
    datasigns,
    network_facts,
    queue_signs,
    traffic_signs,
    watching,
)
from chaosops.agents.cells import number, numbers
from chaosops.env.models import Finding, Sign, Source
from chaosops.env.models.readings import (
    Cell,
    Chart,
    ChartKind,
    Diff,
    LogEvent,
    Reading,
    SpanStatus,
    Table,
    TableKind,
    column,
)

_OLD_S: Final = 90.0
_QUEUE_OF_WAITERS: Final = 4
_UNREAD: Final = ("app", "Client/ClientWrite")
_MANY_UNREAD: Final = 4
_LONG_HELD_S: Final = 45.0
_SLOW_AWAIT_MS: Final = 6.0
_NEARLY_FULL: Final = 96.0
_QUERY_FACTOR: Final = 5.0
_MANY_ROWS: Final = 500.0
_SKEWED: Final = 1.8
_RECENT: Final = 45
_ONSET_WINDOW: Final = 25
_TAIL: Final = 6
_LEAST_RATE: Final = 0.4
_ERRORS: Final = "errors, last minute"
_SETTINGS: Final[Mapping[Sign, str]] = MappingProxyType(
    {
        Sign.PROBES_FAIL: "readiness.timeout_ms",
        Sign.ROUTE_ASTRAY: "locality.overflow_to",
        Sign.RETRIES_HIGH: "calls.most_tries",
        Sign.PARTITION_SKEW: "publish.key",
        Sign.GROUP_REBALANCES: "consumer.max_poll_records",
        Sign.FEW_COUNTED: "alert.sample",
    }
)
"""The setting behind a sign, as changes name it."""


class Fact(NamedTuple):
    """A sign, where it was seen, and which service seems to be behind it.

    Attributes:
        place: The service or agent that was investigated.
        by: The service behind it, if the reading tells; otherwise empty.
        detail: A build, a key or a name that identifies the change behind it.
    """

    sign: Sign
    place: str
    by: str
    minute: int
    detail: str = ""


def facts(finding: Finding) -> tuple[Fact, ...]:
    """Return what a finding shows; nothing if it has no reading."""
    reading = finding.reading
    if reading is None:
        return ()
    seen = dict.fromkeys(_seen(finding.source, reading))
    if not seen:
        seen = {(Sign.NOTHING_UNUSUAL, finding.target): None}
    return tuple(
        Fact(sign, finding.target, by, finding.minute, _detail(sign, by, reading))
        for sign, by in seen
    )


def _detail(sign: Sign, by: str, reading: Reading) -> str:
    """Return what identifies the change behind a sign."""
    if sign is Sign.NEW_BUILD_FAILS:
        table = reading.table(TableKind.INSTANCES)
        if table is not None:
            rows = zip(
                numbers(table, _ERRORS),
                map(str, column(table, "build")),
                strict=True,
            )
            return max(rows)[1]
    if sign is Sign.CONFIG_REJECTED:
        table = reading.table(TableKind.CONFIGURATION)
        return next((str(s.values[0]) for s in table.stated), "") if table is not None else ""
    if sign in (Sign.ACCESS_REFUSED, Sign.RECORD_EMPTY):
        return by
    return _SETTINGS.get(sign, "")


def _seen(source: Source, reading: Reading) -> Iterator[tuple[Sign, str]]:
    here = reading.target
    if source is Source.RUNTIME:
        for table in reading.tables():
            yield from _table(table, here)
        yield from traffic_signs.seen(reading)
        yield from queue_signs.seen(reading)
    elif source is Source.METRICS:
        for chart in reading.charts():
            yield from _chart(chart, here)
        yield from network_facts.third_party(reading, _errors(reading))
    elif source is Source.LOGS:
        yield from _logs(reading)
    elif source is Source.TRACES:
        yield from _traces(reading)
    elif source in (Source.CHANGES, Source.CONFIG):
        yield from _changes(reading, source)
    elif source is Source.NETWORK:
        yield from _probed(reading)
        for table in reading.tables():
            if table.kind is TableKind.ZONE_PAIRS:
                yield from network_facts.zone_pairs(table, here)
            if table.kind in watching.OF_TABLES:
                yield from watching.OF_TABLES[table.kind](table, here)
        yield from connecting.seen(reading)
    elif source is Source.AUTOMATION:
        yield from conduct.seen(reading)


def _table(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    if table.kind is TableKind.SESSIONS:
        yield from _sessions(table, here)
    elif table.kind is TableKind.POOL:
        yield from _pool(table, here)
    elif table.kind is TableKind.DEVICE:
        slow = max(numbers(table, "await"), default=0.0) >= _SLOW_AWAIT_MS
        yield (Sign.DEVICE_SLOW if slow else Sign.DEVICE_FINE), here
        full = max(numbers(table, "used"), default=0.0) >= _NEARLY_FULL
        yield (Sign.DISK_NEAR_LIMIT if full else Sign.SPACE_LEFT), here
    elif table.kind is TableKind.STATEMENTS:
        yield from _statements(table, here)
    elif table.kind is TableKind.SHARDS:
        load = numbers(table, "requests")
        even = sum(load) / len(load) if load else 0.0
        skewed = bool(load) and max(load) > _SKEWED * even
        yield (Sign.SHARD_SKEW if skewed else Sign.SHARDS_EVEN), here
    elif table.kind is TableKind.INSTANCES:
        yield from _instances(table, here)
    elif table.kind is not None and table.kind in _LIMITS:
        yield from _LIMITS[table.kind](table, here)


def _compute(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    held = max(numbers(table, "periods throttled"), default=0.0)
    yield (Sign.CPU_THROTTLED if held >= 15.0 else Sign.CPU_UNTHROTTLED), here


def _collection(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    spent = max(numbers(table, "time in gc"), default=0.0)
    live = numbers(table, "heap after full gc")
    if spent < 6.0 or not live:
        yield Sign.COLLECTION_SHORT, here
        return
    yield Sign.COLLECTION_LONG, here
    if max(live) >= 85.0:
        yield Sign.MEMORY_HIGH, here
    grows = max(numbers(table, "change per minute"), default=0.0) >= 0.5
    yield (Sign.HEAP_GROWTH if grows else Sign.LIVE_SET_LARGE), here


def _descriptors(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    used, limits = numbers(table, "open"), numbers(table, "limit")
    full = any(open_ >= 0.95 * limit for open_, limit in zip(used, limits, strict=True))
    yield (Sign.DESCRIPTORS_AT_LIMIT if full else Sign.DESCRIPTORS_FINE), here


def _threads(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    used, limits = numbers(table, "threads"), numbers(table, "limit")
    full = any(some >= 0.95 * limit for some, limit in zip(used, limits, strict=True))
    yield (Sign.THREADS_AT_LIMIT if full else Sign.THREADS_FINE), here


def _readiness(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    failed = max(numbers(table, "failed"), default=0.0)
    tight = min(numbers(table, "timeout"), default=1_000.0) < 500.0
    yield (Sign.PROBES_FAIL if failed >= 3.0 and tight else Sign.PROBES_PASS), here


def _scheduling(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    waits = max(numbers(table, "pending"), default=0.0) >= 1.0
    yield (Sign.REPLICAS_PENDING if waits else Sign.REPLICAS_RUN), here


_LIMITS: Final[Mapping[TableKind, Callable[[Table, str], Iterator[tuple[Sign, str]]]]] = (
    MappingProxyType(
        {
            TableKind.CPU_QUOTA: _compute,
            TableKind.COLLECTION: _collection,
            TableKind.DESCRIPTORS: _descriptors,
            TableKind.THREADS: _threads,
            TableKind.READINESS: _readiness,
            TableKind.SCHEDULING: _scheduling,
            **datasigns.OF_TABLES,
            TableKind.ROUTES: network_facts.routes,
            TableKind.PORTS: network_facts.ports,
            **traffic_signs.OF_TABLES,
            TableKind.HOSTS: network_facts.hosts,
        }
    )
)


def _sessions(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    rows = [dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows]
    by_pid = {str(row["pid"]): row for row in rows}
    blocked = [row for row in rows if row["blocked by"] is not None]
    pairs = [
        row
        for row in blocked
        if str(by_pid.get(str(row["blocked by"]), {}).get("blocked by")) == str(row["pid"])
    ]
    idle = [
        row
        for row in rows
        if row["state"] == "idle in transaction" and number(row["transaction age"]) > _OLD_S
    ]
    unread = [row["app"] for row in rows if (row["user"], row["wait"]) == _UNREAD]
    if len(unread) >= _MANY_UNREAD:
        yield Sign.CLIENTS_GONE, _most(unread)
    else:
        yield Sign.CLIENTS_THERE, here
    if pairs:
        yield Sign.DEADLOCK_CYCLE, _most(row["app"] for row in pairs)
        return
    # A pool that is small lets few sessions queue up, however long the first one holds its locks.
    holders = [by_pid.get(str(row["blocked by"]), {}) for row in blocked]
    held = any(number(row.get("transaction age")) > _OLD_S for row in holders)
    if len(blocked) < _QUEUE_OF_WAITERS and not held:
        yield Sign.NOBODY_WAITS, here
        if len(idle) >= 2:
            yield Sign.IDLE_IN_TRANSACTION, _most(row["app"] for row in idle)
        return
    waiters = _most(row["app"] for row in blocked) or here
    yield Sign.LOCK_WAIT, waiters
    heads = Counter(str(row["blocked by"]) for row in blocked)
    head = by_pid.get(heads.most_common(1)[0][0])
    if head is None:
        return
    if str(head["query"]).split(" ", 1)[0] in ("ALTER", "CREATE", "DROP", "TRUNCATE"):
        yield Sign.SCHEMA_CHANGE_WAITS, here
    elif head["state"] == "idle in transaction" and number(head["transaction age"]) > _OLD_S:
        yield Sign.LOCK_HOLDER_IDLE, here


def _pool(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    held = max(numbers(table, "longest held"), default=0.0)
    full = any(
        idle <= 0.0 and waits >= 1.0
        for idle, waits in zip(numbers(table, "idle"), numbers(table, "waiting"), strict=True)
    )
    if full:
        yield Sign.POOL_EXHAUSTED, here
    if held > _LONG_HELD_S:
        yield Sign.CONNECTIONS_HELD, here


def _statements(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    means, rows = numbers(table, "mean"), numbers(table, "rows per call")
    usual = sorted(means)[len(means) // 2] if means else 0.0
    slow = [
        mean > _QUERY_FACTOR * usual and read > _MANY_ROWS
        for mean, read in zip(means, rows, strict=True)
    ]
    yield (Sign.ONE_QUERY_SLOW if any(slow) else Sign.QUERIES_EVEN), here


def _instances(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    if any(restarts > 0.0 for restarts in numbers(table, "restarts")):
        yield Sign.OOM_KILLS, here
    yield from _builds(table, here)
    yield from network_facts.instances(table, here)
    yield from network_facts.started(table, here)


def _builds(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Whether the instances of one build fail and those of another don't."""
    by_build: dict[str, list[float]] = {}
    for build, errors in zip(column(table, "build"), numbers(table, _ERRORS), strict=True):
        by_build.setdefault(str(build), []).append(errors)
    means = sorted(sum(errors) / len(errors) for errors in by_build.values())
    if not means or means[-1] < 1.0:
        return
    alone = len(means) > 1 and means[0] < 0.25 * means[-1]
    yield (Sign.NEW_BUILD_FAILS if alone else Sign.BUILDS_ALIKE), here


def _chart(chart: Chart, here: str) -> Iterator[tuple[Sign, str]]:
    values = {series.name: _known(series.values) for series in chart.series}
    if chart.kind is ChartKind.SIGNALS:
        errors, p95, cpu = values["errors"], values["p95"], values["cpu"]
        slow = _now(p95) > 2.5 * _before(p95) + 20.0
        if _now(errors) > 2.0:
            yield Sign.ERRORS_HIGH, here
        if slow:
            yield Sign.LATENCY_HIGH, here
        if _now(cpu) >= 90.0:
            yield Sign.CPU_SATURATED, here
        elif slow and _now(cpu) <= _before(cpu) + 8.0:
            yield Sign.IDLE_BUT_SLOW, here
        if _now(values["requests"]) > 1.35 * _before(values["requests"]):
            yield Sign.TRAFFIC_SURGE, here
        pool = values.get("pool")
        if pool and _now(pool) >= 95.0:
            yield Sign.POOL_EXHAUSTED, here
        memory = values.get("memory")
        # Requests that wait for a full service take memory as well.
        if memory and memory[-1] - memory[-_TAIL] >= 0.5 * _TAIL and _now(cpu) < 90.0:
            yield Sign.HEAP_GROWTH, here
        hit = values.get("hit rate")
        if hit and _now(hit) < _before(hit) - 15.0:
            yield Sign.HIT_RATE_LOW, here
    elif chart.kind is ChartKind.ZONES:
        yield from network_facts.zones(chart, here)
    elif chart.kind is ChartKind.VOLUMES:
        slow = max((_now(series) for series in values.values()), default=0.0) >= _SLOW_AWAIT_MS
        yield (Sign.DEVICE_SLOW if slow else Sign.DEVICE_FINE), here
    elif chart.kind is ChartKind.SESSIONS and values.get("waiting for locks"):
        waits = _now(values["waiting for locks"]) >= _QUEUE_OF_WAITERS
        yield (Sign.LOCK_WAIT if waits else Sign.NOBODY_WAITS), here
    elif chart.kind is ChartKind.SHARDS:
        now = [_now(series) for series in values.values() if series]
        skewed = bool(now) and max(now) > _SKEWED * (sum(now) / len(now))
        yield (Sign.SHARD_SKEW if skewed else Sign.SHARDS_EVEN), here


def _logs(reading: Reading) -> Iterator[tuple[Sign, str]]:
    here = reading.target
    entries = reading.log_entries()
    minutes = max(1, len({entry.minute for entry in entries}))
    count: Counter[LogEvent] = Counter()
    for entry in entries:
        if entry.event is not None:
            count[entry.event] += entry.times
    for event, sign in _LOG_SIGNS:
        if count[event] / minutes >= _LEAST_RATE:
            yield sign, "" if sign is Sign.DEADLOCK_CYCLE else here


_LOG_SIGNS: Final = (
    (LogEvent.DEADLOCK, Sign.DEADLOCK_CYCLE),
    (LogEvent.LOCK_WAIT, Sign.LOCK_WAIT),
    (LogEvent.NO_CONNECTION, Sign.POOL_EXHAUSTED),
    (LogEvent.THROUGHPUT_EXCEEDED, Sign.SHARD_SKEW),
    (LogEvent.CALL_TIMEOUT, Sign.SLOW_DEPENDENCY),
    (LogEvent.AUTHENTICATION_FAILED, Sign.CREDENTIAL_REFUSED),
    (LogEvent.UNHANDLED_VALUE, Sign.NEW_KIND_OF_DATA),
    (LogEvent.OLD_PATH, Sign.OLD_PATH_RUNS),
    (LogEvent.PROVIDER_ERROR, Sign.PROVIDER_REFUSES),
    (LogEvent.PROVIDER_THROTTLES, Sign.PROVIDER_THROTTLES),
)
"""What events in logs point to, at a rate above that of an ordinary day."""


def _traces(reading: Reading) -> Iterator[tuple[Sign, str]]:
    here = reading.target
    for trace in reading.traces():
        for span in trace.spans:
            if span.status is SpanStatus.NO_CONNECTION:
                yield Sign.POOL_EXHAUSTED, here
            elif span.depth and span.status is not SpanStatus.OK:
                yield Sign.FAILING_DEPENDENCY, here


def _changes(reading: Reading, source: Source) -> Iterator[tuple[Sign, str]]:
    here = reading.target
    if source is Source.CONFIG:
        table = reading.table(TableKind.CONFIGURATION)
        rejected = table is not None and bool(table.stated)
        yield (Sign.CONFIG_REJECTED if rejected else Sign.CONFIG_UNCHANGED), here
        return
    recent = [diff for diff in reading.diffs() if diff.minute >= reading.minute - _RECENT]
    if not recent:
        yield Sign.NO_RECENT_CHANGE, here
    for diff in recent:
        yield _kind(diff), here


def _probed(reading: Reading) -> Iterator[tuple[Sign, str]]:
    table = reading.table(TableKind.PROBES)
    if table is None:
        return
    lost = numbers(table, "loss")
    worst = max(range(len(lost)), key=lambda k: lost[k], default=0)
    if lost and lost[worst] >= 1.0:
        yield Sign.ACCESS_REFUSED, str(column(table, "from")[worst])
    else:
        yield Sign.ACCESS_FINE, reading.target


def _errors(reading: Reading) -> float:
    """Return the errors of the last minutes in percent, as charted."""
    for chart in reading.charts():
        for series in chart.series:
            if chart.kind is ChartKind.SIGNALS and series.name == "errors":
                return _now(_known(series.values))
    return 0.0


def _kind(diff: Diff) -> Sign:
    return {
        "deploy": Sign.DEPLOYED_RECENTLY,
        "config": Sign.CONFIG_CHANGED,
        "flag": Sign.FLAG_SWITCHED,
    }.get(diff.kind, Sign.CONFIG_CHANGED)


def _most(names: Iterator[Cell] | list[Cell]) -> str:
    counted = Counter(str(name) for name in names)
    return min(counted, key=lambda name: (-counted[name], name)) if counted else ""


def _known(values: tuple[float | None, ...]) -> list[float]:
    return [value for value in values if value is not None]


def _now(values: list[float]) -> float:
    return sum(values[-2:]) / max(1, len(values[-2:]))


def _before(values: list[float]) -> float:
    """Return the median of the minutes before any possible onset."""
    early = sorted(values[:-_ONSET_WINDOW] or values)
    return early[len(early) // 2] if early else 0.0
