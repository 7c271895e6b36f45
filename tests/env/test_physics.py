"""The physics against figures that were published or worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.physics import Levers, Physics
from chaosops.env.plan import Plan
from chaosops.env.service import resend_ms
from chaosops.env.topology import Entry
from tests.worlds import fleet

Press = Callable[[int, Levers, Physics], None]


def _nothing(minute: int, levers: Levers, physics: Physics) -> None:
    """An ordinary minute."""


def _front(to: str, **call: Any) -> dict[str, Any]:
    """An edge that nothing can slow down, so that what is seen comes from what it calls."""
    calls = [{"to": to, "timeout_ms": 1000, **call}]
    return {
        "name": "front",
        "kind": "edge",
        "rps_per_replica": 1e6,
        "replicas": 1,
        "base_ms": 1,
        "calls": calls,
    }


def _back(**changes: Any) -> dict[str, Any]:
    return {
        "name": "back",
        "kind": "app",
        "replicas": 1,
        "servers": 4,
        "rps_per_replica": 100,
        "base_ms": 40,
        **changes,
    }


def _after(topology: Any, minutes: int, press: Press = _nothing) -> Physics:
    """The physics after so many minutes; `press` comes before each one."""
    physics = Physics(Plan(topology))
    for minute in range(minutes):
        levers = Levers(physics.plan.size)
        press(minute, levers, physics)
        physics.press(levers)
        physics.advance(1.0)
    return physics


@pytest.mark.parametrize(
    ("busy", "mean_ms"), [(0.80, 70.9), (0.90, 119.6), (0.95, 219.0), (0.98, 518.6)]
)
def test_four_servers_of_40_ms_wait_as_sakasegawa_says(busy: float, mean_ms: float) -> None:
    physics = _after(fleet([_front("back"), _back()], rps=busy * 100), 3)
    back = physics.plan.index["back"]
    assert physics.services[back].busy == pytest.approx(busy)
    assert physics.services[back].fixed_ms + physics.services[back].wait_ms == pytest.approx(
        mean_ms, abs=0.1
    )


def test_more_servers_wait_less_at_the_same_utilisation() -> None:
    def waits(servers: int) -> float:
        back = _back(servers=servers, rps_per_replica=25 * servers)
        physics = _after(fleet([_front("back"), back], rps=0.9 * 25 * servers), 3)
        return physics.services[physics.plan.index["back"]].wait_ms

    assert waits(1) > waits(4) > waits(16) > 0.0


def test_past_saturation_a_backlog_forms_and_drains_at_the_spare_capacity() -> None:
    # 120 rps on 100 rps of capacity leave 20 x 60 = 1200 requests a minute; at 60 rps there are
    # 40 x 60 = 2400 a minute to spare.
    backlogs: list[float] = []

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        backlogs.append(physics.services[1].backlog)
        levers.demand[0] = 1.0 if minute < 2 else 0.5

    _after(fleet([_front("back"), _back(queue_seconds=60)], rps=120), 4, press)
    assert backlogs == pytest.approx([0.0, 1200.0, 2400.0, 0.0])


def test_a_backlog_is_bounded_by_the_queue_and_what_does_not_fit_is_refused() -> None:
    # 20 seconds of 100 rps may wait; of the 200 rps that come, half is refused once it is full.
    physics = _after(fleet([_front("back", timeout_ms=60_000), _back()], rps=200), 10)
    assert physics.services[1].backlog == pytest.approx(20 * 100)
    assert physics.services[1].errors == pytest.approx(0.5)


def test_who_waits_longer_than_the_timeout_was_served_for_nothing() -> None:
    patient = _after(fleet([_front("back", timeout_ms=60_000), _back()], rps=105), 3)
    hurried = _after(fleet([_front("back", timeout_ms=1_000), _back()], rps=105), 3)
    assert patient.calls[0].fail < 0.2
    assert hurried.calls[0].fail == 1.0
    assert hurried.services[0].fixed_ms <= 1.0 + 1_000.0


def test_latency_adds_along_the_path() -> None:
    chain = [
        _front("first"),
        _back(name="first", calls=[{"to": "second"}], base_ms=30),
        _back(name="second", base_ms=50),
    ]
    physics = _after(fleet(chain, rps=10), 2)
    assert physics.services[0].fixed_ms == pytest.approx(1 + 30 + 50)


def test_success_is_the_product_over_what_is_required() -> None:
    top = _front("a")
    top["calls"] = [{"to": "a"}, {"to": "b"}, {"to": "c", "mode": "fallback"}]
    services = [top, _back(name="a"), _back(name="b"), _back(name="c")]

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.errors[1], levers.errors[2], levers.errors[3] = 0.1, 0.2, 0.9

    physics = _after(fleet(services, rps=10), 2, press)
    assert physics.users_ok == pytest.approx(0.9 * 0.8)


def test_a_call_made_for_a_share_of_requests_fails_only_that_share() -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.errors[1] = 0.5

    physics = _after(fleet([_front("back", per_request=0.2), _back()], rps=10), 2, press)
    assert physics.users_ok == pytest.approx(1 - 0.2 * 0.5)


def test_two_calls_a_request_must_both_succeed() -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.errors[1] = 0.5

    physics = _after(fleet([_front("back", per_request=2), _back()], rps=10), 2, press)
    assert physics.users_ok == pytest.approx(0.5**2)


def test_a_call_that_is_handed_over_fails_and_delays_nobody() -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.errors[1] = 1.0
        levers.latency_ms[1] = 5_000.0

    physics = _after(fleet([_front("back", mode="async"), _back()], rps=10), 2, press)
    assert physics.users_ok == 1.0
    assert physics.services[0].fixed_ms == 1.0


def test_retries_hide_failures_and_multiply_the_load() -> None:
    # Half of the attempts fail: with one retry a quarter of the requests do, at 1.5 attempts each.
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.errors[1] = 0.5

    physics = _after(fleet([_front("back", retries=1), _back()], rps=10), 3, press)
    assert physics.users_ok == pytest.approx(0.75)
    assert physics.services[1].rps == pytest.approx(15.0)


@pytest.mark.parametrize("lever", [-5.0, -1.0, 0.0, 2.0])
def test_changed_retries_change_success_and_load_together(lever: float) -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.errors[1] = 0.5
        levers.retries[1] = lever

    physics = _after(fleet([_front("back", retries=1), _back()], rps=8), 3, press)
    retries = max(0.0, 1 + lever)
    assert physics.users_ok == pytest.approx(1 - 0.5 ** (retries + 1))
    assert physics.services[1].rps == pytest.approx(8 * (1 - 0.5 ** (retries + 1)) / 0.5)


def _cache_and_db() -> Any:
    top = _front("cache", mode="fallback")
    top["calls"].append({"to": "db", "behind": "cache"})
    cache = _back(name="cache", kind="cache", rps_per_replica=10_000, base_ms=1, hit_rate=0.95)
    return fleet([top, cache, _back(name="db", kind="database", rps_per_replica=1_000)], rps=100)


def test_a_hit_rate_that_falls_from_95_to_50_percent_is_ten_times_the_load() -> None:
    loads: list[float] = []

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        loads.append(physics.services[2].rps)
        if minute >= 3:
            levers.hit_rate[1] = 50 / 95

    physics = _after(_cache_and_db(), 6, press)
    assert loads[3] == pytest.approx(5.0)
    assert physics.services[2].rps == pytest.approx(50.0)


def test_no_hit_rate_makes_the_load_behind_a_cache_negative() -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.hit_rate[1] = 3.0

    physics = _after(_cache_and_db(), 3, press)
    assert physics.services[1].hit <= 1.0
    assert physics.services[2].rps >= 0.0


def test_a_restarted_cache_is_cold_and_warms_over_minutes() -> None:
    hits: list[float] = []

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        hits.append(physics.services[1].hit)
        if minute == 2:
            physics.services[1].restarted()

    _after(_cache_and_db(), 30, press)
    assert hits[2] == pytest.approx(0.95)
    assert hits[3] < 0.3
    assert all(later > before for before, later in pairwise(hits[3:9]))
    assert hits[-1] == pytest.approx(0.95)


def test_a_cache_that_is_down_answers_nothing() -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        if minute >= 3:
            levers.errors[1] = 1.0

    physics = _after(_cache_and_db(), 6, press)
    assert physics.services[2].rps == pytest.approx(100.0)
    assert physics.users_ok == pytest.approx(1.0, abs=1e-6)


def _pooled(hold_ms: float) -> Physics:
    # Ten connections held for `hold_ms` carry 10 / hold calls a second of the 100 that are asked.
    top = _back(
        name="app",
        servers=50,
        rps_per_replica=1_000,
        base_ms=1,
        pool={"to": "back", "size": 10},
        calls=[{"to": "back", "timeout_ms": 1000}],
    )
    back = _back(servers=100, rps_per_replica=10_000, base_ms=10)

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.hold_ms[1] = hold_ms - 10

    return _after(fleet([_front("app"), top, back], rps=100), 12, press)


@pytest.mark.parametrize("hold_ms", [20, 50, 80, 95])
def test_a_pool_that_suffices_costs_nothing(hold_ms: float) -> None:
    physics = _pooled(hold_ms)
    assert physics.services[1].pool == pytest.approx(100 * hold_ms / 1000 / 10, rel=0.02)
    assert physics.users_ok == 1.0


@pytest.mark.parametrize("hold_ms", [125, 200, 400])
def test_a_pool_that_does_not_is_a_cliff(hold_ms: float) -> None:
    physics = _pooled(hold_ms)
    assert physics.services[1].pool > 1.0
    assert physics.users_ok == pytest.approx(10 / (100 * hold_ms / 1000), rel=0.02)
    assert physics.calls[1].ms > 100.0


def test_memory_grows_to_a_kill_and_starts_again() -> None:
    memory: list[float] = []
    kills: list[int] = []

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        memory.append(physics.services[1].memory)
        if physics.killed:
            kills.append(minute)
        levers.memory_per_minute[1] = 10.0

    _after(fleet([_front("back"), _back(memory=45)], rps=10), 15, press)
    assert memory[:7] == [45, 55, 65, 75, 85, 95, 100]
    assert kills == [6, 12]
    assert memory[7] == 55


def test_a_service_short_of_memory_is_slower_and_a_killed_one_smaller() -> None:
    busy: list[float] = []
    base: list[float] = []

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        busy.append(physics.services[1].busy)
        base.append(physics.services[1].fixed_ms)
        levers.memory_per_minute[1] = 10.0

    _after(fleet([_front("back"), _back(memory=45)], rps=30), 9, press)
    # 85 % is a quarter of the way from pressure to the limit: 40 ms times 1 + 5 / 16.
    assert base[4:6] == pytest.approx([40.0, 52.5])
    assert busy[7] == pytest.approx(30 / (100 * 0.35))


@pytest.mark.parametrize("then", ["kill", "restart"])
def test_a_raised_memory_limit_stays_raised(then: str) -> None:
    physics = Physics(Plan(fleet([_front("back"), _back(memory=45)], rps=10)))
    levers = Levers(physics.plan.size)
    physics.services[1].raised("memory")
    assert physics.services[1].memory == pytest.approx(30.0)
    if then == "restart":
        physics.services[1].restarted()
    else:
        levers.memory_per_minute[1] = 150.0
        physics.press(levers)
        physics.advance(1.0)
        levers.memory_per_minute[1] = 0.0
        physics.press(levers)
        physics.advance(1.0)
    assert physics.services[1].memory == pytest.approx(30.0)


def test_a_full_disk_refuses_writes_and_serves_reads() -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.disk_per_minute[1] = 20.0

    db = _back(kind="database", disk=50)
    before = _after(fleet([_front("back"), db], rps=10), 2, press)
    full = _after(fleet([_front("back"), db], rps=10), 5, press)
    assert before.services[1].disk == 90.0
    assert before.users_ok == 1.0
    assert full.services[1].disk == 100.0
    assert full.users_ok == pytest.approx(1 - 0.45)


def test_a_purge_and_more_replicas_make_room_on_a_disk() -> None:
    physics = Physics(Plan(fleet([_front("back"), _back(kind="database", disk=40)], rps=10)))
    physics.services[1].disk = 90.0
    physics.services[1].scaled(3)
    assert physics.services[1].disk == pytest.approx(30.0)
    physics.services[1].disk = 90.0
    physics.services[1].purged()
    assert physics.services[1].disk == pytest.approx(40.0)


def _with_queue() -> Any:
    top = _front("queue", mode="async")
    queue = _back(
        name="queue",
        kind="queue",
        rps_per_replica=500,
        base_ms=1,
        queue_seconds=1_000,
        calls=[{"to": "worker", "mode": "async"}],
    )
    return fleet([top, queue, _back(name="worker")], rps=50)


def test_a_queue_keeps_what_its_consumer_cannot_take_and_gives_it_back_later() -> None:
    backlogs: list[float] = []

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        backlogs.append(physics.services[1].backlog)
        levers.capacity[2] = 0.2 if 5 <= minute < 10 else 1.0

    physics = _after(_with_queue(), 20, press)
    # 50 in, 20 out: 30 x 60 more each minute, a minute after the consumer slowed down.
    assert backlogs[8] - backlogs[7] == pytest.approx(30 * 60)
    assert max(backlogs) > 4 * 30 * 60
    assert backlogs[14] < backlogs[12] < backlogs[11]
    assert physics.services[1].backlog == 0.0
    assert physics.users_ok == 1.0


def test_a_queue_that_is_full_refuses() -> None:
    queue = _back(
        name="queue",
        kind="queue",
        rps_per_replica=500,
        base_ms=1,
        queue_seconds=1,
        calls=[{"to": "worker", "mode": "async"}],
    )
    topology = fleet([_front("queue"), queue, _back(name="worker")], rps=50)

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.capacity[2] = 0.2

    physics = _after(topology, 8, press)
    assert physics.services[1].errors == pytest.approx(30 / 50, rel=0.05)


def test_unreachable_services_get_no_load_and_fail_their_callers() -> None:
    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.unreachable[1] = 0.4

    physics = _after(fleet([_front("back"), _back()], rps=10), 2, press)
    assert physics.users_ok == pytest.approx(0.6)
    assert physics.services[1].rps == pytest.approx(6.0)


def test_names_are_lost_and_found_as_callers_answers_run_out() -> None:
    lost: list[float] = []

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        lost.append(1.0 - physics.users_ok)
        levers.unreachable[1] = 1.0 if minute < 4 else 0.0

    _after(fleet([_front("back"), _back(dns_ttl=3)], rps=10), 9, press)
    assert lost == pytest.approx([0, 1 / 3, 2 / 3, 1, 1, 2 / 3, 1 / 3, 0, 0], abs=1e-9)


def test_shed_requests_count_as_failed_and_load_nobody() -> None:
    physics = Physics(Plan(fleet([_front("back"), _back()], rps=80)))
    physics.services[0].shed_load(0.25)
    physics.advance(1.0)
    assert physics.users_ok == pytest.approx(0.75)
    assert physics.services[1].rps == pytest.approx(60.0)


_STORM = fleet(
    [
        _front("back", retries=3),
        _back(replicas=4, servers=10, rps_per_replica=250, base_ms=20),
    ],
    rps=800,
)
_CALM = fleet(
    [_front("back"), _back(replicas=4, servers=10, rps_per_replica=250, base_ms=20)], rps=800
)


def _storm(
    *,
    topology: Any = _STORM,
    capacity: float = 1.0,
    keep: float = 1.0,
    minutes: int = 0,
    retries_off: bool = False,
    budget: float = 3.0,
) -> float:
    """Goodput half an hour after a two-minute dip to 60 % of capacity, helped from minute 10.

    Args:
        budget: Retries a request that clients allow themselves, all the time.
    """

    def press(minute: int, levers: Levers, physics: Physics) -> None:
        levers.retries[1] = budget - 3.0
        if 3 <= minute < 5:
            levers.capacity[1] = 0.6
        if minute >= 10:
            levers.capacity[1] = capacity
            levers.retries[1] = -3.0 if retries_off else budget - 3.0
        physics.services[0].shed_load(1.0 - keep if 10 <= minute < 10 + minutes else 0.0)

    return _after(topology, 30, press).users_ok


def test_a_retry_storm_outlives_its_trigger() -> None:
    assert _storm() < 0.05


def test_without_retries_the_same_dip_heals_by_itself() -> None:
    assert _storm(topology=_CALM) > 0.99


@pytest.mark.parametrize("capacity", [1.3, 2.0, 3.0])
def test_a_retry_storm_shrugs_off_a_modest_scale_up(capacity: float) -> None:
    assert _storm(capacity=capacity) < 0.5


def test_a_retry_storm_yields_to_capacity_for_all_the_attempts() -> None:
    assert _storm(capacity=3.3) > 0.99


@pytest.mark.parametrize(("keep", "minutes"), [(0.30, 3), (0.25, 1)])
def test_a_retry_storm_comes_back_after_too_little_shedding(keep: float, minutes: int) -> None:
    assert _storm(keep=keep, minutes=minutes) < 0.5


def test_a_retry_storm_yields_to_three_minutes_at_a_quarter_of_the_load() -> None:
    assert _storm(keep=0.25, minutes=3) > 0.99


def test_a_retry_storm_yields_to_switching_retries_off() -> None:
    assert _storm(retries_off=True) > 0.99


@pytest.mark.parametrize(("budget", "heals"), [(0.1, True), (0.5, False)])
def test_a_retry_storm_never_lasts_where_retries_have_a_budget_of_a_tenth(
    budget: float, heals: bool
) -> None:
    assert (_storm(budget=budget) > 0.99) is heals


_SHARE = st.floats(0, 1)


@given(
    traffic=st.floats(0, 20),
    errors=_SHARE,
    unreachable=_SHARE,
    capacity=st.floats(0, 3),
    hit=st.floats(0, 2),
    latency=st.floats(0, 50_000),
    retries=st.integers(-3, 5),
)
def test_whatever_presses_on_it_the_figures_stay_within_their_ranges(
    traffic: float,
    errors: float,
    unreachable: float,
    capacity: float,
    hit: float,
    latency: float,
    retries: int,
) -> None:
    physics = Physics(Plan(_cache_and_db()))
    for _minute in range(5):
        levers = Levers(physics.plan.size)
        levers.errors[2] = errors
        levers.unreachable[2] = unreachable
        levers.capacity[1] = levers.capacity[2] = capacity
        levers.hit_rate[1] = hit
        levers.latency_ms[2] = latency
        levers.retries[2] = retries
        physics.press(levers)
        physics.advance(traffic)
    assert 0.0 <= physics.users_ok <= 1.0
    for call in physics.calls:
        assert 0.0 <= call.fail <= 1.0
    for each in physics.services:
        assert 0.0 <= each.errors <= 1.0
        assert 0.0 <= each.hit <= 1.0
        for figure in (each.rps, each.backlog, each.wait_ms, each.fixed_ms):
            assert 0.0 <= figure < 1e12


def test_load_is_shed_at_the_entry_that_is_named_alone() -> None:
    two_doors = fleet([_front("back"), _back()], rps=20)
    doors = (two_doors.entries[0], Entry(service="back", rps=20))
    physics = Physics(Plan(two_doors.model_copy(update={"entries": doors})))
    physics.services[0].shed_load(0.5)
    physics.advance(1.0)
    assert physics.services[0].rps == pytest.approx(10.0)
    assert physics.services[1].rps == pytest.approx(10.0 + 20.0)
    assert physics.users_ok == pytest.approx(0.75)


@pytest.mark.parametrize(("loss", "resends"), [(0.005, 0), (0.01, 1), (0.05, 3)])
def test_lost_packets_show_as_latency_in_steps_of_200_ms(loss: float, resends: int) -> None:
    """Of ten packets 4.9, 9.6 and 40 % of calls lose one: 0.05 = 0.096 ** 1.3 = 0.40 ** 3.3."""

    def lossy(_minute: int, levers: Levers, physics: Physics) -> None:
        levers.loss[physics.plan.index["back"]] = loss

    assert resend_ms(loss) == 200.0 * resends
    topology = fleet([_front("back"), _back()], rps=10)
    back = Plan(topology).index["back"]
    fixed = _after(topology, 3, lossy).services[back].fixed_ms
    assert fixed == _after(topology, 3).services[back].fixed_ms + 200.0 * resends


def test_a_hot_shard_fails_what_it_cannot_take_while_the_mean_looks_well() -> None:
    """62.5 % of 60 a second go to a shard that has room for 25: a third of those fail."""

    def skewed(_minute: int, levers: Levers, physics: Physics) -> None:
        levers.skew[physics.plan.index["back"]] = 0.5

    physics = _after(fleet([_front("back"), _back(shards=4)], rps=60), 3, skewed)
    back = physics.plan.index["back"]
    assert physics.services[back].errors == pytest.approx(0.625 / 3)
    assert physics.services[back].busy == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("behind", "failed"), [(30.0, 0.0), (90.0, 0.175), (150.0, 0.35), (600.0, 0.35)]
)
def test_reads_of_a_copy_that_is_behind_fail_as_it_grows_from_30_to_150_seconds(
    behind: float, failed: float
) -> None:
    def lagging(minute: int, levers: Levers, physics: Physics) -> None:
        levers.lag_per_minute[physics.plan.index["back"]] = 0.0 if minute else behind

    physics = _after(fleet([_front("back"), _back()], rps=10), 2, lagging)
    assert physics.services[physics.plan.index["back"]].errors == pytest.approx(failed)
