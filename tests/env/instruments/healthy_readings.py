"""How figures are read off what instruments show of healthy services."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from statistics import fmean, median
from typing import Final

from chaosops.env.models import ServiceKind
from chaosops.env.models.readings import (
    Chart,
    ChartKind,
    LogEvent,
    Reading,
    Table,
    TableKind,
    column,
)
from tests.env.instruments.healthy_services import FleetHour, Hour, Look, Population

_LOG_MINUTES: Final = 12
_HOUR: Final = 60
_DAY_H: Final = 24
_CHANGES_H: Final = 4
"""Hours that the history of changes goes back."""

_ROUNDED: Final = 10.0
"""Below, the rounding of a chart is as much as what is measured."""

Of = Callable[[Population], Iterable[float]]
"""Every value of a figure."""


def hourly(read: Callable[[Hour], Iterable[float]]) -> Of:
    return lambda found: (value for hour in found.hours for value in read(hour))


def at_looks(read: Callable[[Look], Iterable[float]]) -> Of:
    return hourly(lambda hour: (value for look in hour.looks for value in read(look)))


def by_fleet(read: Callable[[FleetHour], Iterable[float]]) -> Of:
    return lambda found: (value for fleet in found.fleets for value in read(fleet))


def _series(reading: Reading, kind: ChartKind, name: str | None = None) -> Iterator[list[float]]:
    """Yield the values of a chart's series, without gaps."""
    for part in reading.parts:
        if isinstance(part, Chart) and part.kind is kind:
            for series in part.series:
                values = [value for value in series.values if value is not None]
                if values and name in (None, series.name):
                    yield values


def minutes(name: str, kind: ChartKind = ChartKind.SIGNALS) -> Of:
    """Measure each minute of a signal."""
    return hourly(
        lambda hour: (value for line in _series(hour.first.metrics, kind, name) for value in line)
    )


def swing(name: str, length: int = _HOUR) -> Of:
    """Measure how far a signal gets from its median in some minutes, in percent of it."""

    def read(hour: Hour) -> Iterator[float]:
        for line in _series(hour.first.metrics, ChartKind.SIGNALS, name):
            if median(line) < _ROUNDED:
                continue
            for first in range(0, len(line), length):
                part = line[first : first + length]
                usual = median(part)
                yield 100.0 * max(abs(value / usual - 1.0) for value in part)

    return hourly(read)


def hits_apart(look: Look) -> Iterator[float]:
    """Yield by how many points the furthest node of a cache is from the mean of all."""
    hits = _numbers(look.runtime.table(TableKind.CACHE_NODES), "hits")
    if len(hits) > 1:
        yield max(abs(hit - fmean(hits)) for hit in hits)


def lone_spikes(hour: Hour) -> Iterator[float]:
    """Count minutes that are twice as slow as usual between two that are not."""
    for line in _series(hour.first.metrics, ChartKind.SIGNALS, "p99"):
        high = [value >= 2.0 * median(line) for value in line]
        yield sum(
            here and not before and not after
            for before, here, after in zip(high, high[1:], high[2:], strict=False)
        )


def bumps(hour: Hour) -> Iterator[float]:
    """Count minutes in which a database's device takes half as long again as usual."""
    if hour.kind is ServiceKind.DATABASE:
        for line in _series(hour.first.metrics, ChartKind.DEVICE, "await"):
            yield sum(value >= 1.5 * median(line) for value in line)


def device_ms(hour: Hour) -> Iterator[float]:
    if hour.kind is ServiceKind.DATABASE:
        for line in _series(hour.first.metrics, ChartKind.DEVICE, "await"):
            yield from line


def instances_apart(hour: Hour) -> Iterator[float]:
    """Yield by how much an instance gets away from the mean of all in an hour, in percent."""
    lines = list(_series(hour.first.metrics, ChartKind.INSTANCES))
    minutes = [values for values in zip(*lines, strict=False) if fmean(values) >= _ROUNDED]
    if len(lines) > 1 and minutes:
        yield 100.0 * max(
            abs(value / fmean(values) - 1.0) for values in minutes for value in values
        )


def _lines(look: Look, level: str) -> int:
    return sum(entry.times for entry in look.logs.log_entries() if entry.level == level)


def warned(*, apps: bool) -> Of:
    """Measure the share of warnings in what applications, or all other services, write."""

    def read(hour: Hour) -> Iterator[float]:
        if (hour.kind is ServiceKind.APP) is apps:
            for look in hour.looks:
                total = sum(entry.times for entry in look.logs.log_entries())
                yield 100.0 * _lines(look, "WARN") / total

    return hourly(read)


def failed_lines(look: Look) -> Iterator[float]:
    yield _lines(look, "ERROR") / _LOG_MINUTES


