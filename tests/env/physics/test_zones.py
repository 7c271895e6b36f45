"""Zones against figures that were worked out by hand."""

from math import exp
from typing import Any

import pytest

from chaosops.env.models import ActionType
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.zones import Zones, late_and_some
from chaosops.env.world import World
from tests.env.physics.fleets import mesh, part
from tests.env.situations import in_flight

SHOP = 1


def fleet(**shop: Any) -> Mesh:
    """100 requests a second for a shop whose requests call each of two stores once."""
    return mesh(
        [
            {"name": "front", "kind": "edge", "calls": [{"to": "shop", "timeout_ms": 2000}]},
            {
                "name": "shop",
                "kind": "app",
                "replicas": 3,
                "calls": [{"to": "db", "timeout_ms": 800}, {"to": "index", "timeout_ms": 800}],
                **shop,
            },
            {"name": "db", "kind": "database"},
            {"name": "index", "kind": "database"},
        ]
    )


def zones(made: Mesh) -> Zones:
    found = part(made, "shop", "zones")
    assert isinstance(found, Zones)
    return found


def play(made: Mesh, minutes: int, **injected: float) -> None:
    """Some minutes with faults in one zone of the shop."""
    for _minute in range(minutes):
        made.reset_parameters()
        for name, value in injected.items():
            zones(made).inject(name, value, -1)
        made.advance(1.0)


def test_on_an_ordinary_day_no_zone_fails() -> None:
    made = fleet()
    play(made, 3)
    assert (zones(made).share, zones(made).failing, made.users_ok) == (0.0, 0.0, 1.0)


def test_hosts_of_one_of_three_zones_fail_a_third_of_what_they_are_said_to() -> None:
    made = fleet()
    play(made, 2, down=0.3)
    assert made.nodes[SHOP].ok == pytest.approx(1.0 - 0.3 / 3.0)


def test_a_retry_meets_the_same_zone() -> None:
    made = mesh(
        [
            {
                "name": "front",
                "kind": "edge",
                "calls": [{"to": "shop", "timeout_ms": 2000, "retries": 3}],
            },
            {"name": "shop", "kind": "app", "replicas": 3},
        ]
    )
    play(made, 5, down=0.3)
    assert made.users_ok == pytest.approx(0.9)


def test_sixty_packets_at_three_percent_lose_one_point_eight_of_them() -> None:
    late, some = late_and_some(0.03)
    none = exp(-1.8)
    three = none * 1.8**3 / 6.0
    assert some == pytest.approx(none * (1.8 + 1.8**2 / 2.0) + three)
    assert late == pytest.approx(1.0 - none - some)
    assert late_and_some(0.0) == (0.0, 0.0)


def test_a_lossy_link_makes_those_wait_in_steps_of_200_ms_who_cross_it() -> None:
    made = fleet()
    play(made, 2, lost=0.03)
    late, some = late_and_some(0.03)
    crosses = 1.0 - (2.0 / 3.0) ** 2
    node = made.nodes[SHOP]
    assert node.ok == pytest.approx(1.0 - crosses * late / 3.0)
    assert node.tail == pytest.approx(crosses * some / 3.0)
    # 1.8 / (1 - exp(-1.8)) = 2.16 packets where any is lost: two steps.
    assert node.tail_ms == pytest.approx(node.own_ms + 400.0)


def test_what_is_sent_to_a_zone_without_instances_is_tried_again_elsewhere() -> None:
    made = mesh(
        [
            {
                "name": "front",
                "kind": "edge",
                "calls": [{"to": "shop", "timeout_ms": 2000, "retries": 1}],
            },
            {"name": "shop", "kind": "app", "replicas": 3},
        ]
    )
    play(made, 5, astray=0.4)
    assert made.users_ok == pytest.approx(1.0 - 0.4**2)


def test_a_service_that_is_full_has_no_room_for_the_load_of_a_zone() -> None:
    made = fleet(rps_per_replica=100, servers=100)
    play(made, 2, full=0.8)
    assert made.nodes[SHOP].busy == pytest.approx(0.8)
    made.instances[SHOP].leave_zone(0)
    play(made, 2, full=0.8)
    assert made.nodes[SHOP].capacity == pytest.approx(100.0 / 0.8 * 2.0 / 3.0)


def world(made: Mesh) -> World:
    return World(made, [], -1, 1.0, 0)


@pytest.mark.parametrize(("hot", "left"), [(0, [1, 2]), (1, [0, 2, 0]), (2, [0, 1, 0])])
def test_a_drained_zone_is_the_one_that_fails(hot: int, left: list[int]) -> None:
    made = fleet(replicas=4)
    zones(made).hot = hot
    play(made, 2, down=0.5)
    live = world(made)
    live.land(in_flight(live, ActionType.DRAIN, "shop", unit="zone"))
    assert list(made.instances[SHOP].zone) == left
    play(made, 2, down=0.5)
    assert made.users_ok == 1.0


def test_where_no_zone_fails_the_newest_instances_are_drained() -> None:
    made = fleet(replicas=4)
    play(made, 1)
    live = world(made)
    live.land(in_flight(live, ActionType.DRAIN, "shop", unit="zone"))
    assert list(made.instances[SHOP].zone) == [0, 1]


def test_the_last_zone_is_not_left() -> None:
    made = fleet(replicas=3)
    for zone in (0, 1, 2):
        made.instances[SHOP].leave_zone(zone)
    assert list(made.instances[SHOP].zone) == [2]


@pytest.mark.parametrize(("number", "chosen"), [(0, 0), (1, 0), (2, 0)])
def test_the_zone_has_as_many_instances_as_the_first_one(number: int, chosen: int) -> None:
    made = fleet(replicas=4)
    zones(made).choose(number, made.instances[SHOP])
    assert zones(made).hot == chosen
    even = fleet(replicas=6)
    zones(even).choose(number, even.instances[SHOP])
    assert zones(even).hot == number


def test_a_copy_is_independent_and_in_the_same_state() -> None:
    made = fleet()
    play(made, 2, down=0.3, lost=0.02, full=0.6, astray=0.1)
    twin = made.copy()
    play(made, 3)
    play(twin, 3, down=0.3)
    assert made.users_ok == 1.0
    assert twin.users_ok == pytest.approx(0.9)
