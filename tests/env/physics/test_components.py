"""Each component against figures that were worked out by hand."""

from math import exp

import pytest

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.plans import PAGES
from tests.env.physics.fleets import mesh, part, run

DATABASE = {"name": "db", "kind": "database", "disk": 50, "disk_gb": 100, "sessions": 50}


def _with_database(rps: float = 100.0, size: int = 10, **more: object) -> Mesh:
    return mesh(
        [
            {
                "name": "front",
                "kind": "edge",
                "pool": {"to": "db", "size": size},
                "calls": [{"to": "db", "timeout_ms": 800, "table": "orders"}],
            },
            {**DATABASE, **more},
        ],
        rps,
    )


def test_a_pool_holds_rate_times_time() -> None:
    fleet = _with_database()
    run(fleet, 6)
    pool = part(fleet, "front", "pool")
    # 50 calls a second on each of two instances, each held for 10 ms at the database and 10 ms
    # of work on what came back: one connection of ten.
    assert pool.used == pytest.approx(50 * 0.020 / 10, rel=0.01)
    assert fleet.links[0].starved == 0.0


def test_leaked_connections_starve_one_instance_after_the_other() -> None:
    fleet = _with_database()
    pool = part(fleet, "front", "pool")
    run(fleet, 8, [(pool, "leaked", 9.5)])
    # The second instance loses 9.5, so 0.5 of the one it needs is left; the first has lost
    # 0.6 * 9.5 = 5.7 and enough left.
    assert pool.leaked == pytest.approx([5.7, 9.5])
    assert pool.starved == pytest.approx([0.0, 0.5], abs=0.01)
    assert fleet.users_ok == pytest.approx(0.75, abs=0.01)
    pool.land(ActionType.RESTART, FrozenMap(), fleet)
    run(fleet, 1, [(pool, "leaked", 9.5)])
    # 7 % of the 9.5 in the first minute: 0.665, and 0.6 of that.
    assert pool.leaked == pytest.approx([0.399, 0.665])


def test_sessions_that_wait_for_a_lock_are_rate_times_the_clients_timeout() -> None:
    fleet = _with_database(sessions=500)
    locks = part(fleet, "db", "locks")
    run(fleet, 2, [(locks, "blocked", 0.1)])
    assert sum(locks.waiting) == pytest.approx(100 * 0.1 * 0.8, rel=0.02)
    assert fleet.users_ok == pytest.approx(0.9, abs=0.01)


def test_no_more_sessions_wait_than_the_pools_of_the_callers_have() -> None:
    fleet = _with_database(size=2, sessions=500)
    sessions, locks = part(fleet, "db", "sessions"), part(fleet, "db", "locks")
    for _minute in range(6):
        run(fleet, 1, [(locks, "blocked", 0.5)])
        # Two pools of two, for 100 * 0.5 * 0.8 = 40 that would wait.
        assert sessions.waiting <= sessions.open == 4.0
        assert sessions.active + sessions.waiting <= sessions.open


def test_deadlocks_grow_with_the_square_of_the_load() -> None:
    fleet = _with_database()
    locks = part(fleet, "db", "locks")
    run(fleet, 2, [(locks, "deadlocked", 0.05)])
    assert fleet.links[0].broken == pytest.approx(0.05, rel=0.05)
    for _minute in range(3):
        fleet.reset_parameters()
        locks.inject("deadlocked", 0.05, -1)
        fleet.nodes[0].injected_demand = 2.0
        fleet.advance(1.0)
    assert fleet.links[0].broken == pytest.approx(0.2, rel=0.1)  # 0.05 * 2^2


def test_past_the_limit_every_caller_is_turned_away() -> None:
    fleet = _with_database()
    sessions = part(fleet, "db", "sessions")
    run(fleet, 4, [(sessions, "extra", 120.0)])
    # Two pools of ten and 120 others are 140, for 50.
    assert sessions.open == pytest.approx(140.0, rel=0.05)
    assert sessions.refused == pytest.approx(1.0 - 50 / 140, abs=0.02)
    assert fleet.links[0].refused == sessions.refused


