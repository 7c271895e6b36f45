"""Readings of one moment agree with each other, with the changes and with the formulas."""

from __future__ import annotations

import re
from math import log

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, ServiceKind, Source
from chaosops.env.models.readings import Cell, ChartKind, Reading, Table, TableKind, column
from tests.env.situations import cases, scenario, sources, world
from tests.sampling import first_of_each, sampled_cases

CASES = cases()
EACH_CAUSE = first_of_each(CASES, lambda case: case[1])
ERRORS = "errors, last minute"
CAPACITY = [cause for source, cause in CASES if source == "search-p99-high"]


def agents_of(source_id: str) -> set[str]:
    """The kinds of the agents of a situation that act by a policy."""
    source = next(source for source in sources() if source.id == source_id)
    return {agent.standing.kind for agent in source.drawing.situation.automation if agent.standing}


def moment(source: str, cause: str, minutes: int = 4) -> LivingWorld:
    """A situation some minutes after the page."""
    made = world(scenario(source, cause))
    for _minute in range(minutes):
        made.advance()
    return made


def place(source: str, cause: str) -> str:
    return scenario(source, cause).incident.drawn.place


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


def among(chosen: list[bool], values: list[float]) -> list[float]:
    """Those of the chosen rows."""
    return [value for value, taken in zip(values, chosen, strict=True) if taken]


def diff_number(made: LivingWorld, target: str, pattern: str) -> float:
    """A number in an added line of the changes of a service."""
    for diff in look(made, Source.CHANGES, target).diffs():
        for line in diff.lines:
            if found := re.fullmatch(rf"\+\s*{pattern}", line):
                return float(found[1])
    raise AssertionError(pattern)


@pytest.mark.parametrize(("source", "cause"), EACH_CAUSE)
def test_changes_do_not_come_after_the_onset(source: str, cause: str) -> None:
    """What a bot releases elsewhere may come after the onset, and before the page."""
    incident = scenario(source, cause).incident.drawn
    bots = {controller.agent for controller in incident.controllers}
    for change in incident.changes:
        elsewhere = change.author in bots and change.service != incident.place
        assert change.minute <= (0 if elsewhere else incident.onset)


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


@pytest.mark.few(1)
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


WAITS = [cause for source, cause in CASES if source == "checkout-times-out"]


@pytest.mark.few(3)
@pytest.mark.parametrize("cause", WAITS)
def test_a_queue_is_rate_times_await(cause: str) -> None:
    made = moment("checkout-times-out", cause)
    for here in ("db", "payments"):
        shown = table(made, here, TableKind.DEVICE)
        names = ("operations", "await", "queue")
        for rate, wait, queue in zip(*(numbers(shown, name) for name in names), strict=True):
            assert queue == pytest.approx(rate * wait / 1000.0, rel=0.05, abs=0.15)
        rate, wait, queue = (now(made, here, ChartKind.DEVICE, name) for name in names)
        assert queue == pytest.approx(rate * wait / 1000.0, rel=0.06, abs=0.1)


@pytest.mark.few(2)
@pytest.mark.parametrize("cause", WAITS)
def test_sessions_by_state_are_those_that_are_open(cause: str) -> None:
    made = moment("checkout-times-out", cause)
    shown = table(made, "db", TableKind.SESSION_STATES)
    by_wait = dict(zip(column(shown, "wait"), numbers(shown, "sessions"), strict=True))
    opened, active, waiting = (
        now(made, "db", ChartKind.SESSIONS, name)
        for name in ("open", "active", "waiting for locks")
    )
    assert sum(numbers(shown, "sessions")) == opened
    assert sum(n for wait, n in by_wait.items() if str(wait).startswith("Lock/")) == waiting
    at_work = [by_wait.get(wait, 0.0) for wait in (None, "IO/DataFileRead", "IO/WALSync")]
    assert sum(at_work) == active


