"""The cleanup job: what it deletes in a run, what it requests, and how edited limits differ."""

from __future__ import annotations

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.objects import STORED
from chaosops.scenarios.agent_policies import CleanupPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, in_turn, shop
from tests.env.physics.fleets import part

POLICY = CleanupPolicy(kind="cleanup_job", kept_days=30, most_deleted=5000, minutes_between=10)
EDITED = {"kept_days": 2, "most_deleted": 50_000, "minutes_between": 4}


def hours(fleet: Mesh, defect: dict[str, int] | None = None) -> list[ControllerAct]:
    """What it does in two hours."""
    job = controller(fleet, POLICY, defect=defect, rounds=in_turn(range(9, 120, 10)))
    return [act for minute in range(120) for act in acts(job, fleet, minute)]


def done(found: list[ControllerAct]) -> list[ControllerAct]:
    return [act for act in found if act.status is ActStatus.DONE]


def test_it_takes_one_service_after_another_and_each_run_stays_within_its_policy() -> None:
    found = done(hours(shop()))
    assert [act.minute for act in found] == list(range(9, 120, 10))
    targets = [act.target for act in found]
    assert len(set(targets[:9])) == 9
    for act in found:
        assert (act.deed, act.reason, act.value) == (Deed.DELETE, ActReason.NOT_READ, 30)
        assert 0 < act.before - act.after <= 5000
        assert not act.is_faulty


def test_what_it_deletes_is_gone() -> None:
    fleet = shop()
    found = [act for act in done(hours(fleet)) if act.target == SHOP]
    deleted = sum(act.before - act.after for act in found)
    assert found[0].before == int(STORED)
    assert part(fleet, "shop", "objects").deleted == deleted


def test_it_requests_what_is_more_than_a_run_may_delete() -> None:
    found = hours(shop())
    asked = [act for act in found if act.status is ActStatus.REQUESTED]
    assert asked
    for request in asked:
        here = (request.minute, request.target)
        (run,) = [act for act in done(found) if (act.minute, act.target) == here]
        assert run.before - run.after == 5000
        assert request.before - request.after > 0
        assert request.lapses == request.minute + 8
    lapsed = [act.minute for act in found if act.status is ActStatus.LAPSED]
    assert lapsed == [request.lapses for request in asked if request.lapses < 120]


def test_by_edited_limits_it_deletes_tens_of_thousands_in_the_words_of_any_other_run() -> None:
    found = [act for act in hours(shop(), EDITED) if act.minute < 48]
    faulty = [act for act in found if act.is_faulty]
    assert [act.minute for act in faulty] == list(range(0, 48, 4))
    for act in faulty:
        assert (act.target, act.deed, act.reason) == (SHOP, Deed.DELETE, ActReason.NOT_READ)
        assert act.value == 2
        # 7 % of 640,000, times 28 of 30 days.
        assert 41_000 <= act.before - act.after <= 46_000
    assert not [act for act in found if act.target == SHOP and act.status is not ActStatus.DONE]


def test_it_cannot_delete_more_than_there_is() -> None:
    fleet = shop()
    found = [act for act in hours(fleet, EDITED) if act.is_faulty]
    assert min(act.after for act in found) == 0
    assert part(fleet, "shop", "objects").deleted == STORED


def test_a_copy_acts_as_its_original() -> None:
    fleet = shop()
    job = controller(fleet, POLICY, defect=EDITED, rounds=in_turn(range(9, 60, 10)))
    for minute in range(15):
        acts(job, fleet, minute)
    twin, other = job.copy(), fleet.copy()
    assert [acts(job, fleet, m) for m in range(15, 60)] == [
        acts(twin, other, m) for m in range(15, 60)
    ]
    assert part(fleet, "shop", "objects").deleted == part(other, "shop", "objects").deleted
