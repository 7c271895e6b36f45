"""The deploy bot: when it promotes a build, how far, and what it requests."""

from __future__ import annotations

import pytest

from chaosops.env.controllers.acts import ActStatus, ControllerAct
from chaosops.env.controllers.base import Controller
from chaosops.env.models import Gates
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import DeployPolicy, DrawnRelease
from tests.env.controllers.fleets import SHOP, acts, controller, shop

POLICY = DeployPolicy(kind="deploy_bot")
CHANGED = {"canary_minutes": 1, "gates": 5, "again_after": 2}


def _release(gates: int, *, is_faulty: bool = False) -> DrawnRelease:
    return DrawnRelease(service="shop", build="r1", at=0, gates=gates, is_faulty=is_faulty)


def _run(bot: Controller, fleet: Mesh, first: int, last: int) -> list[ControllerAct]:
    return [act for minute in range(first, last + 1) for act in acts(bot, fleet, minute)]


def test_it_promotes_in_steps_after_the_canary() -> None:
    fleet = shop()
    done = _run(controller(fleet, POLICY, _release(6)), fleet, 0, 60)
    assert [(act.minute, act.before, act.after) for act in done] == [
        (15, 0, 30),
        (30, 30, 60),
        (45, 60, 100),
    ]
    assert {act.gates for act in done} == {Gates(6, 6)}
    assert fleet.instances[SHOP].born == (15, 15, 30, 45)  # 30 % of four are two, 60 % are three
    assert not fleet.instances[SHOP].rolling


def test_a_build_that_passed_too_few_gates_is_requested_and_stays_a_canary() -> None:
    fleet = shop()
    done = _run(controller(fleet, POLICY, _release(5)), fleet, 0, 60)
    assert [(act.minute, act.status) for act in done] == [
        (15, ActStatus.REQUESTED),
        (23, ActStatus.LAPSED),
    ]
    assert done[0].gates == Gates(5, 6)
    assert done[0].share == 30
    assert fleet.instances[SHOP].born == (-9999,) * 4


def test_in_a_freeze_it_promotes_nothing() -> None:
    fleet = shop()
    frozen = POLICY.model_copy(update={"freeze": True})
    assert _run(controller(fleet, frozen, _release(6)), fleet, 0, 60) == []


def test_with_a_changed_gate_it_promotes_after_a_minute_and_five_of_six_gates() -> None:
    fleet = shop()
    bot = controller(fleet, POLICY, _release(5, is_faulty=True), defect=CHANGED)
    (act,) = _run(bot, fleet, 0, 14)
    assert (act.minute, act.gates, act.value, act.is_faulty) == (1, Gates(5, 6), 1, True)
    assert fleet.instances[SHOP].build == (1, 1, 0, 0)


@pytest.mark.parametrize(("defect", "again"), [(CHANGED, 7), ({**CHANGED, "again_after": 0}, None)])
def test_what_was_rolled_back_is_promoted_again_only_by_a_changed_policy(
    defect: dict[str, int], again: int | None
) -> None:
    fleet = shop()
    bot = controller(fleet, POLICY, _release(5, is_faulty=True), defect=defect)
    _run(bot, fleet, 0, 4)
    fleet.instances[SHOP].take_back()
    done = _run(bot, fleet, 5, 14)
    assert [act.minute for act in done] == ([] if again is None else [again])
    assert fleet.instances[SHOP].build == ((0,) * 4 if again is None else (1, 1, 0, 0))


def test_it_leaves_a_service_alone_on_which_something_else_is_rolled_out() -> None:
    fleet = shop()
    fleet.instances[SHOP].roll_out(0.5, is_build=False)
    assert _run(controller(fleet, POLICY, _release(6)), fleet, 0, 60) == []


def test_a_copy_acts_as_its_original() -> None:
    fleet = shop()
    bot = controller(fleet, POLICY, _release(6))
    _run(bot, fleet, 0, 20)
    twin, other = bot.copy(), fleet.copy()
    assert _run(bot, fleet, 21, 60) == _run(twin, other, 21, 60)
