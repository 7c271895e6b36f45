"""Names, certificates and clocks against figures that were worked out by hand."""

from __future__ import annotations

import math

import pytest

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.certificate import Certificate
from chaosops.env.physics.clock import Clock
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.names import Names, newest_plan
from tests.env.physics.fleets import mesh, part, run

API = 1
"""The number of the service that is connected to."""

NOTHING = FrozenMap({})


def pair(replicas: int = 4, retries: int = 0, ttl: int = 5) -> Mesh:
    """100 requests a second, each of which needs one call."""
    call = {"to": "api", "timeout_ms": 1000, "retries": retries}
    return mesh(
        [
            {"name": "front", "kind": "edge", "calls": [call]},
            {"name": "api", "kind": "app", "replicas": replicas, "dns_ttl": ttl},
        ]
    )


def names(fleet: Mesh) -> Names:
    found = part(fleet, "api", "names")
    assert isinstance(found, Names)
    return found


def certificate(fleet: Mesh) -> Certificate:
    found = part(fleet, "api", "certificate")
    assert isinstance(found, Certificate)
    return found


def clock(fleet: Mesh) -> Clock:
    found = part(fleet, "api", "clock")
    assert isinstance(found, Clock)
    return found


def test_what_nothing_is_injected_into_turns_nobody_away() -> None:
    fleet = pair()
    run(fleet, 5)
    assert fleet.users_ok == 1.0
    assert names(fleet).is_fine
    assert (certificate(fleet).failing, certificate(fleet).days_left) == ((), 31 + 37 % 29)


def test_an_empty_record_is_seen_by_a_fifth_of_the_others_each_minute_of_a_ttl_of_five() -> None:
    fleet = pair(ttl=5)
    for minute in range(1, 6):
        run(fleet, 1, [(names(fleet), "missing", 1.0)])
        assert names(fleet).held == pytest.approx(1.0 - 0.8**minute)
        assert fleet.users_ok == pytest.approx(0.8**minute)


def test_requests_that_find_no_address_never_arrive() -> None:
    fleet = pair(ttl=1)
    run(fleet, 1, [(names(fleet), "missing", 0.3)])
    assert fleet.nodes[API].offered == pytest.approx(70.0)
    assert fleet.nodes[API].ok == 1.0


def test_a_name_is_found_again_twice_as_often_each_minute_once_the_record_is_back() -> None:
    fleet = pair(ttl=1)
    run(fleet, 1, [(names(fleet), "missing", 0.4)])
    run(fleet, 1)
    assert fleet.users_ok == pytest.approx(0.8)
    run(fleet, 1)
    assert fleet.users_ok == pytest.approx(0.9)
    run(fleet, 15)
    assert (names(fleet).held, names(fleet).is_fine, fleet.users_ok) == (0.0, True, 1.0)


def test_a_retry_may_ask_another_resolver() -> None:
    fleet = pair(retries=1)
    run(fleet, 1, [(names(fleet), "deaf", 0.3)])
    assert fleet.users_ok == pytest.approx(1.0 - 0.3**2)


def test_a_resolver_that_is_down_and_a_bad_record_fail_on_their_own() -> None:
    fleet = pair(ttl=1)
    run(fleet, 1, [(names(fleet), "deaf", 0.5), (names(fleet), "missing", 0.2)])
    assert fleet.users_ok == pytest.approx(0.5 * 0.8)


def test_there_is_a_plan_every_two_minutes_and_old_addresses_are_of_an_old_one() -> None:
    assert [newest_plan(minute) for minute in (-2, -1, 0, 1, 2, 60)] == [
        4699,
        4699,
        4700,
        4700,
        4701,
        4730,
    ]
    fleet = pair()
    run(fleet, 60)
    run(fleet, 1, [(names(fleet), "old", 0.5)])
    # Made forty minutes before minute 61.
    assert names(fleet).plan == 4710
    run(fleet, 1)
    assert names(fleet).plan == 0


