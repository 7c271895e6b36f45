"""The certificate renewer: what it renews, how many instances load it, and what it requests."""

from __future__ import annotations

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import Controller
from chaosops.env.physics.certificate import Certificate
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import RenewalPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, shop
from tests.env.physics.fleets import part, run

POLICY = RenewalPolicy(kind="certificate_renewer", minutes_between=40)
ROUNDS = {29: ("shop",), 40: ("shop",)}
EDITED = {"renew_before_days": 90, "reload_percent": 34, "minutes_between": 6}


def certificate(fleet: Mesh) -> Certificate:
    found = part(fleet, "shop", "certificate")
    assert isinstance(found, Certificate)
    return found


def renewals(made: Controller, fleet: Mesh, minutes: range) -> list[ControllerAct]:
    done = [act for minute in minutes for act in acts(made, fleet, minute)]
    return [act for act in done if act.deed is Deed.RENEW and act.status is ActStatus.DONE]


def test_it_renews_in_its_turn_what_is_due_and_reloads_every_instance() -> None:
    fleet = shop()
    # It is due in the first round only.
    found = renewals(controller(fleet, POLICY, rounds=ROUNDS), fleet, range(200))
    (act,) = found
    assert (act.minute, act.target, act.before, act.after) == (29, SHOP, 4, 4)
    assert (act.reason, act.value, act.is_faulty) == (ActReason.DAYS_LEFT, 39, False)
    assert certificate(fleet).served == (1,) * 4


def test_what_is_not_due_is_left_alone() -> None:
    fleet = shop()
    policy = POLICY.model_copy(update={"renew_before_days": 38})
    made = controller(fleet, policy, rounds=ROUNDS)
    found = [act for minute in range(50) for act in acts(made, fleet, minute)]
    assert [(act.minute, act.deed, act.reason) for act in found] == [
        (29, Deed.HOLD, ActReason.NOT_DUE),
        (40, Deed.HOLD, ActReason.NOT_DUE),
    ]


def test_nothing_is_renewed_once_what_signs_it_has_run_out() -> None:
    fleet = shop()
    run(fleet, 1, [(certificate(fleet), "expired", 0.3)])
    assert renewals(controller(fleet, POLICY, rounds=ROUNDS), fleet, range(200)) == []


def test_by_edited_limits_it_renews_again_and_again_and_reloads_a_third() -> None:
    fleet = shop()
    made = controller(fleet, POLICY, defect=EDITED, since=50)
    found = renewals(made, fleet, range(50, 63))
    assert [(act.minute, act.before, act.after, act.value) for act in found] == [
        (50, 4, 1, 39),
        (56, 4, 1, 89),
        (62, 4, 1, 89),
    ]
    assert all(act.is_faulty for act in found)
    assert certificate(fleet).served == (3, 0, 0, 0)


def test_it_requests_leave_to_renew_out_of_turn_and_the_request_lapses() -> None:
    fleet = shop()
    made = controller(fleet, POLICY)
    asked = [
        act
        for minute in range(80)
        for act in acts(made, fleet, minute)
        if act.status is not ActStatus.DONE
    ]
    assert [(act.minute, act.status, act.lapses) for act in asked] == [
        (64, ActStatus.REQUESTED, 72),
        (72, ActStatus.LAPSED, 72),
    ]
    assert not any(act.is_faulty for act in asked)
