"""The DNS automation: which plans it applies, in what order, and what it requests."""

from __future__ import annotations

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import Controller
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.names import newest_plan
from chaosops.scenarios.agent_policies import DnsPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, shop
from tests.env.physics.fleets import part, run

POLICY = DnsPolicy(kind="dns_automation", minutes_between=20)
ROUNDS = {9: ("shop",), 29: ("shop",), 49: ("shop",)}
EDITED = {"oldest_plan": 60, "minutes_between": 4}


def applied(made: Controller, fleet: Mesh, minutes: range) -> list[ControllerAct]:
    done = [act for minute in minutes for act in acts(made, fleet, minute)]
    return [act for act in done if act.deed is Deed.APPLY and act.status is ActStatus.DONE]


def test_it_applies_the_newest_plan_in_each_round() -> None:
    fleet = shop()
    found = applied(controller(fleet, POLICY, rounds=ROUNDS), fleet, range(60))
    assert [(act.minute, act.target) for act in found] == [(9, SHOP), (29, SHOP), (49, SHOP)]
    for act in found:
        assert act.after == newest_plan(act.minute) > act.before
        assert (act.reason, act.is_faulty) == (ActReason.PLAN_AGE, False)
        assert act.value <= 1


def test_it_leaves_a_record_alone_that_a_person_has_written() -> None:
    fleet = shop()
    run(fleet, 1, [(part(fleet, "shop", "names"), "missing", 0.3)])
    assert applied(controller(fleet, POLICY, rounds=ROUNDS), fleet, range(60)) == []


def test_by_edited_limits_it_applies_an_old_plan_over_newer_ones_every_few_minutes() -> None:
    fleet = shop()
    made = controller(fleet, POLICY, defect=EDITED, since=50)
    found = applied(made, fleet, range(50, 59))
    assert [(act.minute, act.after, act.value) for act in found] == [
        (50, 4705, 40),
        (54, 4705, 44),
        (58, 4705, 48),
    ]
    assert all(act.before > act.after and act.is_faulty for act in found)
    assert part(fleet, "shop", "names").plan == 4705


def test_it_applies_no_plan_that_is_older_than_its_limit() -> None:
    fleet = shop()
    made = controller(fleet, POLICY, defect=EDITED, since=50)
    # Made in minute 10, so it is an hour old in minute 70.
    assert [act.minute for act in applied(made, fleet, range(50, 90))][-1] == 70


def test_it_requests_leave_to_write_a_record_out_of_turn_and_the_request_lapses() -> None:
    fleet = shop()
    made = controller(fleet, POLICY)
    asked = [
        act
        for minute in range(80)
        for act in acts(made, fleet, minute)
        if act.status is not ActStatus.DONE
    ]
    assert [(act.minute, act.status, act.lapses) for act in asked] == [
        (56, ActStatus.REQUESTED, 64),
        (64, ActStatus.LAPSED, 64),
    ]