def test_an_expired_certificate_fails_handshakes_of_all_instances() -> None:
    fleet = pair()
    run(fleet, 3)
    run(fleet, 4, [(certificate(fleet), "expired", 0.25)])
    assert certificate(fleet).failing == pytest.approx((0.25,) * 4)
    assert certificate(fleet).ended == 4
    assert fleet.users_ok == pytest.approx(0.75)


def test_a_restart_loads_the_same_certificate_and_a_rotation_a_new_one() -> None:
    fleet = pair()
    run(fleet, 2, [(certificate(fleet), "expired", 0.25)])
    certificate(fleet).land(ActionType.RESTART, NOTHING, fleet)
    assert certificate(fleet).has_expired
    certificate(fleet).land(ActionType.ROTATE, NOTHING, fleet)
    assert not certificate(fleet).has_expired
    assert (certificate(fleet).served, certificate(fleet).days_left) == ((1,) * 4, 89)


@pytest.mark.parametrize(("replicas", "stale"), [(3, 2 / 3), (4, 2 / 4), (6, 4 / 6)])
def test_a_renewal_that_a_third_loads_fails_handshakes_of_the_others(
    replicas: int, stale: float
) -> None:
    fleet = pair(replicas)
    run(fleet, 3, [(certificate(fleet), "stale", 0.3)])
    assert fleet.users_ok == pytest.approx(1.0 - 0.3 * stale)
    assert certificate(fleet).failing[0] == 0.0
    assert certificate(fleet).failing[-1] == pytest.approx(0.3)


def test_a_started_instance_loads_what_is_in_the_store() -> None:
    fleet = pair()
    certificate(fleet).renew(1, 0)
    fleet.instances[API].resize(6, 0)
    run(fleet, 1, [(certificate(fleet), "stale", 0.4)])
    assert certificate(fleet).served == (1, 0, 0, 0, 1, 1)
    assert fleet.users_ok == pytest.approx(1.0 - 0.4 * 3 / 6)
    certificate(fleet).land(ActionType.RESTART, NOTHING, fleet)
    assert certificate(fleet).served == (1,) * 6


def test_nothing_more_is_issued_while_a_renewer_uses_the_limit_up() -> None:
    fleet = pair()
    run(fleet, 1, [(certificate(fleet), "stale", 0.4)])
    before = certificate(fleet).served
    certificate(fleet).land(ActionType.ROTATE, NOTHING, fleet)
    assert certificate(fleet).served == before


@pytest.mark.parametrize(
    ("offset", "rejected"),
    [(29.0, 0.0), (150.0, 1.0 - math.exp(-1.0)), (270.0, 1.0 - math.exp(-2.0))],
)
def test_half_of_the_clocks_reject_tokens_that_are_younger_than_they_are_behind(
    offset: float, rejected: float
) -> None:
    fleet = pair()
    run(fleet, 2, [(clock(fleet), "offset_s", offset)])
    assert [clock(fleet).is_off(i) for i in range(4)] == [True, True, False, False]
    assert fleet.users_ok == pytest.approx(1.0 - rejected / 2)


def test_instances_that_are_added_have_good_clocks() -> None:
    fleet = pair()
    fleet.instances[API].resize(8, 0)
    run(fleet, 1, [(clock(fleet), "offset_s", 150.0)])
    assert fleet.users_ok == pytest.approx(1.0 - (1.0 - math.exp(-1.0)) / 4)


def test_copies_are_independent_and_in_the_same_state() -> None:
    fleet = pair()
    faults = [
        (names(fleet), "old", 0.1),
        (certificate(fleet), "stale", 0.1),
        (clock(fleet), "offset_s", 90.0),
    ]
    run(fleet, 3, faults)
    twin = fleet.copy()
    run(fleet, 5, faults)
    again = [
        (names(twin), "old", 0.1),
        (certificate(twin), "stale", 0.1),
        (clock(twin), "offset_s", 90.0),
    ]
    assert twin.users_ok > fleet.users_ok
    run(twin, 5, again)
    assert twin.users_ok == fleet.users_ok
    assert (names(twin).held, names(twin).plan) == (names(fleet).held, names(fleet).plan)
