"""The patcher: how many hosts it patches at once, where, and how often."""

from __future__ import annotations

from itertools import pairwise

import pytest

from chaosops.env.automation import told
from chaosops.env.controllers.acts import ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import Controller
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import PatchPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, in_turn, shop

POLICY = PatchPolicy(kind="patcher", most_at_once=25, zones_at_once=1, minutes_between=20)
WINDOWS = in_turn(range(-891, 900, 20))
EDITED = {"most_at_once": 100, "zones_at_once": 9, "minutes_between": 5}


def _patches(
    made: Controller, fleet: Mesh, first: int, last: int, target: int = SHOP
) -> list[ControllerAct]:
    return [
        act
        for minute in range(first, last + 1)
        for act in acts(made, fleet, minute)
        if act.deed is Deed.PATCH and act.status is ActStatus.DONE and act.target == target
    ]


def test_by_policy_it_patches_one_host_of_one_zone_in_a_window() -> None:
    fleet = shop()
    patcher = controller(fleet, POLICY, rounds=WINDOWS)
    found = [
        act
        for minute in range(-200, 200)
        for act in acts(patcher, fleet, minute)
        if act.deed is Deed.PATCH and act.status is ActStatus.DONE
    ]
    assert len({act.target for act in found}) == 9
    for act in found:
        assert (act.before - act.after, act.value, act.is_faulty) == (1, 1, False)
    assert {act.minute % 20 for act in found} == {29 % 20}
    assert all(later.minute > act.minute for act, later in pairwise(found))
    assert not fleet.instances[SHOP].rolling


@pytest.mark.parametrize(("most", "zones", "patched", "reached"), [(50, 1, 2, 1), (100, 2, 3, 2)])
def test_the_policy_says_how_many_hosts_and_zones_are_patched_at_once(
    most: int, zones: int, patched: int, reached: int
) -> None:
    # Four hosts: two in the first zone, one in each of the two others.
    fleet = shop()
    policy = POLICY.model_copy(update={"most_at_once": most, "zones_at_once": zones})
    patcher = controller(fleet, policy, rounds=WINDOWS)
    found = _patches(patcher, fleet, -900, 900)
    assert max(act.before - act.after for act in found) == patched
    assert max(act.value for act in found) == reached


def test_each_window_takes_the_next_zone() -> None:
    fleet = shop()
    rounds = dict.fromkeys((0, 4, 8), ("shop",))
    patcher = controller(fleet, POLICY, rounds=rounds)
    _patches(patcher, fleet, 0, 8)
    instances = fleet.instances[SHOP]
    assert {
        zone: born for zone, born in zip(instances.zone, instances.born, strict=True) if born >= 0
    } == {0: 0, 1: 4, 2: 8}


def test_a_patched_host_starts_its_instance_again() -> None:
    fleet = shop()
    patcher = controller(fleet, POLICY, rounds=WINDOWS)
    found = _patches(patcher, fleet, 0, 600)
    assert found[-1].minute in fleet.instances[SHOP].born


def test_by_edited_limits_it_patches_all_hosts_at_once_and_they_lose_their_routes() -> None:
    fleet = shop()
    patcher = controller(fleet, POLICY, defect=EDITED, since=-7)
    (act,) = _patches(patcher, fleet, -7, 60)
    assert (act.minute, act.before, act.after, act.value) == (-7, 4, 0, 3)
    assert act.is_faulty
    instances = fleet.instances[SHOP]
    assert instances.config == (1, 1, 1, 1)
    assert instances.born == (-7, -7, -7, -7)


def test_what_is_taken_back_is_patched_again_after_some_minutes() -> None:
    fleet = shop()
    patcher = controller(fleet, POLICY, defect=EDITED, since=-7)
    _patches(patcher, fleet, -7, 3)
    fleet.instances[SHOP].take_back()
    assert [act.minute for act in _patches(patcher, fleet, 4, 20)] == [9]
    fleet.instances[SHOP].take_back()
    assert [act.minute for act in _patches(patcher, fleet, 21, 40)] == [26]


def test_an_urgent_update_of_all_hosts_is_requested_and_lapses() -> None:
    fleet = shop()
    patcher = controller(fleet, POLICY)
    found = [
        act
        for minute in range(-200, 200)
        for act in acts(patcher, fleet, minute)
        if act.status is not ActStatus.DONE
    ]
    asked = [act for act in found if act.status is ActStatus.REQUESTED]
    lapsed = [act for act in found if act.status is ActStatus.LAPSED]
    assert len(asked) >= 2
    assert [act.lapses for act in asked][: len(lapsed)] == [act.minute for act in lapsed]
    for act in asked:
        assert (act.after, act.share, act.lapses - act.minute, act.is_faulty) == (0, 100, 8, False)


def test_guilty_and_innocent_acts_have_the_same_words() -> None:
    fleet = shop()
    guilty = _patches(controller(fleet, POLICY, defect=EDITED, since=0), fleet, 0, 0)[0]
    innocent = _patches(controller(shop(), POLICY, rounds=WINDOWS), shop(), -900, 900)[0]
    for act, hosts, zones in ((guilty, 4, 3), (innocent, 1, 1)):
        event = told(act, "shop", "")
        assert event.act == f"patch {hosts} of 4 hosts"
        assert event.reason == f"updates due, zones at once: {zones}"
        assert event.approval == "standing policy"


def test_a_copy_goes_on_alone() -> None:
    fleet = shop()
    patcher = controller(fleet, POLICY, rounds=WINDOWS)
    _patches(patcher, fleet, 0, 40)
    twin = patcher.copy()
    ahead = _patches(patcher, fleet, 41, 400)
    assert _patches(twin, shop(), 41, 400) == ahead