@pytest.mark.parametrize("cause", ["row_lock", "ddl_lock", "deadlock"])
def test_no_more_sessions_wait_than_the_pool_has_and_none_longer_than_its_timeout(
    cause: str,
) -> None:
    made = moment("checkout-times-out", cause)
    caller = scenario("checkout-times-out", cause).incident.drawn.caller
    assert caller is not None
    room = sum(numbers(table(made, caller, TableKind.POOL), "total"))
    shown = table(made, "db", TableKind.SESSIONS)
    blocked = [row for row in shown.rows if row[6] is not None and row[1] == caller]
    assert 4 <= len(blocked) <= room
    assert now(made, "db", ChartKind.SESSIONS, "waiting for locks") <= room
    assert all(number(row[5]) <= 0.8 for row in blocked)


@pytest.mark.parametrize("cause", ["row_lock", "ddl_lock"])
def test_who_waits_is_blocked_by_an_older_one_whose_lock_conflicts(cause: str) -> None:
    made = moment("checkout-times-out", cause)
    rows = table(made, "db", TableKind.SESSIONS).rows
    ages = {str(row[0]): number(row[5]) for row in rows}
    waiters = [row for row in rows if row[6] is not None]
    assert all(ages[str(row[6])] >= number(row[5]) for row in waiters)
    readers = [row for row in waiters if str(row[7]).startswith("SELECT")]
    # Readers do not conflict with each other, only with the schema change.
    assert cause == "row_lock" or len({row[6] for row in readers}) == 1


def test_statements_are_slow_where_their_volume_is() -> None:
    made = moment("checkout-times-out", "slow_disk")
    devices = table(made, "db", TableKind.DEVICE)
    await_ms = dict(zip(column(devices, "volume"), numbers(devices, "await"), strict=True))
    shown = table(made, "db", TableKind.STATEMENTS)
    for query, mean in zip(column(shown, "query"), numbers(shown, "mean"), strict=True):
        volume = str(query).split()[1]
        # A query makes five operations, one by one.
        assert mean >= 0.7 * 5.0 * (await_ms[f"vol-{volume}"] - 1.0), query


@pytest.mark.parametrize(("cause", "slow"), [("row_lock", {"UPDATE"}), ("deadlock", {"UPDATE"})])
def test_only_statements_that_wait_for_locks_are_slow(cause: str, slow: set[str]) -> None:
    made = moment("checkout-times-out", cause)
    shown = table(made, "db", TableKind.STATEMENTS)
    found = {
        str(query).split()[0]
        for query, mean in zip(column(shown, "query"), numbers(shown, "mean"), strict=True)
        if mean > 25.0
    }
    assert found == slow


def test_the_longest_held_connection_is_the_oldest_leak_of_its_instance() -> None:
    made = moment("checkout-times-out", "pool_leak")
    here = place("checkout-times-out", "pool_leak")
    held = numbers(table(made, here, TableKind.POOL), "longest held")
    assert len(set(held)) == len(held)
    sessions = table(made, "db", TableKind.SESSIONS).rows
    leaked = [number(row[5]) for row in sessions if row[1] == here and number(row[5]) > 60.0]
    assert max(held) == max(leaked)
    since = made.minute - scenario("checkout-times-out", "pool_leak").incident.drawn.onset
    assert max(held) <= 60.0 * (since + 1)
    made.advance()
    later = numbers(table(made, here, TableKind.POOL), "longest held")
    assert later == pytest.approx([age + 60.0 for age in held])


def test_an_instance_with_free_connections_fails_no_request() -> None:
    made = moment("checkout-times-out", "pool_leak", 1)
    here = place("checkout-times-out", "pool_leak")
    errors = dict(
        zip(
            column(table(made, here, TableKind.INSTANCES), "instance"),
            numbers(table(made, here, TableKind.INSTANCES), ERRORS),
            strict=True,
        )
    )
    pools = table(made, here, TableKind.POOL)
    waits = zip(column(pools, "instance"), numbers(pools, "waiting"), strict=True)
    failing = {name for name, waiting in waits if waiting >= 2.0}
    assert failing
    assert {name for name, share in errors.items() if share > 2.0} == failing


