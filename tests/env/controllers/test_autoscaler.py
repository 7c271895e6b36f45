"""The autoscaler: what it does at which CPU, how often, and how far."""

from __future__ import annotations

import pytest

from chaosops.env.controllers.acts import ActReason, ActStatus, Deed
from chaosops.scenarios.agent_policies import AutoscalerPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, shop
from tests.env.physics.fleets import part

POLICY = AutoscalerPolicy(kind="autoscaler", least=2, most=6)


@pytest.mark.parametrize(("busy", "count"), [(0.71, 5), (0.70, 4), (0.20, 4), (0.19, 3)])
def test_it_takes_one_step_outside_the_band_and_none_within_it(busy: float, count: int) -> None:
    fleet = shop()
    fleet.nodes[SHOP].busy = busy
    done = acts(controller(fleet, POLICY), fleet, 0)
    assert fleet.instances[SHOP].count == count
    assert [(act.target, act.before, act.after) for act in done] == (
        [] if count == 4 else [(SHOP, 4, count)]
    )


def test_an_act_tells_the_step_and_the_cpu_that_was_its_reason() -> None:
    fleet = shop()
    fleet.nodes[SHOP].busy = 0.71
    (act,) = acts(controller(fleet, POLICY), fleet, 3)
    assert (act.minute, act.agent, act.deed) == (3, "agent", Deed.SCALE_OUT)
    assert (act.reason, act.value, act.status) == (ActReason.CPU_ABOVE, 71, ActStatus.DONE)


def test_the_next_step_comes_after_ten_minutes_and_not_after_nine() -> None:
    fleet = shop()
    scaler = controller(fleet, POLICY)
    fleet.nodes[SHOP].busy = 0.71
    for minute, count in ((0, 5), (9, 5), (10, 6)):
        acts(scaler, fleet, minute)
        assert fleet.instances[SHOP].count == count


def test_it_stops_at_the_most_and_at_the_least_of_its_policy() -> None:
    for busy, count in ((0.8, 6), (0.1, 2)):
        fleet = shop()
        scaler = controller(fleet, POLICY)
        fleet.nodes[SHOP].busy = busy
        for minute in range(0, 60, 10):
            acts(scaler, fleet, minute)
        assert fleet.instances[SHOP].count == count


def test_what_it_adds_serves_two_minutes_later() -> None:
    fleet = shop()
    fleet.nodes[SHOP].busy = 0.71
    acts(controller(fleet, POLICY), fleet, 5)
    assert [fleet.instances[SHOP].serves(4, minute) for minute in (5, 6, 7)] == [False, False, True]


def test_an_instance_whose_quota_was_cut_looks_idle_to_it() -> None:
    # 100 % of 60 % of the quota are 60 % of what was requested.
    fleet = shop()
    fleet.nodes[SHOP].busy = 1.0
    part(fleet, "shop", "quota").cut = 0.4
    assert acts(controller(fleet, POLICY), fleet, 0) == []


def test_what_may_not_be_started_is_pending_until_it_may() -> None:
    fleet = shop()
    instances = fleet.instances[SHOP]
    instances.is_blocked = True
    fleet.nodes[SHOP].busy = 0.9
    scaler = controller(fleet, POLICY)
    acts(scaler, fleet, 0)
    acts(scaler, fleet, 10)
    assert (instances.count, instances.wanted, instances.pending) == (4, 6, 2)
    fleet.reset_parameters()
    fleet.advance(1.0)
    assert (instances.count, instances.pending) == (6, 0)


def test_a_full_service_that_may_not_be_scaled_is_requested_and_the_request_lapses() -> None:
    fleet = shop()
    fleet.nodes[SHOP].busy = 0.95
    scaler = controller(fleet, POLICY)
    found = [act for minute in range(10) for act in acts(scaler, fleet, minute)]
    assert [(act.minute, act.status) for act in found] == [
        (0, ActStatus.DONE),
        (1, ActStatus.REQUESTED),
        (9, ActStatus.LAPSED),
    ]
    asked = found[1]
    assert (asked.before, asked.after, asked.share, asked.lapses) == (5, 7, 100, 9)
    assert fleet.instances[SHOP].count == 5


def test_with_an_edited_band_it_scales_in_what_is_busy_and_again_what_was_scaled_by_hand() -> None:
    fleet = shop()
    edited = {"cpu_low": 90, "cpu_high": 100, "minutes_between": 2, "most_per_step": 2}
    scaler = controller(fleet, POLICY, defect=edited, since=5)
    fleet.nodes[SHOP].busy = 0.5
    assert acts(scaler, fleet, 4) == []
    (act,) = acts(scaler, fleet, 5)
    assert (act.deed, act.before, act.after, act.value) == (Deed.SCALE_IN, 4, 2, 50)
    assert act.is_faulty
    fleet.instances[SHOP].resize(4, 6)
    assert acts(scaler, fleet, 6) == []
    assert [act.after for act in acts(scaler, fleet, 7)] == [2]


def test_it_reports_of_the_first_service_of_a_round_within_the_band_that_it_holds() -> None:
    fleet = shop()
    fleet.nodes[SHOP].busy = 0.5
    scaler = controller(fleet, POLICY, rounds={-31: ("shop",), 4: ("shop",), 9: ()})
    held = [act for minute in range(-60, 60) for act in acts(scaler, fleet, minute)]
    assert [(act.minute, act.deed, act.target, act.value) for act in held] == [
        (-31, Deed.HOLD, SHOP, 50),
        (4, Deed.HOLD, SHOP, 50),
    ]


def test_it_does_not_say_that_it_holds_what_is_outside_the_band() -> None:
    fleet = shop()
    fleet.nodes[SHOP].busy = 0.9
    scaler = controller(fleet, POLICY, rounds={2: ("shop",)})
    found = [act for minute in range(5) for act in acts(scaler, fleet, minute)]
    assert [act.deed for act in found] == [Deed.SCALE_OUT]


def test_a_copy_acts_as_its_original_and_on_its_own() -> None:
    fleet = shop()
    scaler = controller(fleet, POLICY)
    fleet.nodes[SHOP].busy = 0.96
    acts(scaler, fleet, 0)
    twin, other = scaler.copy(), fleet.copy()
    assert [acts(scaler, fleet, m) for m in range(1, 15)] == [
        acts(twin, other, m) for m in range(1, 15)
    ]
    assert fleet.instances[SHOP].count == other.instances[SHOP].count == 6
