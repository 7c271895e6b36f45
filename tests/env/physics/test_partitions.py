"""Partitions against figures that were worked out by hand."""

from typing import Any

import pytest

from chaosops.env.injection import inject_into_node
from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.partitions import Partitions
from tests.env.physics.fleets import mesh, part, run

WORKER = 2
"""The number of the service that takes the messages."""


def pipeline(**worker: Any) -> Mesh:
    """480 messages a second for 12 partitions of 40 each, read by 4 consumers of 240."""
    return mesh(
        [
            {"name": "front", "kind": "edge", "calls": [{"to": "queue", "timeout_ms": 1000}]},
            {
                "name": "queue",
                "kind": "queue",
                "shards": 12,
                "disk": 30,
                "queue_seconds": 60,
                "calls": [{"to": "worker", "mode": "async", "timeout_ms": 3000}],
            },
            {
                "name": "worker",
                "kind": "app",
                "replicas": 4,
                "max_replicas": 12,
                "rps_per_replica": 240,
                "servers": 24,
                "base_ms": 100,
                **worker,
            },
        ],
        480.0,
    )


def partitions(fleet: Mesh) -> Partitions:
    found = part(fleet, "queue", "partitions")
    assert isinstance(found, Partitions)
    return found


def lags(fleet: Mesh) -> list[float]:
    queue = partitions(fleet)
    return [queue.lag(k) for k in range(queue.count)]


def test_on_an_ordinary_day_every_partition_hands_out_what_it_gets() -> None:
    fleet = pipeline()
    run(fleet, 3)
    queue = partitions(fleet)
    assert queue.gave == pytest.approx([40.0] * 12)
    assert queue.end == queue.offset == pytest.approx([3 * 60 * 40.0] * 12)
    assert (queue.members, queue.generation, fleet.nodes[1].backlog) == (4, 0, 0.0)
    assert fleet.users_ok == 1.0


def test_a_message_that_cannot_be_processed_stops_its_partition_alone() -> None:
    fleet = pipeline()
    run(fleet, 3)
    queue = partitions(fleet)
    queue.hot = 5
    before = queue.offset[5]
    run(fleet, 10, [(queue, "stuck", 0.1)])
    assert queue.offset[5] == queue.stuck_at == before
    # 48 a second come, none is read: four fifths are held back and 9.6 stored.
    assert lags(fleet) == pytest.approx([0.0] * 5 + [10 * 60 * 9.6] + [0.0] * 6)
    assert fleet.users_ok == pytest.approx(1.0 - 0.8 * 0.1)
    assert fleet.nodes[1].backlog == pytest.approx(5_760.0)
    # The others get the other 432 a second, 39.3 each.
    assert queue.gave[4] == pytest.approx(432 / 11)


def test_publishers_that_are_held_back_wait_until_they_give_up() -> None:
    fleet = pipeline()
    run(fleet, 2)
    run(fleet, 1, [(partitions(fleet), "stuck", 0.1)])
    assert (fleet.links[0].broken, fleet.links[0].broken_ms) == (pytest.approx(0.08), 1000.0)  # type: ignore[comparison-overlap]


def test_a_partition_without_room_holds_back_everything() -> None:
    fleet = pipeline()
    run(fleet, 2)
    queue = partitions(fleet)
    # 60 s of what the brokers can do is the room for all partitions.
    queue.end[0] += fleet.nodes[1].traits.queue_limit / 12
    run(fleet, 2, [(queue, "stuck", 0.1)])
    assert fleet.users_ok == pytest.approx(0.9)


def test_a_hot_partition_is_read_by_one_thread_however_many_consumers_there_are() -> None:
    fleet = pipeline()
    run(fleet, 3)
    queue = partitions(fleet)
    run(fleet, 4, [(queue, "skew", 0.4)])
    # 1/12 + 0.4 * 11/12 = 45 % of 480 are 216 a second, and a thread reads 120.
    assert queue.gave[0] == pytest.approx(120.0)
    assert queue.held[0] == pytest.approx(0.8 * 96 / 216)
    assert lags(fleet)[0] == pytest.approx(4 * 60 * 0.2 * 96)
    assert max(lags(fleet)[1:]) == 0.0
    fleet.instances[WORKER].resize(12, fleet.minute)
    run(fleet, 2, [(queue, "skew", 0.4)])
    assert (queue.members, queue.gave[0]) == (12, pytest.approx(120.0))  # type: ignore[comparison-overlap]