def test_errors_and_cpu_of_an_instance_follow_its_descriptors() -> None:
    made = moment("search-p99-high", "descriptor_limit")
    here = place("search-p99-high", "descriptor_limit")
    shown = table(made, here, TableKind.INSTANCES)
    serving = [cpu > 0.0 for cpu in numbers(shown, "cpu")]
    failed = numbers(table(made, here, TableKind.READINESS), "failed")
    refuses = [share > 5.0 for share, serves in zip(failed, serving, strict=True) if serves]
    assert set(refuses) == {True, False}
    assert [errors > 5.0 for errors in among(serving, numbers(shown, ERRORS))] == refuses
    assert [cpu > 80.0 for cpu in among(serving, numbers(shown, "cpu"))] == refuses
    free = numbers(table(made, here, TableKind.DESCRIPTORS), "open")
    limit = numbers(table(made, here, TableKind.DESCRIPTORS), "limit")[0]
    at_limit = [open_ >= 0.98 * limit for open_ in among(serving, free)]
    assert all(full for full, fails in zip(at_limit, refuses, strict=True) if fails)


AT_FAULT = {"blind_outage", "broken_probe", "tight_threshold"}
MEASURED = [(source, cause) for source, cause in CASES if cause not in AT_FAULT]
"""Those in which monitoring is not itself at fault; for those in which it is: test_monitoring."""


@pytest.mark.few(3)
@pytest.mark.parametrize(("source", "cause"), first_of_each(MEASURED, lambda case: case[1]))
def test_errors_by_instance_are_those_of_the_service_in_the_mean(source: str, cause: str) -> None:
    made = moment(source, cause)
    here = own_service(source, cause)
    shown = table(made, here, TableKind.INSTANCES)
    errors = among([cpu > 0.0 for cpu in numbers(shown, "cpu")], numbers(shown, ERRORS))
    served = 1.0 - now(made, here, ChartKind.SIGNALS, "errors") / 100.0
    reached = 1.0 - sent_where_nobody_is(made, here) / 100.0
    failed = 100.0 * (1.0 - served / reached)
    assert sum(errors) / len(errors) == pytest.approx(failed, rel=0.02, abs=0.1)


def own_service(source: str, cause: str) -> str:
    """The place of a cause; the caller of a third party, which shows no instances."""
    truth = scenario(source, cause).incident.drawn
    services = {service.name: service for service in scenario(source, cause).topology.services}
    is_external = services[truth.place].kind is ServiceKind.EXTERNAL
    return str(truth.caller) if is_external else truth.place


def sent_where_nobody_is(made: LivingWorld, target: str) -> float:
    """The percent of requests that are sent to a zone without instances."""
    shown = look(made, Source.RUNTIME, target).table(TableKind.ROUTES)
    if shown is None:
        return 0.0
    empty = [count == 0.0 for count in numbers(shown, "instances")]
    return sum(among(empty, numbers(shown, "weight")))


COLLECTS = ["collector_thrash", "memory_leak"]


@pytest.mark.parametrize("cause", COLLECTS)
def test_full_collections_in_the_log_are_those_of_the_table(cause: str) -> None:
    made = moment("search-p99-high", cause, 8)
    here = place("search-p99-high", cause)
    shown = table(made, here, TableKind.COLLECTION)
    live = numbers(shown, "heap after full gc")
    longest = max(numbers(shown, "longest pause"))
    lines = [
        re.search(r"Pause Full .* (\d+)M->(\d+)M\((\d+)M\) (\d+)ms", entry.text)
        for entry in look(made, Source.LOGS, here).log_entries()
        if entry.minute == made.minute
    ]
    found = [tuple(map(int, line.groups())) for line in lines if line is not None]
    assert found
    for before, after, heap, pause in found:
        assert after <= before <= heap
        assert min(live) - 2.0 <= 100.0 * after / heap <= max(live) + 2.0
        assert 0 < pause <= longest


RELEASES = [(s, c) for s, c in CASES if c in ("bad_release", "rogue_promotion", "memory_leak")]


