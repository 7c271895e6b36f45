"""Readings of one moment agree with each other, with the changes and with the formulas."""

from __future__ import annotations

import re
from math import log

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, Source
from chaosops.env.models.readings import Cell, ChartKind, Reading, Table, TableKind, column
from tests.env.situations import cases, drawn, scenario, world

CASES = cases()
CAPACITY = [cause for source, cause in CASES if source == "search-p99-high"]


def moment(source: str, cause: str, minutes: int = 4) -> LivingWorld:
    """A situation some minutes after the page."""
    made = world(scenario(source, cause))
    for _minute in range(minutes):
        made.advance()
    return made


def place(source: str, cause: str) -> str:
    return drawn(scenario(source, cause)).drawn.place


def look(made: LivingWorld, source: Source, target: str) -> Reading:
    reading = made.look(AgentRole.SRE, source, target).reading
    assert reading is not None
    return reading


def table(made: LivingWorld, target: str, kind: TableKind) -> Table:
    found = look(made, Source.RUNTIME, target).table(kind)
    assert found is not None
    return found


def number(cell: Cell) -> float:
    assert isinstance(cell, (int, float)), cell
    return float(cell)


def numbers(shown: Table, name: str) -> list[float]:
    return [number(cell) for cell in column(shown, name)]


def now(made: LivingWorld, target: str, kind: ChartKind, name: str) -> float:
    """The newest value of a series."""
    for chart in look(made, Source.METRICS, target).charts():
        if chart.kind is kind:
            value = next(series for series in chart.series if series.name == name).values[-1]
            return number(value)
    raise AssertionError(kind)


def diff_number(made: LivingWorld, target: str, pattern: str) -> float:
    """A number in an added line of the changes of a service."""
    for diff in look(made, Source.CHANGES, target).diffs():
        for line in diff.lines:
            if found := re.fullmatch(rf"\+\s*{pattern}", line):
                return float(found[1])
    raise AssertionError(pattern)


@pytest.mark.parametrize(("source", "cause"), CASES)
def test_changes_do_not_come_after_the_onset(source: str, cause: str) -> None:
    incident = drawn(scenario(source, cause)).drawn
    assert all(change.minute <= incident.onset for change in incident.changes)


def test_the_timeout_of_the_probes_is_that_of_the_diff_and_explains_what_fails() -> None:
    source, cause = "search-p99-high", "strict_probe"
    here = place(source, cause)
    made = moment(source, cause)
    shown = table(made, here, TableKind.READINESS)
    timeout = diff_number(made, here, r"timeout_ms: (\d+)")
    assert set(numbers(shown, "timeout")) == {timeout}
    for mean, failed in zip(numbers(shown, "mean answer"), numbers(shown, "failed"), strict=True):
        # Half of the timeout is fixed: a share f is late if the rest has a mean of T/2 / ln(1/f).
        expected = timeout / 2.0 + timeout / 2.0 / log(100.0 / failed)
        assert mean == pytest.approx(expected, rel=0.06, abs=1.0)


def test_instances_whose_probes_fail_are_not_ready_part_of_the_time() -> None:
    source, cause = "search-p99-high", "strict_probe"
    here = place(source, cause)
    made = moment(source, cause, 0)
    ready = total = 0
    for _minute in range(10):
        made.advance()
        states = column(table(made, here, TableKind.INSTANCES), "ready")
        counted = table(made, here, TableKind.SCHEDULING)
        assert numbers(counted, "ready") == [states.count("yes")]
        assert now(made, here, ChartKind.SIGNALS, "instances") == states.count("yes")
        ready += states.count("yes")
        total += len(states)
    assert 0.2 <= ready / total <= 0.9


def test_the_cpu_limit_is_that_of_the_diff_and_throttles_whatever_reaches_it() -> None:
    source, cause = "search-p99-high", "cpu_quota"
    here = place(source, cause)
    made = moment(source, cause)
    shown = table(made, here, TableKind.CPU_QUOTA)
    limit = diff_number(made, here, r"cpu_limit: (\d+)m") / 1000.0
    assert set(numbers(shown, "cpu limit")) == {round(limit, 2)}
    rows = zip(numbers(shown, "cpu used"), numbers(shown, "periods throttled"), strict=True)
    assert all(used <= limit + 0.01 for used, _held in rows)
    assert min(numbers(shown, "periods throttled")) >= 50.0


@pytest.mark.parametrize("cause", [cause for cause in CAPACITY if cause != "cpu_quota"])
def test_without_a_cpu_limit_nothing_is_throttled(cause: str) -> None:
    made = moment("search-p99-high", cause)
    shown = table(made, place("search-p99-high", cause), TableKind.CPU_QUOTA)
    assert set(column(shown, "cpu limit")) == {"none"}
    assert numbers(shown, "periods throttled") == [0.0] * len(shown.rows)


def test_the_cpu_quota_of_the_diff_is_what_the_instances_use() -> None:
    source, cause = "search-p99-high", "blocked_capacity"
    here = place(source, cause)
    made = moment(source, cause)
    quota = diff_number(made, here, r"\s*requests\.cpu: ([\d.]+)")
    shown = table(made, here, TableKind.SCHEDULING)
    (event,) = column(shown, "last event")
    found = re.fullmatch(r".*requests\.cpu=([\d.]+), used ([\d.]+), limited ([\d.]+)", str(event))
    assert found is not None
    cores, used, limited = map(float, found.groups())
    (desired,), (pending,) = numbers(shown, "desired"), numbers(shown, "pending")
    assert used == cores * (desired - pending)
    assert limited == quota
    assert used + cores > quota


@pytest.mark.parametrize("cause", CAPACITY)
def test_only_a_change_of_the_limit_leaves_few_descriptors(cause: str) -> None:
    made = moment("search-p99-high", cause)
    shown = table(made, place("search-p99-high", cause), TableKind.DESCRIPTORS)
    limit = 1_024.0 if cause == "descriptor_limit" else 65_536.0
    assert set(numbers(shown, "limit")) == {limit}
    assert max(numbers(shown, "open")) <= limit


@pytest.mark.parametrize("cause", CAPACITY)
def test_memory_is_the_same_in_runtime_and_metrics(cause: str) -> None:
    made = moment("search-p99-high", cause)
    here = place("search-p99-high", cause)
    shown = numbers(table(made, here, TableKind.INSTANCES), "memory")
    charted = now(made, here, ChartKind.SIGNALS, "memory")
    assert sum(shown) / len(shown) == pytest.approx(charted, abs=1.0)
    assert shown == pytest.approx([charted] * len(shown), abs=3.0)
