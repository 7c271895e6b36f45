"""What a service does in a minute, against figures that were published or worked out by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.models.topology import Topology
from chaosops.env.plan import FleetPlan
from chaosops.env.service_call import resend_ms
from chaosops.env.service_flow import Physics
from tests.env.minutes import after, cache_and_db, called, each_minute, front, named
from tests.worlds import fleet


@pytest.mark.parametrize(
    ("busy", "mean_ms"), [(0.80, 70.9), (0.90, 119.6), (0.95, 219.0), (0.98, 518.6)]
)
def test_four_servers_of_40_ms_wait_as_sakasegawa_says(busy: float, mean_ms: float) -> None:
    physics = after(fleet([front("back"), called()], rps=busy * 100), 3)
    back = named(physics, "back")
    assert back.busy == pytest.approx(busy)
    assert back.fixed_ms + back.wait_ms == pytest.approx(mean_ms, abs=0.1)


def test_more_servers_wait_less_at_the_same_utilisation() -> None:
    def waits(servers: int) -> float:
        back = called(servers=servers, rps_per_replica=25 * servers)
        physics = after(fleet([front("back"), back], rps=0.9 * 25 * servers), 3)
        return named(physics, "back").wait_ms

    assert waits(1) > waits(4) > waits(16) > 0.0


def test_past_saturation_a_backlog_forms_and_drains_at_the_spare_capacity() -> None:
    # 120 rps on 100 rps of capacity leave 20 x 60 = 1200 requests a minute; at 60 rps there are
    # 40 x 60 = 2400 a minute to spare.
    backlogs: list[float] = []

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        backlogs.append(physics.services[1].backlog)
        effects.demand[0] = 1.0 if minute < 2 else 0.5

    after(fleet([front("back"), called(queue_seconds=60)], rps=120), 4, change)
    assert backlogs == pytest.approx([0.0, 1200.0, 2400.0, 0.0])


def test_a_backlog_is_bounded_by_the_queue_and_what_does_not_fit_is_refused() -> None:
    # 20 seconds of 100 rps may wait; of the 200 rps that come, half is refused once it is full.
    physics = after(fleet([front("back", timeout_ms=60_000), called()], rps=200), 10)
    assert physics.services[1].backlog == pytest.approx(20 * 100)
    assert physics.services[1].errors == pytest.approx(0.5)


def test_a_restarted_cache_is_cold_and_warms_over_minutes() -> None:
    hits: list[float] = []

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        hits.append(physics.services[1].hit)
        if minute == 2:
            physics.services[1].restarted()

    after(cache_and_db(), 30, change)
    assert hits[2] == pytest.approx(0.95)
    assert hits[3] < 0.3
    assert all(later > before for before, later in pairwise(hits[3:9]))
    assert hits[-1] == pytest.approx(0.95)


def _with_pool() -> Topology:
    """Services 0 to 2: `front`, `app` with ten connections, and `back`; 100 requests a second."""
    app = called(
        name="app",
        servers=50,
        rps_per_replica=1_000,
        base_ms=1,
        pool={"to": "back", "size": 10},
        calls=[{"to": "back", "timeout_ms": 1000}],
    )
    back = called(servers=100, rps_per_replica=10_000, base_ms=10)
    return fleet([front("app"), app, back], rps=100)


def _pooled(hold_ms: float) -> Physics:
    # Ten connections held for `hold_ms` carry 10 / hold calls a second of the 100 that are asked.
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.hold_ms[1] = hold_ms - 10

    return after(_with_pool(), 12, change)


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

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        memory.append(physics.services[1].memory)
        if physics.killed:
            kills.append(minute)
        effects.memory_per_minute[1] = 10.0

    after(fleet([front("back"), called(memory=45)], rps=10), 15, change)
    assert memory[:7] == [45, 55, 65, 75, 85, 95, 100]
    assert kills == [6, 12]
    assert memory[7] == 55


def test_a_service_short_of_memory_is_slower_and_a_killed_one_smaller() -> None:
    busy: list[float] = []
    base: list[float] = []

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        busy.append(physics.services[1].busy)
        base.append(physics.services[1].fixed_ms)
        effects.memory_per_minute[1] = 10.0

    after(fleet([front("back"), called(memory=45)], rps=30), 9, change)
    # 85 % is a quarter of the way from pressure to the limit: 40 ms times 1 + 5 / 16.
    assert base[4:6] == pytest.approx([40.0, 52.5])
    assert busy[7] == pytest.approx(30 / (100 * 0.35))


@pytest.mark.parametrize("then", ["kill", "restart"])
def test_a_raised_memory_limit_stays_raised(then: str) -> None:
    physics = Physics(FleetPlan(fleet([front("back"), called(memory=45)], rps=10)))
    effects = FaultEffects(physics.plan.size)
    physics.services[1].raised("memory")
    assert physics.services[1].memory == pytest.approx(30.0)
    if then == "restart":
        physics.services[1].restarted()
    else:
        effects.memory_per_minute[1] = 150.0
        physics.take_effects(effects)
        physics.advance(1.0)
        effects.memory_per_minute[1] = 0.0
        physics.take_effects(effects)
        physics.advance(1.0)
    assert physics.services[1].memory == pytest.approx(30.0)


def test_a_full_disk_refuses_writes_and_serves_reads() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.disk_per_minute[1] = 20.0

    db = called(kind="database", disk=50)
    before = after(fleet([front("back"), db], rps=10), 2, change)
    full = after(fleet([front("back"), db], rps=10), 5, change)
    assert before.services[1].disk == 90.0
    assert before.users_ok == 1.0
    assert full.services[1].disk == 100.0
    assert full.users_ok == pytest.approx(1 - 0.45)


def test_a_purge_and_more_replicas_make_room_on_a_disk() -> None:
    physics = Physics(FleetPlan(fleet([front("back"), called(kind="database", disk=40)], rps=10)))
    physics.services[1].disk = 90.0
    physics.services[1].scaled(3)
    assert physics.services[1].disk == pytest.approx(30.0)
    physics.services[1].disk = 90.0
    physics.services[1].purged()
    assert physics.services[1].disk == pytest.approx(40.0)


def _with_queue() -> Topology:
    top = front("queue", mode="async")
    queue = called(
        name="queue",
        kind="queue",
        rps_per_replica=500,
        base_ms=1,
        queue_seconds=1_000,
        calls=[{"to": "worker", "mode": "async"}],
    )
    return fleet([top, queue, called(name="worker")], rps=50)


def test_a_queue_keeps_what_its_consumer_cannot_take_and_gives_it_back_later() -> None:
    backlogs: list[float] = []

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        backlogs.append(physics.services[1].backlog)
        effects.capacity[2] = 0.2 if 5 <= minute < 10 else 1.0

    physics = after(_with_queue(), 20, change)
    # 50 in, 20 out: 30 x 60 more each minute, a minute after the consumer slowed down.
    assert backlogs[8] - backlogs[7] == pytest.approx(30 * 60)
    assert max(backlogs) > 4 * 30 * 60
    assert backlogs[14] < backlogs[12] < backlogs[11]
    assert physics.services[1].backlog == 0.0
    assert physics.users_ok == 1.0


def test_a_queue_that_is_full_refuses() -> None:
    queue = called(
        name="queue",
        kind="queue",
        rps_per_replica=500,
        base_ms=1,
        queue_seconds=1,
        calls=[{"to": "worker", "mode": "async"}],
    )
    topology = fleet([front("queue"), queue, called(name="worker")], rps=50)

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.capacity[2] = 0.2

    physics = after(topology, 8, change)
    assert physics.services[1].errors == pytest.approx(30 / 50, rel=0.05)


def test_names_are_lost_and_found_as_callers_answers_run_out() -> None:
    lost: list[float] = []

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        lost.append(1.0 - physics.users_ok)
        effects.unreachable[1] = 1.0 if minute < 4 else 0.0

    after(fleet([front("back"), called(dns_ttl=3)], rps=10), 9, change)
    assert lost == pytest.approx([0, 1 / 3, 2 / 3, 1, 1, 2 / 3, 1 / 3, 0, 0], abs=1e-9)


@pytest.mark.parametrize(("loss", "resends"), [(0.005, 0), (0.01, 1), (0.05, 3)])
def test_lost_packets_show_as_latency_in_steps_of_200_ms(loss: float, resends: int) -> None:
    """Of ten packets 4.9, 9.6 and 40 % of calls lose one: 0.05 = 0.096 ** 1.3 = 0.40 ** 3.3."""

    def lossy(_minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.loss[physics.plan.index["back"]] = loss

    assert resend_ms(loss) == 200.0 * resends
    topology = fleet([front("back"), called()], rps=10)
    fixed = named(after(topology, 3, lossy), "back").fixed_ms
    assert fixed == named(after(topology, 3), "back").fixed_ms + 200.0 * resends


def test_a_hot_shard_fails_what_it_cannot_take_while_the_mean_looks_well() -> None:
    """62.5 % of 60 a second go to a shard that has room for 25: a third of those fail."""

    def skewed(_minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.skew[physics.plan.index["back"]] = 0.5

    physics = after(fleet([front("back"), called(shards=4)], rps=60), 3, skewed)
    assert named(physics, "back").errors == pytest.approx(0.625 / 3)
    assert named(physics, "back").busy == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("behind", "failed"), [(30.0, 0.0), (90.0, 0.175), (150.0, 0.35), (600.0, 0.35)]
)
def test_reads_of_a_copy_that_is_behind_fail_as_it_grows_from_30_to_150_seconds(
    behind: float, failed: float
) -> None:
    def lagging(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.lag_per_minute[physics.plan.index["back"]] = 0.0 if minute else behind

    physics = after(fleet([front("back"), called()], rps=10), 2, lagging)
    assert named(physics, "back").errors == pytest.approx(failed)


def test_a_full_disk_that_was_scaled_out_fills_again() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.disk_per_minute[1] = 20.0
        if minute == 5:
            physics.services[1].scaled(2)

    database = fleet([front("back"), called(kind="database", disk=50)], rps=10)
    disk = each_minute(database, 9, lambda physics: physics.services[1].disk, change)
    # Half of 100 % on each of two, and 20 points in the minute itself.
    assert disk == pytest.approx([50, 70, 90, 100, 100, 100, 70, 90, 100])


def test_a_restart_drops_the_backlog() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        if minute == 2:
            physics.services[1].restarted()

    crowded = fleet([front("back"), called(queue_seconds=60)], rps=120)
    backlog = each_minute(crowded, 4, lambda physics: physics.services[1].backlog, change)
    assert backlog == pytest.approx([0, 1200, 2400, 1200])


def test_a_purge_drops_what_waits_in_a_queue() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.capacity[2] = 0.2
        if minute == 5:
            physics.services[1].purged()

    backlog = each_minute(_with_queue(), 7, lambda physics: physics.services[1].backlog, change)
    # 50 in and 20 out leave 30 x 60, a minute after the consumer slowed down.
    assert backlog == pytest.approx([0, 0, 1800, 3600, 5400, 7200, 1800])


def test_a_queue_hands_over_only_what_its_consumer_answers() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[2] = 0.8

    backlog = each_minute(_with_queue(), 7, lambda physics: physics.services[1].backlog, change)
    # Of 100 a second, 20 succeed.
    assert backlog == pytest.approx([0, 0, 0, 1800, 3600, 5400, 7200])


def test_a_caller_that_was_restarted_begins_with_one_attempt() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[1] = 0.5
        if minute == 3:
            physics.services[0].restarted()

    retrying = fleet([front("back", retries=1), called()], rps=10)
    rps = each_minute(retrying, 6, lambda physics: physics.services[1].rps, change)
    assert rps == pytest.approx([0, 10, 15, 15, 10, 15])


def test_copies_catch_up_by_a_minuteeach_minute() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.lag_per_minute[1] = 0.0 if minute else 150.0

    topology = fleet([front("back"), called()], rps=10)
    lag = each_minute(topology, 6, lambda physics: physics.services[1].lag, change)
    assert lag == [0, 150, 90, 30, 0, 0]


def test_a_raised_connection_limit_carries_half_as_much_again() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.hold_ms[1] = 115.0
        if minute == 11:
            physics.services[1].raised("connections")

    # 12.5 connections are wanted: 10 carry 80 %, and of 15 five sixths are in use.
    physics = after(_with_pool(), 13, change)
    assert physics.services[1].pool == pytest.approx(12.5 / 15)
    assert physics.users_ok == 1.0


def test_a_pool_that_is_released_fails_nobody_any_more() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.hold_ms[1] = 115.0 if minute < 6 else 0.0

    users_ok = each_minute(_with_pool(), 12, lambda physics: physics.users_ok, change)
    assert users_ok[6] == pytest.approx(0.8, abs=0.02)
    assert users_ok[9:] == [1.0, 1.0, 1.0]


def test_replicas_that_are_lost_are_capacity_that_is_lost() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.replicas[1] = 0.5

    back = named(after(fleet([front("back"), called(replicas=4)], rps=100), 2, change), "back")
    assert (back.replicas, back.serving) == (4, 2.0)
    assert back.busy == pytest.approx(0.5)


def test_more_demand_on_a_service_that_is_no_entry_is_load_on_it_alone() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.demand[1] = 3.0

    physics = after(fleet([front("back"), called()], rps=10), 2, change)
    assert physics.services[0].rps == pytest.approx(10.0)
    assert physics.services[1].rps == pytest.approx(30.0)


def test_a_fleet_is_steady_again_once_nothing_in_it_moves() -> None:
    def cold(minute: int, effects: FaultEffects, physics: Physics) -> None:
        if minute == 6:
            physics.services[1].purged()

    def nameless(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.unreachable[1] = 1.0 if minute >= 4 else 0.0

    def steady(physics: Physics) -> float:
        return physics.is_steady

    cache = each_minute(cache_and_db(), 40, steady, cold)
    assert cache[6]
    assert not any(cache[7:20])
    assert cache[-1]
    # A fifth of the callers forgets the address each minute.
    names = each_minute(fleet([front("back"), called(dns_ttl=5)], rps=10), 12, steady, nameless)
    assert names[4]
    assert not any(names[5:10])
    assert names[-1]


@pytest.mark.parametrize("limit", ["memory", "connections", "queue"])
def test_a_minute_after_a_limit_was_raised_is_looked_at(limit: str) -> None:
    physics = after(_with_pool(), 30)
    assert physics.is_steady
    physics.services[1].raised(limit)
    assert not physics.is_steady


def test_of_a_call_in_twenty_only_whole_rounds_of_losses_count() -> None:
    # Of ten packets at 4 % loss 33.5 % of calls lose one: 0.05 = 0.335 ** 2.74, so two rounds.
    assert resend_ms(0.04) == 400.0


def test_a_connection_is_held_for_as_long_as_calls_take_within_a_few_minutes() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.latency_ms[2] = 90.0 if minute >= 3 else 0.0

    pool = each_minute(_with_pool(), 8, lambda physics: physics.services[1].pool, change)
    # 100 calls a second of 10 ms, then of 100: 65 % of the difference a minute, on ten connections.
    assert pool[3:7] == pytest.approx([0.1, 0.1, 0.685, 0.88975])


def test_nobody_waits_longer_than_half_a_minute() -> None:
    crowded = fleet([front("back", timeout_ms=60_000), called(queue_seconds=60)], rps=300)
    # 60 seconds of work wait, and each takes 40 ms besides.
    assert named(after(crowded, 10), "back").fixed_ms == pytest.approx(30_000 + 40)