@pytest.mark.few(2)
@pytest.mark.parametrize(("source", "cause"), RELEASES)
def test_instances_on_a_build_are_no_older_than_its_release(source: str, cause: str) -> None:
    made = moment(source, cause)
    here = place(source, cause)
    shown = table(made, here, TableKind.INSTANCES)
    releases = {d.version: d.minute for d in look(made, Source.CHANGES, here).diffs()}
    version = scenario(source, cause).incident.drawn.version
    assert version in column(shown, "build")
    for build, age in zip(column(shown, "build"), column(shown, "age"), strict=True):
        if (minute := releases.get(str(build))) is not None:
            count, unit = str(age).split()
            assert unit == "min"
            assert int(count) <= made.minute - minute
    marks = [m for chart in look(made, Source.METRICS, here).charts() for m in chart.marks]
    assert any(mark.text == version for mark in marks)


@pytest.mark.parametrize(
    ("source", "cause"), sampled_cases((s, c) for s, c in CASES if "deploy_bot" in agents_of(s))
)
def test_what_a_deploy_bot_promotes_is_in_the_changes_at_that_minute(
    source: str, cause: str
) -> None:
    made = moment(source, cause)
    steps = re.compile(r"promote (\S+) to 30 %")
    promoted = {
        (found[1], str(row[2])): row[0]
        for shown in look(made, Source.AUTOMATION, "deploy_bot").tables()
        if shown.kind is TableKind.ACTS
        for row in shown.rows
        if (found := steps.fullmatch(str(row[1])))
    }
    assert promoted
    for (build, service), minute in promoted.items():
        diffs = look(made, Source.CHANGES, service).diffs()
        assert any(d.version == build and d.minute == minute for d in diffs), build


FAILING = [(s, c) for s, c in CASES if c in ("bad_release", "rogue_promotion", "bad_config")]


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), FAILING)
def test_instances_that_do_not_fail_write_no_errors_of_the_failing_build(
    source: str, cause: str
) -> None:
    made = moment(source, cause)
    here = place(source, cause)
    shown = table(made, here, TableKind.INSTANCES)
    errors = dict(zip(column(shown, "instance"), numbers(shown, ERRORS), strict=True))
    text = scenario(source, cause).incident.drawn.cause.shows.logs[0].text
    entries = look(made, Source.LOGS, here).log_entries()
    writers = {entry.instance for entry in entries if entry.text == text}
    assert writers
    assert all(errors[name] > 2.0 for name in writers)


@pytest.mark.parametrize("cause", ["bad_release", "bad_config", "latent_bug", "stale_credential"])
def test_the_share_of_error_lines_is_that_of_the_errors(cause: str) -> None:
    source = "sign-in-errors"
    made = moment(source, cause, 12)
    here = place(source, cause)
    entries = [e for e in look(made, Source.LOGS, here).log_entries() if e.minute > 0]
    text = scenario(source, cause).incident.drawn.cause.shows.logs[0].text
    failed = sum(entry.times for entry in entries if entry.text == text)
    fine = sum(entry.times for entry in entries if entry.text.startswith("request completed"))
    chart = look(made, Source.METRICS, here).charts()[0]
    series = next(series for series in chart.series if series.name == "errors")
    mean = sum(number(value) for value in series.values[-12:] if value is not None) / 12.0
    assert 100.0 * failed / (failed + fine) == pytest.approx(mean, rel=0.4)


@pytest.mark.few(3)
@pytest.mark.parametrize(("source", "cause"), EACH_CAUSE)
def test_no_call_fails_in_the_log_before_the_onset(source: str, cause: str) -> None:
    incident = scenario(source, cause).incident.drawn
    made = moment(source, cause, 0)
    for service in {incident.place, incident.caller or incident.place}:
        entries = look(made, Source.LOGS, service).log_entries()
        early = [
            entry.text
            for entry in entries
            if entry.minute < incident.onset
            and entry.level == "ERROR"
            and not any(f"call to {decoy.at}" in entry.text for decoy in incident.decoys)
        ]
        assert not [text for text in early if "failed" in text or "not available" in text]


