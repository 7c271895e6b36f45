"""The network family: what each instrument shows of each cause, and what it must not show."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import ActionType, AgentRole, Source
from chaosops.env.models.readings import Cell, ChartKind, Reading, Table, TableKind, column
from tests.env.families import living
from tests.env.situations import in_flight, scenario, seeds_by_cause, world

CAUSES = (
    "lossy_link",
    "patch_everywhere",
    "port_exhaustion",
    "provider_key",
    "provider_quota",
    "stray_route",
    "third_party_down",
    "zone_brownout",
    "zone_outage",
)
SITUATION = "requests-fail-here-and-there"
MINUTES = (0, 10)
HOSTS = frozenset({"zone_brownout", "zone_outage"})
PROVIDER = frozenset({"provider_key", "provider_quota", "third_party_down"})
DEPENDS_ON_BANK = ("port_exhaustion", *sorted(PROVIDER))
ERRORS = "errors, last minute"

Look = Callable[[LivingWorld], bool]


@cache
def _moment(cause: str, minutes: int) -> LivingWorld:
    is_cast = cause in seeds_by_cause(SITUATION)
    made = world(scenario(SITUATION, cause)) if is_cast else living("network", cause)
    for _minute in range(minutes):
        made.advance()
    return made


def moment(cause: str, minutes: int) -> LivingWorld:
    """An incident some minutes after the page."""
    return _moment(cause, minutes).fork()


def application(made: LivingWorld) -> str:
    """The application with the fault, or the one that calls the third party with it."""
    place = made.scenario.incident.drawn
    return str(place.caller) if place.place == "bank" else place.place


def look(made: LivingWorld, source: Source, target: str) -> Reading:
    reading = made.look(AgentRole.SRE, source, target).reading
    assert reading is not None
    return reading


def table(made: LivingWorld, source: Source, kind: TableKind) -> Table:
    found = look(made, source, application(made)).table(kind)
    assert found is not None
    return found


def numbers(shown: Table, name: str) -> list[float]:
    return [_number(cell) for cell in column(shown, name)]


def _number(cell: Cell) -> float:
    assert isinstance(cell, (int, float)), cell
    return float(cell)


def now(made: LivingWorld, target: str, kind: ChartKind) -> dict[str, float | None]:
    """The newest value of each series of a chart."""
    charts = look(made, Source.METRICS, target).charts()
    chart = next(chart for chart in charts if chart.kind is kind)
    return {series.name: series.values[-1] for series in chart.series}


def loses_between_two_zones(made: LivingWorld) -> bool:
    """Both directions between two zones lose 2 to 8 percent, and nothing else loses any."""
    shown = table(made, Source.NETWORK, TableKind.ZONE_PAIRS)
    ends = zip(column(shown, "from"), column(shown, "to"), strict=True)
    lossy = [pair for pair, loss in zip(ends, numbers(shown, "loss"), strict=True) if loss > 0.05]
    if not lossy:
        assert max(numbers(shown, "retransmits")) <= 0.12
        assert max(numbers(shown, "slowest connect")) < 5.0
        return False
    assert all(2.0 <= loss <= 8.5 for loss in numbers(shown, "loss") if loss > 0.05)
    assert lossy == [pair[::-1] for pair in reversed(lossy)]
    assert len({zone for pair in lossy for zone in pair}) == len(lossy) == 2
    return True


def one_zone_fails(made: LivingWorld) -> bool:
    errors = [value or 0.0 for value in now(made, application(made), ChartKind.ZONES).values()]
    return max(errors) > 5.0 and sorted(errors)[-2] < 0.5


def instances_of_one_zone_fail(made: LivingWorld) -> bool:
    shown = table(made, Source.RUNTIME, TableKind.INSTANCES)
    rows = zip(column(shown, "zone"), numbers(shown, ERRORS), strict=True)
    zones = column(shown, "zone")
    sick = {zone for zone, failed in rows if failed > 5.0}
    return len(sick) == 1 and len(set(zones)) > 1


def instances_fail_alike(made: LivingWorld) -> bool:
    failed = numbers(table(made, Source.RUNTIME, TableKind.INSTANCES), ERRORS)
    return min(failed) > 1.0


def instances_do_well(made: LivingWorld) -> bool:
    return max(numbers(table(made, Source.RUNTIME, TableKind.INSTANCES), ERRORS)) < 1.0


def instances_are_full(made: LivingWorld) -> bool:
    return min(numbers(table(made, Source.RUNTIME, TableKind.INSTANCES), "cpu")) > 72.0


def hosts_of_one_zone_fail(made: LivingWorld) -> bool:
    """Hosts of one zone count errors of their volumes, and wait for them; no others do."""
    shown = table(made, Source.RUNTIME, TableKind.HOSTS)
    failed, waits = numbers(shown, "i/o errors, last minute"), numbers(shown, "i/o wait")
    zones = column(shown, "zone")
    sick = {zone for zone, count in zip(zones, failed, strict=True) if count > 0.0}
    for zone, wait in zip(zones, waits, strict=True):
        assert (wait > 2.0) == (zone in sick)
    return len(sick) == 1


def sends_to_a_zone_without_instances(made: LivingWorld) -> bool:
    shown = table(made, Source.RUNTIME, TableKind.ROUTES)
    rows = zip(numbers(shown, "instances"), numbers(shown, "weight"), strict=True)
    return any(count == 0.0 and weight > 5.0 for count, weight in rows)


def started_together(made: LivingWorld) -> bool:
    ages = set(column(table(made, Source.RUNTIME, TableKind.INSTANCES), "age"))
    return len(ages) == 1 and str(min(map(str, ages))).endswith("min")


def has_no_port_left(made: LivingWorld) -> bool:
    shown = look(made, Source.RUNTIME, application(made)).table(TableKind.PORTS)
    if shown is None:
        return False
    used, limit = numbers(shown, "ports in use"), numbers(shown, "limit")
    full = used == limit
    assert full == (max(numbers(shown, "refused, last minute")) > 0.0)
    return full


def third_party_fails(made: LivingWorld) -> bool:
    return (now(made, "bank", ChartKind.SIGNALS)["errors"] or 0.0) > 5.0


def third_party_gets_less(made: LivingWorld) -> bool:
    charts = look(made, Source.METRICS, "bank").charts()
    series = next(each for each in charts[0].series if each.name == "requests")
    early = sum(_number(value) for value in series.values[10:20]) / 10.0
    late = sum(_number(value) for value in series.values[-3:]) / 3.0
    return late < 0.93 * early


def writes(text: str) -> Look:
    """The application has a line with that text in its log, more than once a minute."""

    def look_for(made: LivingWorld) -> bool:
        entries = look(made, Source.LOGS, application(made)).log_entries()
        return sum(entry.times for entry in entries if text in entry.text) > 8

    return look_for


def is_slower_for_some(made: LivingWorld) -> bool:
    charts = look(made, Source.METRICS, application(made)).charts()
    series = {each.name: each.values for each in charts[0].series}
    early, late = _number(series["p99"][10]), _number(series["p99"][-1])
    return late > 1.8 * early


def patched_all_at_once(made: LivingWorld) -> bool:
    acts = look(made, Source.AUTOMATION, "patcher").table(TableKind.ACTS)
    assert acts is not None
    return any(each.column == "act" and each.values[1] == 0 for each in acts.stated)


READINGS: dict[str, tuple[Look, frozenset[str]]] = {
    "loss": (loses_between_two_zones, frozenset({"lossy_link"})),
    "errors in one zone": (one_zone_fails, frozenset({"lossy_link", *HOSTS})),
    "instances of one zone": (instances_of_one_zone_fail, frozenset({"lossy_link", *HOSTS})),
    "no room": (instances_are_full, frozenset({"zone_outage"})),
    "all instances": (
        instances_fail_alike,
        frozenset({"patch_everywhere", "port_exhaustion", *PROVIDER}),
    ),
    "no instance": (instances_do_well, frozenset({"stray_route"})),
    "volumes": (hosts_of_one_zone_fail, HOSTS),
    "astray": (sends_to_a_zone_without_instances, frozenset({"stray_route"})),
    "ages": (started_together, frozenset({"patch_everywhere"})),
    "ports": (has_no_port_left, frozenset({"port_exhaustion"})),
    "errors of the third party": (third_party_fails, PROVIDER),
    "requests of the third party": (third_party_gets_less, frozenset({"port_exhaustion"})),
    "answers 503": (writes("503 Service Unavailable"), frozenset({"third_party_down"})),
    "answers 429": (writes("429 Too Many Requests"), frozenset({"provider_quota"})),
    "answers 401": (writes("401 Unauthorized"), frozenset({"provider_key"})),
    "no port": (writes("EADDRNOTAVAIL"), frozenset({"port_exhaustion"})),
    "no upstream": (writes("no host for route"), frozenset({"stray_route"})),
    "no route": (writes("no route to host"), frozenset({"patch_everywhere"})),
    "slower": (
        is_slower_for_some,
        frozenset({"lossy_link", *HOSTS, "stray_route", "patch_everywhere"}),
    ),
    "audit": (patched_all_at_once, frozenset({"patch_everywhere"})),
}
"""Readings, and the causes that show them; the others must not."""


# Where payments fail for another reason, fewer of them reach the bank as well.
CASES = [
    (reading, cause)
    for reading in READINGS
    for cause in (DEPENDS_ON_BANK if reading == "requests of the third party" else CAUSES)
]


@pytest.mark.few(3)
@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize(("reading", "cause"), CASES)
def test_a_reading_shows_itself_with_its_causes_alone(
    reading: str, cause: str, minutes: int
) -> None:
    shows, causes = READINGS[reading]
    assert shows(moment(cause, minutes)) == (cause in causes)


@pytest.mark.few(1)
@pytest.mark.parametrize("cause", CAUSES)
def test_before_the_onset_zones_are_alike(cause: str) -> None:
    made = moment(cause, 0)
    charts = look(made, Source.METRICS, application(made)).charts()
    chart = next(chart for chart in charts if chart.kind is ChartKind.ZONES)
    for series in chart.series:
        assert max(value or 0.0 for value in series.values[:40]) < 0.1


@pytest.mark.parametrize("cause", CAUSES)
def test_the_routes_share_out_what_comes_in_and_agree_with_the_instances(cause: str) -> None:
    made = moment(cause, 4)
    shown = table(made, Source.RUNTIME, TableKind.ROUTES)
    assert sum(numbers(shown, "weight")) == pytest.approx(100.0, abs=0.3)
    rows = table(made, Source.RUNTIME, TableKind.INSTANCES)
    zones = column(rows, "zone")
    for zone, count, failed in zip(
        column(shown, "zone"), numbers(shown, "instances"), numbers(shown, ERRORS), strict=True
    ):
        assert zones.count(zone) == count
        mine = [own for here, own in zip(zones, numbers(rows, ERRORS), strict=True) if here == zone]
        for own in mine:
            assert own == pytest.approx(failed, abs=1.0)


@pytest.mark.parametrize("cause", CAUSES)
def test_the_chart_by_zone_agrees_with_the_errors_of_the_service(cause: str) -> None:
    made = moment(cause, 4)
    target = application(made)
    total = now(made, target, ChartKind.SIGNALS)["errors"] or 0.0
    shown = table(made, Source.RUNTIME, TableKind.ROUTES)
    weights = dict(zip(column(shown, "zone"), numbers(shown, "weight"), strict=True))
    by_zone = now(made, target, ChartKind.ZONES)
    spread = sum(weights[zone] * (value or 0.0) for zone, value in by_zone.items()) / 100.0
    assert spread + weights.get("z4", 0.0) == pytest.approx(total, rel=0.1, abs=0.2)


@pytest.mark.parametrize("cause", ["lossy_link", *sorted(HOSTS)])
def test_the_log_is_written_where_requests_fail(cause: str) -> None:
    made = moment(cause, 6)
    target = application(made)
    rows = table(made, Source.RUNTIME, TableKind.INSTANCES)
    sick = {
        name
        for name, failed in zip(column(rows, "instance"), numbers(rows, ERRORS), strict=True)
        if failed > 5.0
    }
    text = "cannot write" if cause in HOSTS else "store answered after"
    entries = look(made, Source.LOGS, target).log_entries()
    written = {entry.instance for entry in entries if entry.text.startswith(text)}
    assert written
    assert written <= sick


def test_a_drained_zone_has_neither_weight_nor_errors() -> None:
    made = moment("lossy_link", 2)
    target = application(made)
    in_flight(made.world, ActionType.DRAIN, target, unit="zone")
    made.advance()
    made.advance()
    values = now(made, target, ChartKind.ZONES)
    assert sum(value is None for value in values.values()) == 1
    weights = numbers(table(made, Source.RUNTIME, TableKind.ROUTES), "weight")
    assert sorted(weights)[0] == 0.0


@pytest.mark.parametrize("cause", DEPENDS_ON_BANK)
def test_calls_to_a_third_party_that_fail_do_so_before_the_timeout(cause: str) -> None:
    made = moment(cause, 4)
    entries = look(made, Source.LOGS, application(made)).log_entries()
    assert not [entry for entry in entries if "call to bank failed: timeout" in entry.text]
