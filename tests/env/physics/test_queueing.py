import pytest

from chaosops.env.physics.node import Node
from chaosops.env.physics.queueing import backlog_ms, mean_wait_ms, serve
from tests.env.physics.fleets import mesh


@pytest.mark.parametrize(("busy", "times"), [(0.5, 2), (0.8, 5), (0.9, 10), (0.95, 20)])
def test_one_server_takes_one_over_one_minus_load_times_its_service(
    busy: float, times: int
) -> None:
    # M/M/1: the time in the system is S / (1 - u).
    assert 10.0 + mean_wait_ms(10.0, 1.0, busy) == pytest.approx(10.0 * times)


def test_four_servers_wait_as_sakasegawa_has_it() -> None:
    # S/c * u^(sqrt(2*5)-1) / (1-u) = 10 * 0.9^2.16228 / 0.1 = 79.63 for S = 40, c = 4, u = 0.9.
    assert mean_wait_ms(40.0, 4.0, 0.9) == pytest.approx(79.63, abs=0.01)


def _node() -> Node:
    return mesh(
        [{"name": "front", "kind": "edge", "rps_per_replica": 100, "queue_seconds": 60}]
    ).nodes[0]


def test_what_cannot_be_served_waits_and_drains_at_the_rest_of_the_capacity() -> None:
    node = _node()
    assert serve(node, 100.0, 150.0) == 100.0
    assert node.backlog == 3_000.0  # (150 - 100) * 60 s
    assert serve(node, 100.0, 50.0) == 100.0
    assert node.backlog == 0.0  # 3,000 / (100 - 50) = 60 s


def test_what_does_not_fit_into_the_queue_is_dropped() -> None:
    node = _node()  # holds 60 s * 2 * 100 = 12,000
    serve(node, 100.0, 400.0)
    assert node.backlog == 12_000.0
    assert node.dropped == pytest.approx(100.0)  # (18,000 - 12,000) / 60 s


def test_the_last_of_a_backlog_waits_for_all_before_it() -> None:
    assert backlog_ms(500.0, 250.0) == 2_000.0