@pytest.mark.parametrize("cause", ["bad_release", "bad_config", "latent_bug", "stale_credential"])
def test_some_sampled_requests_of_a_failing_service_fail(cause: str) -> None:
    made = moment("sign-in-errors", cause)
    traces = look(made, Source.TRACES, place("sign-in-errors", cause)).traces()
    statuses = [trace.spans[0].status for trace in traces]
    assert "error" in statuses
    assert "ok" in statuses


@pytest.mark.parametrize(("source", "cause"), EACH_CAUSE)
def test_titles_of_changes_do_not_repeat_the_glossary(source: str, cause: str) -> None:
    shown = scenario(source, cause).incident.drawn.cause
    told = set(re.findall(r"[a-z]{6,}", shown.glossary.lower()))
    for change in shown.shows.changes:
        words = set(re.findall(r"[a-z]{6,}", re.sub(r"\{\w+\}", "", change.text.lower())))
        assert len(words & told) <= 1, (words & told, change.text)
        assert len(change.lines) == len(change.innocent), change.text


EJECTS = ("search-p99-high", "rogue_ejection")


def test_ejected_instances_are_idle_fail_nothing_and_pass_their_probes() -> None:
    made = moment(*EJECTS)
    here = place(*EJECTS)
    shown = table(made, here, TableKind.INSTANCES)
    out = [
        made.scene.is_ejected(made.context.blueprint.index[here], i) for i in range(len(shown.rows))
    ]
    assert out.count(True) >= 1
    assert column(shown, "ready").count("yes") == 2
    assert set(among(out, numbers(shown, "cpu"))) == {0.0}
    assert set(among(out, numbers(shown, ERRORS))) == {0.0}
    assert set(numbers(shown, "restarts")) == {0.0}
    probes = table(made, here, TableKind.READINESS)
    assert min(numbers(probes, "timeout")) >= 900.0
    assert set(among(out, numbers(probes, "failed"))) == {0.0}
    assert max(among(out, numbers(probes, "mean answer"))) < 40.0
    assert max(among(out, numbers(table(made, here, TableKind.CPU_QUOTA), "cpu used"))) < 0.1


def test_instances_that_are_left_by_a_health_checker_are_full() -> None:
    made = moment(*EJECTS)
    shown = table(made, place(*EJECTS), TableKind.INSTANCES)
    left = [ready == "yes" for ready in column(shown, "ready")]
    assert min(among(left, numbers(shown, "cpu"))) >= 85.0
    assert max(numbers(table(made, place(*EJECTS), TableKind.COLLECTION), "time in gc")) < 6.0
    assert numbers(table(made, place(*EJECTS), TableKind.SCHEDULING), "pending") == [0.0]


def _ejections(cause: str) -> tuple[Table, Table]:
    made = moment("search-p99-high", cause, 25)
    reading = look(made, Source.AUTOMATION, "health_checker")
    policy, acts = reading.table(TableKind.POLICY), reading.table(TableKind.ACTS)
    assert policy is not None
    assert acts is not None
    rows = tuple(row for row in acts.rows if str(row[1]).startswith("eject"))
    return policy, acts._replace(rows=rows)


@pytest.mark.parametrize(
    ("cause", "guilty"), [("descriptor_limit", False), ("rogue_ejection", True)]
)
def test_acts_of_a_health_checker_have_the_same_words_and_only_parameters_tell(
    cause: str, guilty: bool
) -> None:
    policy, acts = _ejections(cause)
    limits = dict(zip(column(policy, "parameter"), numbers(policy, "value"), strict=True))
    assert acts.rows
    probes = []
    for row in acts.rows:
        assert re.fullmatch(r"eject 1 of \d instances", str(row[1]))
        found = re.fullmatch(r"(\d+) probes failed in a row", str(row[3]))
        assert found is not None
        assert row[4] == "standing policy"
        probes.append(int(found[1]))
    assert (min(probes) < limits["failed probes"]) == guilty
    shares = [100.0 / int(str(row[1]).split()[3]) for row in acts.rows]
    assert (max(shares) > limits["most ejected"]) == guilty
