"""The health checker: which instances it ejects, how many at once, and for how long."""

from __future__ import annotations

import pytest

from chaosops.env.controllers.acts import ActStatus, Deed
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import HealthCheckPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, shop
from tests.env.physics.fleets import part

POLICY = HealthCheckPolicy(kind="health_checker", failed_probes=12, most_ejected=25, minutes_out=3)


def _refusing(*short: float) -> Mesh:
    fleet = shop()
    handles = part(fleet, "shop", "handles")
    handles.short = short
    handles.spinning = sum(short) / len(short)
    return fleet


def test_twelve_probes_fail_in_two_minutes_and_then_the_instance_is_ejected() -> None:
    fleet = _refusing(0.0, 0.6, 0.0, 0.0)
    checker = controller(fleet, POLICY)
    assert acts(checker, fleet, 0) == []
    (act,) = acts(checker, fleet, 1)
    assert (act.deed, act.target, act.before, act.after) == (Deed.EJECT, SHOP, 4, 3)
    assert [fleet.instances[SHOP].serves(1, m) for m in (1, 3, 4)] == [False, False, True]


@pytest.mark.parametrize(("most", "out"), [(25, 1), (50, 2), (24, 0)])
def test_no_more_are_ejected_at_once_than_the_policy_allows(most: int, out: int) -> None:
    fleet = _refusing(0.9, 0.9, 0.9, 0.0)
    policy = POLICY.model_copy(update={"most_ejected": most})
    checker = controller(fleet, policy)
    found = [act for minute in range(2) for act in acts(checker, fleet, minute)]
    assert sum(not fleet.instances[SHOP].serves(i, 1) for i in range(4)) == out
    (asked,) = [act for act in found if act.status is ActStatus.REQUESTED]
    assert (asked.before, asked.after, asked.lapses) == (4, 4 - (3 - out), 9)
    assert asked.share == 100 * (3 - out) // 4


def test_an_instance_that_accepts_most_connections_passes() -> None:
    fleet = _refusing(0.4, 0.4, 0.4, 0.4)
    checker = controller(fleet, POLICY)
    assert [act for minute in range(6) for act in acts(checker, fleet, minute)] == []


def test_an_instance_that_fails_again_is_out_for_longer() -> None:
    fleet = _refusing(0.9, 0.0, 0.0, 0.0)
    checker = controller(fleet, POLICY)
    for minute in range(10):
        acts(checker, fleet, minute)
    # Out from minute 1 to 4 and, after two more minutes of failed probes, from 5 to 11.
    assert fleet.instances[SHOP].ejected[0] == 11


def test_a_copy_acts_as_its_original() -> None:
    fleet = _refusing(0.9, 0.9, 0.0, 0.0)
    checker = controller(fleet, POLICY)
    acts(checker, fleet, 0)
    twin, other = checker.copy(), fleet.copy()
    assert [acts(checker, fleet, m) for m in range(1, 12)] == [
        acts(twin, other, m) for m in range(1, 12)
    ]
    assert fleet.instances[SHOP].ejected == other.instances[SHOP].ejected