def test_sessions_of_clients_that_have_gone_take_the_place_of_their_callers_others() -> None:
    fleet = _with_database()
    sessions = part(fleet, "db", "sessions")

    def stay(minutes: int) -> None:
        for _minute in range(minutes):
            fleet.reset_parameters()
            sessions.inject("left", 0.6, 0)
            fleet.advance(1.0)

    stay(4)
    # Two pools of ten may have 25 sessions; 15 of these are left behind, and 10 are for 20.
    assert (sessions.left, sessions.room) == pytest.approx((15.0, 10.0))
    assert fleet.links[0].broken == pytest.approx(0.5)
    assert sessions.open == pytest.approx(25.0)
    fleet.instances[0].resize(1, fleet.minute)
    stay(2)
    # One pool of ten finds the ten that are left.
    assert fleet.links[0].broken == 0.0
    run(fleet, 1, [])
    assert sessions.left == 0.0


def test_sessions_that_wait_take_ten_megabytes_each() -> None:
    fleet = _with_database(memory_gb=1, replicas=1)
    memory, locks = part(fleet, "db", "memory"), part(fleet, "db", "locks")
    run(fleet, 2, [(locks, "blocked", 0.1)])
    assert memory.held == pytest.approx(8 * 10 / 1024 * 100, rel=0.03)


def test_what_is_in_flight_takes_memory() -> None:
    # Little's law: 500 a second for 30 s are 15,000 requests; at 1 MB each on twenty instances of
    # 2,048 MB that is 36.6 %.
    many = {"replicas": 20, "max_replicas": 20, "memory": 10, "request_mb": 1}
    fleet = mesh([{"name": "front", "kind": "edge", **many}], rps=500)
    for _minute in range(2):
        fleet.reset_parameters()
        fleet.nodes[0].injected_delay_ms = 29_990.0
        fleet.advance(1.0)
    memory = part(fleet, "front", "memory")
    assert fleet.nodes[0].inflight == pytest.approx(15_000.0, rel=1e-3)
    assert memory.flying == pytest.approx(36.6, rel=1e-2)
    assert memory.used == pytest.approx(46.6, rel=1e-2)


def test_an_instance_without_room_is_killed_and_comes_back_empty() -> None:
    fleet = mesh([{"name": "front", "kind": "edge", "memory": 50}])
    memory = part(fleet, "front", "memory")
    run(fleet, 1, [(memory, "leak", 30.0)])
    # The first loses 0.8 * 30, the second 1.2 * 30.
    assert memory.leaked == pytest.approx([24.0, 36.0])
    run(fleet, 1, [(memory, "leak", 30.0)])
    assert memory.killed == (1,)
    assert memory.leaked == pytest.approx([48.0, 0.0])
    instances = fleet.instances[0]
    assert instances.kills == (0, 1)
    run(fleet, 1)
    assert fleet.nodes[0].instances == 1.0
    run(fleet, 1)
    assert fleet.nodes[0].instances == 2.0


@pytest.mark.parametrize(("used", "more"), [(50.0, 0.0), (90.0, 0.08), (97.0, 0.3133)])
def test_collection_takes_compute_as_memory_fills(used: float, more: float) -> None:
    # live / (heap - live) is 1 at 50 %, 9 at 90 % and 32.3 at 97 %; one of it is 1 % of compute.
    fleet = mesh([{"name": "front", "kind": "edge", "memory": 20}])
    memory = part(fleet, "front", "memory")
    assert isinstance(memory, Memory)
    memory.leaked = (used - 20.0,) * len(memory.leaked)
    memory.fullest = used
    fleet.reset_parameters()
    fleet.advance(1.0)
    assert fleet.nodes[0].cpu_ms == pytest.approx(10.0 * (1.0 + more), rel=1e-3)


def test_a_slow_device_takes_longer_and_is_busy_at_the_same_rate() -> None:
    fleet = _with_database()
    disk = part(fleet, "db", "disk")
    run(fleet, 2)
    assert disk.iops == pytest.approx(500.0)  # five a query
    assert disk.await_ms == pytest.approx(1.0)  # 0.8 / (1 - 1/5)
    assert disk.queue == pytest.approx(500 * 0.001 / 10)  # two instances of five stripes
    assert disk.busy == pytest.approx(1 - exp(-0.05))
    run(fleet, 2, [(disk, "slow", 40.0)])
    assert disk.iops == pytest.approx(500.0, rel=0.01)
    assert disk.await_ms == pytest.approx(40.0, rel=0.01)
    # A query waits for five of them: 200 ms where it was 5, and one in 57 for more than 800 ms.
    assert fleet.nodes[1].wait_ms == pytest.approx(195.0, rel=0.02)
    assert fleet.links[0].fail == pytest.approx(exp(-(800 - 10) / 195), rel=0.05)


