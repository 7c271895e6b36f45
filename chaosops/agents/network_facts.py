"""What readings show of networks, zones and third parties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chaosops.agents.cells import numbers
from chaosops.env.models import Sign
from chaosops.env.models.readings import Chart, ChartKind, Reading, Table, column

_LOSS: Final = 1.0
_FAILS: Final = 2.0
_ALONE: Final = 0.25
_NO_ROOM: Final = 70.0


def zone_pairs(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Yield whether packets are lost between zones."""
    lossy = max(numbers(table, "loss"), default=0.0) >= _LOSS
    yield (Sign.LOSS_BETWEEN_ZONES if lossy else Sign.NO_PACKET_LOSS), here


def routes(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Yield whether requests are sent to a zone in which there is no instance."""
    astray = any(
        count <= 0.0 and weight >= 1.0
        for count, weight in zip(numbers(table, "instances"), numbers(table, "weight"), strict=True)
    )
    yield (Sign.ROUTE_ASTRAY if astray else Sign.ROUTES_FIT), here


def ports(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Yield whether the ports for connections to a third party are used up."""
    full = any(
        used >= limit
        for used, limit in zip(numbers(table, "ports in use"), numbers(table, "limit"), strict=True)
    )
    yield (Sign.PORTS_USED_UP if full else Sign.PORTS_FREE), here


def instances(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Yield whether the instances of one zone fail alone."""
    rows = list(zip(column(table, "zone"), numbers(table, "errors, last minute"), strict=True))
    sick = {zone for zone, failed in rows if failed >= _FAILS}
    zones = {zone for zone, _failed in rows}
    if len(sick) == 1 < len(zones) and all(fails >= _FAILS for zone, fails in rows if zone in sick):
        yield Sign.ONE_ZONE_FAILS, here


def hosts(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Yield whether hosts of one zone fail, and whether the others have room for their load."""
    rows = list(
        zip(
            column(table, "zone"),
            numbers(table, "i/o errors, last minute"),
            numbers(table, "host cpu"),
            strict=True,
        )
    )
    sick = {zone for zone, failed, _cpu in rows if failed > 0.0}
    well = [cpu for zone, _failed, cpu in rows if zone not in sick]
    if not sick:
        yield Sign.HOSTS_FINE, here
    elif well:
        has_room = max(well) < _NO_ROOM
        yield (Sign.ROOM_ELSEWHERE if has_room else Sign.NO_ROOM_ELSEWHERE), here


def started(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Yield whether all instances were started in the same minute of the last two hours."""
    ages = {str(age) for age in column(table, "age")}
    if len(table.rows) > 1 and len(ages) == 1 and next(iter(ages)).endswith("min"):
        yield Sign.NODES_RESTARTED_TOGETHER, here


def zones(chart: Chart, here: str) -> Iterator[tuple[Sign, str]]:
    """Yield whether requests fail in one zone alone."""
    now = sorted(_now(series.values) for series in chart.series)
    if not now or now[-1] < _FAILS:
        return
    alone = len(now) > 1 and now[-2] < _ALONE * now[-1]
    yield (Sign.ONE_ZONE_FAILS if alone else Sign.ZONES_ALIKE), here


def third_party(reading: Reading, errors: float) -> Iterator[tuple[Sign, str]]:
    """Yield whether a third party fails; it is known by having no instances to show."""
    if any(chart.kind is ChartKind.INSTANCES for chart in reading.charts()):
        return
    yield (Sign.PROVIDER_FAILS if errors >= _FAILS else Sign.PROVIDER_FINE), reading.target


def _now(values: tuple[float | None, ...]) -> float:
    known = [value for value in values[-2:] if value is not None]
    return sum(known) / len(known) if known else 0.0
