import re
import time

import pytest
from pydantic_core import to_json

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, ServiceKind, Source
from chaosops.env.models.readings import MAX_BYTES, Chart, Reading, TableKind, column
from tests.env.situations import sampled_cases, scenario, world

JUDGEMENT = re.compile(
    r"(?i)anomal|unusual|suspicious|unhealthy|\bhealthy|abnormal|\bnormal|guilty|root cause"
    r"|culprit|\bwrong|broken|incident|\bbad\b|critical|degraded"
)
AT_SERVICES = [source for source in Source if source is not Source.AUTOMATION]
CASES = sampled_cases()


def _look(made: LivingWorld, source: Source, target: str) -> Reading:
    reading = made.look(AgentRole.SRE, source, target).reading
    assert reading is not None
    return reading


def _after(source: str, cause: str, minutes: int) -> LivingWorld:
    made = world(scenario(source, cause))
    for _minute in range(minutes):
        made.advance()
    return made


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), CASES)
def test_every_reading_is_small_and_judges_nothing(source: str, cause: str) -> None:
    made = _after(source, cause, 20)
    for instrument in AT_SERVICES:
        for target in made.context.blueprint.index:
            reading = _look(made, instrument, target)
            text = to_json(reading)
            assert len(text) <= MAX_BYTES, (instrument, target)
            found = JUDGEMENT.search(text.decode())
            assert found is None, (instrument, target, found)
    for agent in made.automation.agents:
        assert len(to_json(_look(made, Source.AUTOMATION, agent))) <= MAX_BYTES


def test_a_reading_is_made_in_under_five_milliseconds() -> None:
    made = _after("checkout-times-out", "slow_disk", 20)
    for instrument in AT_SERVICES:
        for target in ("db", "payments", "edge"):
            best = 1.0
            for _time in range(3):
                begun = time.process_time()
                _look(made, instrument, target)
                best = min(best, time.process_time() - begun)
            assert best < 0.005, (instrument, target)


def test_a_look_changes_nothing_and_shows_the_same_twice() -> None:
    looked, other = (_after("checkout-times-out", "plan_flip", 4) for _time in range(2))
    for instrument in AT_SERVICES:
        for target in looked.context.blueprint.index:
            assert _look(looked, instrument, target) == _look(looked, instrument, target)
    for _minute in range(20):
        looked.advance()
        other.advance()
    assert looked.users_ok == other.users_ok
    assert looked.history == other.history
    assert _look(looked, Source.RUNTIME, "db") == _look(other, Source.RUNTIME, "db")


def test_charts_go_back_an_hour_and_end_now() -> None:
    made = _after("checkout-times-out", "row_lock", 7)
    for part in _look(made, Source.METRICS, "db").parts:
        assert isinstance(part, Chart)
        for series in part.series:
            assert len(series.values) == 60
        assert part.start == 7 - 59


def test_a_hundred_log_lines_of_a_hundred_and_forty_characters_at_most() -> None:
    made = _after("checkout-times-out", "deadlock", 25)
    for target in made.context.blueprint.index:
        entries = _look(made, Source.LOGS, target).log_entries()
        assert len(entries) <= 100
        assert all(len(entry.text) <= 140 for entry in entries)
        assert [entry.minute for entry in entries] == sorted(entry.minute for entry in entries)


def test_spans_lie_within_their_parents() -> None:
    made = _after("checkout-times-out", "row_lock", 6)
    for target in ("edge", "checkout", "payments"):
        for trace in _look(made, Source.TRACES, target).traces():
            root = trace.spans[0]
            assert root.depth == 0
            for before, span in zip(trace.spans, trace.spans[1:], strict=False):
                assert 1 <= span.depth <= before.depth + 1
                assert span.start_ms + span.duration_ms <= root.duration_ms + 2


# What healthy services show, from part 2 of the notes that the instruments were built on.


def _quiet(target: str, source: Source) -> Reading:
    made = world(scenario("checkout-times-out", "pool_leak"))
    return _look(made, source, target)


def test_most_sessions_of_a_database_idle() -> None:
    table = next(
        t for t in _quiet("db", Source.RUNTIME).tables() if t.title.startswith("sessions by")
    )
    counts = dict(zip(column(table, "state"), column(table, "sessions"), strict=True))
    total = sum(int(str(count)) for count in column(table, "sessions"))
    assert 0.55 <= int(str(counts["idle"])) / total <= 0.9


def test_a_device_at_rest_answers_in_about_a_millisecond_and_is_mostly_idle() -> None:
    table = _quiet("db", Source.RUNTIME).table(TableKind.DEVICE)
    assert table is not None
    assert 0.5 <= float(str(column(table, "await")[0])) <= 2.0
    assert 15 <= int(str(column(table, "util")[0])) <= 40


def test_background_errors_are_a_hundredth_to_a_tenth_of_a_percent() -> None:
    chart = _quiet("search", Source.METRICS).charts()[0]
    errors = next(series for series in chart.series if series.name == "errors")
    early = [value for value in errors.values[:40] if value is not None]
    assert 0.01 <= sum(early) / len(early) <= 0.1


def test_a_few_percent_of_log_lines_are_warnings() -> None:
    entries = _quiet("search", Source.LOGS).log_entries()
    total = sum(entry.times for entry in entries)
    warned = sum(entry.times for entry in entries if entry.level == "WARN")
    assert 0.005 <= warned / total <= 0.12


def test_probes_show_a_clock_within_two_milliseconds_and_a_certificate_of_thirty_days() -> None:
    table = _quiet("search", Source.NETWORK).table(TableKind.PROBES)
    assert table is not None
    assert all(abs(float(str(cell))) <= 2.0 for cell in column(table, "clock offset"))
    assert all(30 <= int(str(cell)) <= 89 for cell in column(table, "certificate"))


@pytest.mark.parametrize("verb", ["restart", "failover", "terminate"])
def test_a_fix_empties_the_sessions_that_would_have_told(verb: str) -> None:
    from chaosops.env.models import ActionType, ChaosOpsAction

    made = world(scenario("checkout-times-out", "row_lock"))
    assert "idle in transaction" in str(_look(made, Source.RUNTIME, "db").table(TableKind.SESSIONS))
    made.launch(ChaosOpsAction(AgentRole.SRE, ActionType(verb), "db"), ActionType(verb), "db")
    for _minute in range(6):
        made.advance()
    sessions = _look(made, Source.RUNTIME, "db").table(TableKind.SESSIONS)
    assert sessions is not None
    assert all("Lock/" not in str(row) for row in sessions.rows)


def test_external_services_have_no_inside() -> None:
    made = world(scenario("checkout-times-out", "row_lock"))
    outside = [s.name for s in made.topology.services if s.kind is ServiceKind.EXTERNAL]
    assert outside
    assert _look(made, Source.RUNTIME, outside[0]).parts == ()
