"""Outgoing ports against figures that were worked out by hand."""

from typing import Any

import pytest

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.ports import CLOSING_S, Ports
from tests.env.physics.fleets import mesh, part


def fleet(**call: Any) -> Mesh:
    """120 calls a second to a bank, from three instances: 40 each."""
    return mesh(
        [
            {"name": "front", "kind": "edge", "calls": [{"to": "till", "timeout_ms": 3000}]},
            {
                "name": "till",
                "kind": "app",
                "replicas": 3,
                "calls": [{"to": "bank", "timeout_ms": 2000, **call}],
            },
            {"name": "bank", "kind": "external"},
        ],
        120.0,
    )


def ports(made: Mesh) -> Ports:
    found = part(made, "till", "ports")
    assert isinstance(found, Ports)
    return found


def used(made: Mesh) -> float:
    """The ports of one instance that are in use."""
    return ports(made).opened(made) * CLOSING_S


def play(made: Mesh, minutes: int, fresh: float = 0.0) -> None:
    for _minute in range(minutes):
        made.reset_parameters()
        if fresh:
            ports(made).inject("fresh", fresh, -1)
        made.advance(1.0)


def test_connections_that_are_kept_open_need_few_ports() -> None:
    made = fleet()
    play(made, 3)
    # 2 % of 40 calls a second, for 120 s.
    assert used(made) == pytest.approx(96.0)
    assert made.users_ok == 1.0


def test_a_port_is_in_use_for_two_minutes_after_its_connection_was_closed() -> None:
    made = fleet()
    play(made, 5, fresh=0.18)
    assert used(made) == pytest.approx(0.2 * 40.0 * 120.0)
    assert made.users_ok == 1.0


def test_calls_fail_at_once_where_ports_run_out() -> None:
    made = fleet()
    play(made, 5, fresh=0.98)
    # 40 new connections a second would hold 4,800 ports, and there are 1,024.
    assert used(made) == pytest.approx(1_024.0)
    assert ports(made).short == pytest.approx(1.0 - 1_024.0 / 4_800.0)
    assert made.users_ok == pytest.approx(1_024.0 / 4_800.0)
    bank = made.nodes[2]
    assert bank.ok == 1.0
    assert bank.offered == pytest.approx(3.0 * 1_024.0 / 120.0)


def test_retries_need_ports_too() -> None:
    made = fleet(retries=1)
    play(made, 30, fresh=0.98)
    # Each call that finds no port is tried twice: 40 x (1 + short) x 120 ports are wanted.
    short = ports(made).short
    assert short == pytest.approx(1.0 - 1_024.0 / (4_800.0 * (1.0 + short)), rel=1e-3)
    assert made.users_ok == pytest.approx(1.0 - short**2, rel=1e-3)


def test_a_raised_limit_gives_each_instance_four_times_the_ports() -> None:
    made = fleet()
    ports(made).land(ActionType.RAISE_LIMIT, FrozenMap({"limit": "memory"}), made)
    assert ports(made).limit == 1_024.0
    ports(made).land(ActionType.RAISE_LIMIT, FrozenMap({"limit": "connections"}), made)
    assert ports(made).limit == 4_096.0
    play(made, 5, fresh=0.78)
    assert made.users_ok == 1.0


def test_more_instances_have_more_ports() -> None:
    made = fleet()
    made.instances[1].resize(8, made.minute)
    play(made, 5, fresh=0.48)
    assert used(made) == pytest.approx(0.5 * 15.0 * 120.0)
    assert made.users_ok == 1.0


def test_a_copy_is_independent_and_in_the_same_state() -> None:
    made = fleet()
    play(made, 5, fresh=0.98)
    twin = made.copy()
    play(made, 3)
    play(twin, 1, fresh=0.98)
    assert made.users_ok == 1.0
    assert twin.users_ok == pytest.approx(1_024.0 / 4_800.0)