def test_a_thousand_errors_a_second_write_fourteen_gigabytes_of_log_an_hour() -> None:
    fleet = _with_database(rps=1_000)
    disk = part(fleet, "db", "disk")
    before = disk.used
    for _minute in range(2):
        fleet.reset_parameters()
        fleet.nodes[1].injected_errors = 1.0
        fleet.advance(1.0)
    failed = fleet.nodes[1].served
    grown = (disk.used - before) / 2.0
    # 4 KB each for a minute, of 100 GB; at 1,000 a second that is 14.4 GB an hour.
    assert grown == pytest.approx(failed * 4e3 * 60 / 100e9 * 100, rel=0.2)
    assert pytest.approx(14.4) == 1_000 * 4e3 * 3_600 / 1e9


def test_a_full_disk_refuses_writes_until_room_is_made() -> None:
    fleet = _with_database()
    disk = part(fleet, "db", "disk")
    run(fleet, 2, [(disk, "fill", 60.0)])
    run(fleet, 3)
    assert disk.used == 100.0
    assert fleet.users_ok == pytest.approx(1.0 - 0.45, abs=0.01)  # what writes at a database
    disk.land(ActionType.PURGE, FrozenMap(), fleet)
    run(fleet, 2)
    assert fleet.users_ok == 1.0


def test_a_flipped_plan_slows_its_own_calls_and_loads_the_device_of_all() -> None:
    fleet = _with_database()
    plans, disk = part(fleet, "db", "plans"), part(fleet, "db", "disk")
    run(fleet, 3, [(plans, "flipped", 0.02)])
    # Two calls a second read 1,500 pages, sixteen at a time: 187 operations a second more.
    assert disk.scanning == pytest.approx(fleet.links[0].rate * 0.02 * PAGES / 16.0, rel=0.02)
    assert plans.scan_ms == pytest.approx(PAGES * disk.await_ms, rel=0.05)
    assert fleet.users_ok == pytest.approx(0.98, abs=0.005)


def test_a_hot_shard_fails_what_exceeds_its_part_while_the_mean_is_low() -> None:
    # 8,000 a second for 4 shards of 4,000 each: half busy on the mean.
    fleet = _with_database(
        rps=8_000, size=1_000, shards=4, rps_per_replica=8_000, servers=80, sessions=10_000
    )
    shards = part(fleet, "db", "shards")
    run(fleet, 2, [(shards, "skew", 0.2)])
    assert shards.share() == pytest.approx(0.4)  # 0.25 + 0.2 * 0.75
    assert shards.busy == pytest.approx(0.8)  # 3,200 of 4,000
    assert fleet.users_ok == 1.0
    run(fleet, 2, [(shards, "skew", 0.6)])
    assert shards.share() == pytest.approx(0.7)
    assert shards.failing == pytest.approx(0.7 * (1 - 4_000 / 5_600))
    assert fleet.nodes[1].busy == pytest.approx(0.5, abs=0.05)


def test_of_those_that_fail_a_third_asks_again_and_some_leave() -> None:
    fleet = mesh([{"name": "front", "kind": "edge"}], people=True)
    people = part(fleet, "front", "people")
    for _minute in range(2):
        fleet.reset_parameters()
        fleet.nodes[0].injected_errors = 0.5
        fleet.advance(1.0)
    assert people.reloading == pytest.approx(0.5 / 3 * 0.75)
    assert people.away == pytest.approx(0.02 + 0.02 * 0.96, rel=0.01)
    # Half of the way to a third in each minute.
    assert fleet.nodes[0].offered == pytest.approx(100.0 * 0.98 * (1 + 0.5 / 3 * 0.5), rel=0.01)
    run(fleet, 40)
    assert people.away < 0.001


def test_the_rest_of_n_instances_gets_n_of_n_minus_k_of_the_load() -> None:
    fleet = mesh(
        [{"name": "front", "kind": "edge", "replicas": 4, "rps_per_replica": 50, "servers": 5}]
    )
    run(fleet, 2)
    assert fleet.nodes[0].busy == pytest.approx(0.5)
    fleet.instances[0].take_away(0, 0, 99)
    run(fleet, 1)
    assert fleet.nodes[0].busy == pytest.approx(0.5 * 4 / 3)