def deadlocks(hour: Hour) -> Iterator[float]:
    if hour.kind is ServiceKind.DATABASE:
        yield float(
            sum(
                entry.times
                for look in hour.looks
                for entry in look.logs.log_entries()
                if entry.event is LogEvent.DEADLOCK
            )
        )


def _numbers(table: Table | None, name: str) -> list[float]:
    """Return the numbers of a column; none without the table."""
    cells = () if table is None else column(table, name)
    return [float(cell) for cell in cells if isinstance(cell, (int, float))]


def inside(kind: TableKind, name: str) -> Of:
    """Measure each cell of a column in `runtime`."""
    return at_looks(lambda look: _numbers(look.runtime.table(kind), name))


def outside(kind: TableKind, name: str) -> Of:
    """Measure each cell of a column in `network`."""
    return at_looks(lambda look: _numbers(look.network.table(kind), name))


def _sessions(look: Look) -> dict[str, float]:
    """Count a database's sessions by state; nothing for other services."""
    table = look.runtime.table(TableKind.SESSION_STATES)
    found: dict[str, float] = {}
    if table is not None:
        for state, many in zip(column(table, "state"), _numbers(table, "sessions"), strict=True):
            found[str(state)] = found.get(str(state), 0.0) + many
    return found


def idle(look: Look) -> Iterator[float]:
    counted = _sessions(look)
    if counted:
        yield 100.0 * counted.get("idle", 0.0) / sum(counted.values())


def active(look: Look) -> Iterator[float]:
    counted = _sessions(look)
    if counted:
        yield counted.get("active", 0.0)


def lock_waits_ms(look: Look) -> Iterator[float]:
    """Yield the longest wait for a lock that single sessions show; 0 if none waits."""
    table = look.runtime.table(TableKind.SESSIONS)
    if table is not None:
        waits = column(table, "wait")
        ages = _numbers(table, "transaction age")
        yield 1000.0 * max(
            (age for wait, age in zip(waits, ages, strict=True) if str(wait).startswith("Lock/")),
            default=0.0,
        )


def pool_used(look: Look) -> Iterator[float]:
    table = look.runtime.table(TableKind.POOL)
    for active, total in zip(_numbers(table, "active"), _numbers(table, "total"), strict=True):
        yield 100.0 * active / total


def replica_lag(look: Look) -> Iterator[float]:
    table = look.runtime.table(TableKind.REPLICATION)
    if table is not None:
        for role, lag in zip(column(table, "role"), _numbers(table, "replay lag"), strict=True):
            if role == "replica":
                yield lag


def settled(look: Look) -> Iterator[float]:
    table = look.runtime.table(TableKind.CONSUMERS)
    if table is not None:
        states = column(table, "group state")
        yield 100.0 * sum(state == "Stable" for state in states) / len(states)


def connects(*, near: bool) -> Callable[[Look], Iterator[float]]:
    def read(look: Look) -> Iterator[float]:
        table = look.network.table(TableKind.ZONE_PAIRS)
        if table is not None:
            ends = zip(column(table, "from"), column(table, "to"), strict=True)
            for (here, there), took in zip(ends, _numbers(table, "mean connect"), strict=True):
                if (here == there) is near:
                    yield took

    return read


def failed_checks(hour: Hour) -> Iterator[float]:
    tables = [look.network.table(TableKind.CHECKS) for look in hour.looks]
    made = sum(sum(_numbers(table, "checks, last 5 min")) for table in tables)
    if made:
        yield 100.0 * sum(sum(_numbers(table, "failed")) for table in tables) / made


def answers(look: Look) -> Iterator[float]:
    """Count the addresses that the resolvers name first for a service."""
    table = look.network.table(TableKind.ANSWERS)
    if table is not None:
        own = column(table, "name")[0]
        names, firsts = column(table, "name"), column(table, "first")
        yield float(len({f for n, f in zip(names, firsts, strict=True) if n == own}))


def deploys(fleet: FleetHour) -> Iterator[float]:
    made = sum(
        diff.kind == "deploy" and diff.minute > -_HOUR * _CHANGES_H
        for reading in fleet.changes
        for diff in reading.diffs()
    )
    yield made * _DAY_H / _CHANGES_H


def acts(fleet: FleetHour) -> Iterator[float]:
    yield float(
        sum(
            minute > fleet.until - _HOUR
            for agent in fleet.agents
            for minute in _numbers(agent.table(TableKind.ACTS), "minute")
        )
    )


def refused(fleet: FleetHour) -> Iterator[float]:
    """Count requests that were denied, or lapsed since nobody granted them."""
    tables = [agent.table(TableKind.REQUESTS) for agent in fleet.agents]
    yield float(
        sum(
            became in ("denied", "lapsed")
            for table in tables
            if table is not None
            for became in column(table, "then")
        )
    )
