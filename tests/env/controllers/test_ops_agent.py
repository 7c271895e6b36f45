"""The AI ops agent: it changes one instance by a grant, and requests what it measured."""

from __future__ import annotations

import pytest

from chaosops.env.automation import told
from chaosops.env.controllers.acts import ActStatus, ControllerAct, Deed
from chaosops.env.controllers.base import Controller, RequestDraft
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import RunbookPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, in_turn, shop

POLICY = RunbookPolicy(kind="ops_agent", instances_per_grant=1, minutes_between=20)
WINDOWS = in_turn(range(-391, 400, 20))
EDITED = {"instances_per_grant": 100, "minutes_between": 4}


def restarts(made: Controller, fleet: Mesh, first: int, last: int) -> list[ControllerAct]:
    """Its restarts of the application, from one minute to another."""
    return [
        act
        for minute in range(first, last + 1)
        for act in acts(made, fleet, minute)
        if act.deed is Deed.RESTART and act.target == SHOP
    ]


def failing(fleet: Mesh, share: float) -> Mesh:
    """A fleet whose application fails a share of its requests."""
    fleet.reset_parameters()
    fleet.nodes[SHOP].injected_errors = share
    fleet.advance(1.0)
    return fleet


def draft(*services: int, is_flawed: bool = False) -> RequestDraft:
    return RequestDraft("agent", 6, services, is_flawed, -1)


def test_by_policy_it_restarts_one_instance_in_a_window_by_a_grant() -> None:
    fleet = shop()
    found = restarts(controller(fleet, POLICY, rounds=WINDOWS), fleet, -400, 400)
    assert found
    for act in found:
        assert (act.before - act.after, act.status, act.is_faulty) == (1, ActStatus.DONE, False)
        assert told(act, "shop", "").approval == "granted by Oversight"


def test_by_an_edited_policy_it_takes_a_grant_for_one_as_a_grant_for_all() -> None:
    fleet = shop()
    made = controller(fleet, POLICY, defect=EDITED, since=10)
    found = restarts(made, fleet, 0, 30)
    assert [act.minute for act in found if act.is_faulty] == [10, 14, 18, 22, 26, 30]
    for act in found:
        if act.is_faulty:
            assert act.before - act.after == fleet.instances[SHOP].count == 4
    assert set(fleet.instances[SHOP].born) == {30}


def test_the_innocent_and_the_guilty_have_the_same_words() -> None:
    fleet = shop()
    innocent = restarts(controller(fleet, POLICY, rounds=WINDOWS), fleet, -400, 0)[0]
    made = controller(fleet, POLICY, defect=EDITED, since=0)
    guilty = restarts(made, fleet, 0, 0)[0]
    one, other = told(innocent, "shop", ""), told(guilty, "shop", "")
    assert one.act.replace("1 of", "4 of") == other.act
    assert (one.reason, one.approval) == (other.reason, other.approval)


def test_it_requests_the_restart_of_an_instance_of_what_fails_the_most() -> None:
    fleet = failing(shop(), 0.25)
    request = controller(fleet, POLICY).draft(fleet, draft(2, 3))
    assert request is not None
    assert (request.target, request.about) == (SHOP, SHOP)
    assert request.before - request.after == 1
    assert request.value == pytest.approx(250, abs=2)
    assert request.status is ActStatus.REQUESTED


def test_a_bad_request_rests_on_the_reading_of_another_service_and_is_for_all_instances() -> None:
    fleet = failing(shop(), 0.25)
    request = controller(fleet, POLICY).draft(fleet, draft(2, 3, is_flawed=True))
    assert request is not None
    assert (request.target, request.about) == (2, SHOP)
    assert request.after == 0
    assert request.value == pytest.approx(250, abs=2)


def test_what_is_granted_restarts_instances_and_breaks_requests_only_where_none_is_left() -> None:
    fleet = failing(shop(), 0.25)
    made = controller(fleet, POLICY)
    request = made.draft(fleet, draft(2))
    assert request is not None
    assert made.carry_out(fleet, 9, request) is None
    assert sorted(fleet.instances[SHOP].born)[-1] == 9
    assert sorted(fleet.instances[SHOP].born)[0] < 9
    broken = made.carry_out(fleet, 9, request._replace(after=0))
    assert broken is not None
    assert broken.service == SHOP
    assert set(fleet.instances[SHOP].born) == {9}


def test_a_copy_goes_on_by_itself() -> None:
    fleet = shop()
    made = controller(fleet, POLICY, defect=EDITED, since=0)
    acts(made, fleet, 0)
    twin = made.copy()
    assert acts(twin, shop(), 2) == acts(made, fleet, 2)
    assert restarts(twin, shop(), 3, 4)
    assert restarts(made, fleet, 3, 4)