def test_a_consumer_that_usually_reads_one_partition_gives_it_all_it_has() -> None:
    fleet = pipeline(replicas=12, rps_per_replica=80)
    run(fleet, 3)
    queue = partitions(fleet)
    run(fleet, 2, [(queue, "skew", 0.2)])
    # 1/12 + 0.2 * 11/12 = 26.7 % of 480 are 128 a second, and a consumer reads 80.
    assert queue.gave[0] == pytest.approx(80.0)
    assert queue.gave[1] == pytest.approx((480 - 128) / 11)


def test_slow_messages_let_all_partitions_lag_and_more_consumers_read_more() -> None:
    fleet = pipeline()
    run(fleet, 3)
    queue = partitions(fleet)
    assert queue.usual_ms == pytest.approx(100.0)
    for _minute in range(5):
        fleet.reset_parameters()
        inject_into_node(fleet, WORKER, "delay_ms", 150.0)
        fleet.advance(1.0)
    # 100 of 250 ms: 4 * 240 * 0.4 = 384 a second are read, 32 of the 40 of each partition.
    assert queue.gave == pytest.approx([32.0] * 12)
    assert fleet.users_ok == pytest.approx(1.0 - 0.8 * 8 / 40)
    lag = lags(fleet)[0]
    # The delay is felt from the minute after it began: four minutes of 0.2 * 8 a second.
    assert lags(fleet) == pytest.approx([4 * 60 * 1.6] * 12)
    fleet.instances[WORKER].resize(8, fleet.minute)
    for _minute in range(2):
        fleet.reset_parameters()
        inject_into_node(fleet, WORKER, "delay_ms", 150.0)
        fleet.advance(1.0)
    # 768 a second for 480: nothing is held back, and the lag shrinks.
    assert fleet.users_ok == 1.0
    assert max(lags(fleet)) < lag


def test_nobody_reads_in_a_rebalance_and_more_consumers_rebalance_more() -> None:
    fleet = pipeline()
    run(fleet, 3)
    queue = partitions(fleet)
    run(fleet, 4, [(queue, "paused", 0.6)])
    # 960 a second in 40 % of the time are 384.
    assert queue.gave == pytest.approx([32.0] * 12)
    assert (queue.generation, queue.rebalanced) == (4, fleet.minute)
    assert fleet.users_ok == pytest.approx(1.0 - 0.8 * 8 / 40)
    fleet.instances[WORKER].resize(8, fleet.minute)
    run(fleet, 2, [(queue, "paused", 0.6)])
    # Twice the rebalances leave 20 % of the time, in which a thread reads 120 a second.
    assert queue.gave == pytest.approx([24.0] * 12)


def test_a_backlog_drains_at_the_spare_rate() -> None:
    fleet = pipeline()
    run(fleet, 3)
    queue = partitions(fleet)
    queue.end = [end + 4_800.0 for end in queue.end]
    fleet.nodes[1].backlog = 12 * 4_800.0
    run(fleet, 1)
    # A consumer reads 240 from three partitions: 80 each, 40 of them new.
    assert lags(fleet) == pytest.approx([4_800 - 60 * 40.0] * 12)
    run(fleet, 1)
    assert max(lags(fleet)) <= 1.0
    run(fleet, 1)
    assert fleet.nodes[1].backlog == 0.0
    assert queue.gave == pytest.approx([40.0] * 12)


def test_a_purge_skips_all_that_waits() -> None:
    fleet = pipeline()
    run(fleet, 2)
    queue = partitions(fleet)
    run(fleet, 3, [(queue, "stuck", 0.1)])
    queue.land(ActionType.PURGE, FrozenMap(), fleet)
    assert max(lags(fleet)) == 0.0


def test_a_copy_goes_on_alone() -> None:
    fleet = pipeline()
    run(fleet, 2)
    twin = fleet.copy()
    run(fleet, 3, [(partitions(fleet), "stuck", 0.1)])
    assert max(lags(twin)) == 0.0
    run(twin, 3, [(partitions(twin), "stuck", 0.1)])
    assert lags(twin) == lags(fleet)