def test_faults_in_instances_affect_those_that_carry_what_is_rolled_out() -> None:
    fleet = mesh([{"name": "front", "kind": "edge", "replicas": 4}])
    instances = fleet.instances[0]
    instances.roll_out(0.25, is_build=True)
    assert instances.build == (1, 0, 0, 0)
    instances.injected_errors = 0.8
    fleet.advance(1.0)
    assert fleet.users_ok == pytest.approx(0.8)  # a quarter of requests fails in 80 %


def test_instances_that_are_added_in_a_rollout_run_what_is_new_and_keep_it() -> None:
    instances = mesh([{"name": "front", "kind": "edge", "replicas": 4}]).instances[0]
    instances.roll_out(0.25, is_build=True)
    instances.resize(6, 0)
    instances.roll_out(0.25, is_build=True)
    assert instances.build == (1, 1, 0, 0, 1, 1)  # two of six by the share, and the two new ones
    instances.take_back()
    assert instances.build == (0,) * 6


def test_a_rollout_that_goes_back_takes_the_change_from_all_others_also_from_those_added() -> None:
    instances = mesh([{"name": "front", "kind": "edge", "replicas": 4}]).instances[0]
    instances.roll_out(0.75, is_build=False)
    instances.resize(6, 0)
    assert instances.config == (1, 1, 1, 0, 1, 1)
    instances.keep_rolled_out(0.25, is_build=False)
    assert instances.config == (1, 1, 0, 0, 0, 0)  # a quarter of six, rounded up
    instances.keep_rolled_out(0.0, is_build=False)
    assert instances.config == (0,) * 6
    assert instances.rolling  # nobody has it, so what it does affects nobody
    assert not instances.carries(0)


def test_none_is_added_where_none_may_be_started_and_some_can_still_be_taken_away() -> None:
    instances = mesh([{"name": "front", "kind": "edge", "replicas": 4}]).instances[0]
    instances.is_blocked = True
    instances.resize(8, 0)
    assert instances.count == 4
    instances.resize(3, 0)
    assert instances.count == 3
    instances.reset_parameters()
    instances.resize(8, 0)
    assert instances.count == 8


def test_an_instance_that_is_killed_again_stays_away_longer() -> None:
    instances = mesh([{"name": "front", "kind": "edge"}]).instances[0]
    back = []
    for _time in range(4):
        instances.kill(0, 10)
        back.append(instances.away[0] - 11)
    assert back == [1, 2, 4, 4]


def test_at_half_the_quota_every_period_is_held_back_from_half_use_on() -> None:
    fleet = mesh(
        [{"name": "front", "kind": "edge", "replicas": 1, "rps_per_replica": 250, "servers": 5}]
    )
    quota = part(fleet, "front", "quota")
    run(fleet, 3, [(quota, "cut", 0.5)])
    # 100 a second where 125 are left: 80 % of the quota, so 60 % of the periods are held back.
    assert quota.throttled == pytest.approx((0.8 - 0.5) / 0.5)
    assert fleet.nodes[0].extra_wait_ms == pytest.approx(0.6 * 70.0)
    assert fleet.nodes[0].busy == pytest.approx(0.8)  # of the limit
    quota.land(ActionType.RAISE_LIMIT, FrozenMap({"limit": "cpu"}), fleet)
    quota.land(ActionType.RAISE_LIMIT, FrozenMap({"limit": "cpu"}), fleet)
    run(fleet, 1, [(quota, "cut", 0.5)])
    assert quota.throttled == 0.0  # 0.5 * 1.5 * 1.5 is more than there was


