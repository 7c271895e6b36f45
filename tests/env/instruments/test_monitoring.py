"""What monitoring shows of itself: which cause each table points to, and which it does not."""

from __future__ import annotations

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, Health, Source
from chaosops.env.models.readings import ChartKind, Reading, Table, TableKind, column
from tests.env.situations import scenario, world

SITUATION = "site-errors-above-limit"
CAUSES = ("broken_probe", "tight_threshold", "blind_outage")
MINUTES = (4, 10)
EDGE = "edge"


def moment(cause: str, minutes: int) -> LivingWorld:
    made = world(scenario(SITUATION, cause))
    for _minute in range(minutes):
        made.advance()
    return made


def look(made: LivingWorld, source: Source, target: str) -> Reading:
    reading = made.look(AgentRole.SRE, source, target).reading
    assert reading is not None
    return reading


def table(made: LivingWorld, target: str, kind: TableKind) -> Table:
    found = look(made, Source.NETWORK, target).table(kind)
    assert found is not None
    return found


def place(cause: str) -> str:
    return scenario(SITUATION, cause).incident.drawn.place


def alarmed(cause: str) -> str:
    return EDGE if cause == "blind_outage" else place(cause)


@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_all_checks_from_one_vantage_point_are_refused_if_the_probe_is_broken(
    cause: str, minutes: int
) -> None:
    shown = table(moment(cause, minutes), alarmed(cause), TableKind.CHECKS)
    failed = column(shown, "failed")
    refused = [answer for answer in column(shown, "worst answer") if str(answer).startswith("401")]
    assert (failed[0] == 30) == (cause == "broken_probe")
    assert bool(refused) == (cause == "broken_probe")
    if cause != "blind_outage":
        assert all(float(str(lost)) <= 1.0 for lost in failed[1:])


@pytest.mark.parametrize("minutes", MINUTES)
def test_checks_of_a_service_that_fails_fail_from_everywhere(minutes: int) -> None:
    shown = table(moment("blind_outage", minutes), place("blind_outage"), TableKind.CHECKS)
    assert all(float(str(lost)) >= 1.0 for lost in column(shown, "failed"))


@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_points_rest_on_few_requests_only_if_a_threshold_is_tight(cause: str, minutes: int) -> None:
    (behind,) = column(
        table(moment(cause, minutes), alarmed(cause), TableKind.COLLECTED),
        "requests behind a point",
    )
    assert (float(str(behind)) < 100.0) == (cause == "tight_threshold")


@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_figures_are_late_only_in_a_blind_outage(cause: str, minutes: int) -> None:
    made, here = moment(cause, minutes), place(cause)
    shown = table(made, here, TableKind.COLLECTED)
    (age,) = column(shown, "newest point")
    late = 10 if cause == "blind_outage" else 0
    assert 60.0 * late <= float(str(age)) <= 60.0 * late + 15.0
    assert column(shown, "points missing, last 15 min") == (late,)
    charts = look(made, Source.METRICS, here).charts()
    errors = next(
        series
        for chart in charts
        if chart.kind is ChartKind.SIGNALS
        for series in chart.series
        if series.name == "errors"
    )
    assert [value is None for value in errors.values[-late - 1 :]] == [False] + [True] * late


def test_a_service_whose_figures_are_late_looks_as_it_was_while_its_instances_fail() -> None:
    made, here = moment("blind_outage", 1), place("blind_outage")
    row = next(signals for signals in made.history[-1] if signals.service == here)
    assert row.errors < 0.03
    instances = look(made, Source.RUNTIME, here).table(TableKind.INSTANCES)
    assert instances is not None
    assert max(float(str(cell)) for cell in column(instances, "errors, last minute")) > 5.0


@pytest.mark.parametrize("cause", CAUSES)
def test_the_edge_is_red_at_the_page_in_all_of_them(cause: str) -> None:
    made = moment(cause, 0)
    row = next(signals for signals in made.history[-1] if signals.service == EDGE)
    assert row.errors > 0.02
    assert row.health is not Health.HEALTHY


@pytest.mark.parametrize("cause", ["broken_probe", "tight_threshold"])
def test_logs_have_no_failures_that_only_monitoring_has(cause: str) -> None:
    made = moment(cause, 8)
    entries = look(made, Source.LOGS, EDGE).log_entries()
    recent = [entry for entry in entries if entry.minute >= 3 and entry.level == "ERROR"]
    assert sum(entry.times for entry in recent) <= 5 * 6