def test_at_the_limit_of_descriptors_new_connections_are_turned_away() -> None:
    fleet = mesh([{"name": "front", "kind": "edge", "replicas": 2}])
    handles = part(fleet, "front", "handles")
    limited = (handles, "limit", 1_024.0)
    run(fleet, 2, [(handles, "lost", 900.0), limited])
    # 180 at rest, half a request in flight, and 0.7 * 900 or 900 that were lost, of 1,024.
    assert handles.open_of(0) == pytest.approx(810.5, abs=4)
    assert handles.open_of(1) == 1_024.0
    over = (180.5 + 900.0 - 1_024.0) / (0.2 * 1_024.0)
    assert handles.short == pytest.approx([0.0, over], rel=0.05)
    assert fleet.users_ok == pytest.approx(1.0 - 0.67 * over / 2.0, abs=0.005)
    handles.land(ActionType.RESTART, FrozenMap(), fleet)
    run(fleet, 1, [(handles, "lost", 900.0), limited])
    assert [handles.lost_of(0), handles.lost_of(1)] == [0.0, 0.0]


def test_at_the_limit_of_threads_requests_that_need_a_new_one_are_refused() -> None:
    fleet = mesh([{"name": "front", "kind": "edge", "replicas": 2}])
    threads = part(fleet, "front", "threads")
    run(fleet, 2, [(threads, "kept", 2_000.0)])
    assert threads.used == 2_048.0
    # 212 at rest and 2,000 for peers, of 2,048; a fifth above it nothing is served.
    over = (212.0 + 2_000.0 - 2_048.0) / (0.2 * 2_048.0)
    assert threads.refusing == pytest.approx(over)
    assert fleet.users_ok == pytest.approx(1.0 - over, abs=0.005)
    threads.land(ActionType.RAISE_LIMIT, FrozenMap({"limit": "threads"}), fleet)
    run(fleet, 1, [(threads, "kept", 2_000.0)])
    assert (threads.used, threads.refusing) == (2_212.0, 0.0)


def test_a_restart_ends_threads_that_were_kept() -> None:
    fleet = mesh([{"name": "front", "kind": "edge", "replicas": 2}])
    threads = part(fleet, "front", "threads")
    run(fleet, 1, [(threads, "kept", 2_000.0)])
    threads.land(ActionType.RESTART, FrozenMap(), fleet)
    run(fleet, 1, [(threads, "kept", 2_100.0)])
    assert (threads.keeping, threads.refusing) == (100.0, 0.0)


def test_what_probes_take_out_leaves_its_load_to_the_rest() -> None:
    fleet = mesh(
        [{"name": "front", "kind": "edge", "replicas": 4, "rps_per_replica": 50, "servers": 5}]
    )
    probes = part(fleet, "front", "probes")
    run(fleet, 2, [(probes, "rejects", 0.25)])
    assert fleet.nodes[0].busy == pytest.approx(0.5 * 4 / 3)
    assert fleet.users_ok == pytest.approx(1.0 - 0.33 * 0.25, abs=0.001)


def test_a_live_set_grows_on_all_instances_and_survives_a_restart() -> None:
    fleet = mesh([{"name": "front", "kind": "edge", "memory": 50}])
    memory = part(fleet, "front", "memory")
    run(fleet, 2, [(memory, "live", 0.86)])
    assert memory.used == pytest.approx(93.0, abs=0.1)
    memory.land(ActionType.RESTART, FrozenMap(), fleet)
    run(fleet, 1, [(memory, "live", 0.86)])
    assert memory.used == pytest.approx(93.0, abs=0.1)
    # 0.86 of the room of 50. 93 / 7 - 1 = 12.3 units of one percent: 11 % of the time stopped,
    # 3 s at a time.
    assert memory.paused == pytest.approx(0.123 / 1.123, rel=0.02)
    assert memory.pause_ms == pytest.approx(6_000 * 7 / 14, rel=0.02)


def test_what_has_leaked_since_the_onset_is_forgotten_at_a_restart() -> None:
    fleet = mesh([{"name": "front", "kind": "edge", "memory": 50}])
    memory = part(fleet, "front", "memory")
    run(fleet, 2, [(memory, "leaked", 0.6)])
    assert memory.leaked == pytest.approx([28.5, 30.0])
    memory.land(ActionType.RESTART, FrozenMap(), fleet)
    run(fleet, 1, [(memory, "leaked", 0.6)])
    # 7 % of the 30 in the first minute: 2.1, and 95 % of that.
    assert memory.leaked == pytest.approx([1.995, 2.1])
    run(fleet, 1, [(memory, "leaked", 0.8)])
    # 40 - 30 * 0.93 * 0.93 = 14.053, and 95 % of that.
    assert memory.leaked == pytest.approx([13.350, 14.053], abs=1e-3)
