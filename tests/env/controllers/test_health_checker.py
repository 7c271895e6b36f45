"""The health checker: which instances it ejects, how many at once, and for how long."""

from __future__ import annotations

import pytest

from chaosops.env.controllers.acts import ActReason, ActStatus, Deed
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import HealthCheckPolicy
from tests.env.controllers.fleets import SHOP, acts, controller, shop
from tests.env.physics.fleets import part

POLICY = HealthCheckPolicy(kind="health_checker", failed_probes=12, most_ejected=25, minutes_out=3)
EDITED = {"failed_probes": 6, "most_ejected": 90, "minutes_out": 2, "slow_answer": 125}


def _refusing(*short: float) -> Mesh:
    fleet = shop()
    handles = part(fleet, "shop", "handles")
    handles.short = short
    handles.spinning = sum(short) / len(short)
    return fleet


def _answering(times: float) -> Mesh:
    """A shop whose instances all take that many times as long as usual to answer."""
    fleet = shop()
    node = fleet.nodes[SHOP]
    node.busy = 0.0
    node.own_ms = times * node.traits.base_ms
    return fleet


def _out(fleet: Mesh, minute: int) -> list[int]:
    instances = fleet.instances[SHOP]
    return [i for i in range(instances.count) if not instances.serves(i, minute)]


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


def test_by_its_written_policy_an_instance_that_answers_slowly_passes() -> None:
    fleet = _answering(20.0)
    checker = controller(fleet, POLICY)
    assert [act for minute in range(6) for act in acts(checker, fleet, minute)] == []


@pytest.mark.parametrize(("times", "out"), [(1.24, []), (1.26, [0, 1])])
def test_with_edited_limits_it_ejects_what_is_a_little_slow(times: float, out: list[int]) -> None:
    fleet = _answering(times)
    acts(controller(fleet, POLICY, defect=EDITED), fleet, 0)
    assert _out(fleet, 0) == out


def test_it_reports_of_the_first_service_of_a_round_without_failed_probes_that_it_holds() -> None:
    fleet = _refusing(0.0, 0.6, 0.0, 0.0)
    rounds = {0: ("shop", "spare-3"), 2: ("shop",)}
    checker = controller(fleet, POLICY, rounds=rounds)
    (act,) = acts(checker, fleet, 0)
    assert (act.deed, act.reason) == (Deed.HOLD, ActReason.PROBES_PASS)
    assert act.target == fleet.blueprint.index["spare-3"]
    assert not [act for act in acts(checker, fleet, 2) if act.deed is Deed.HOLD]


def test_with_edited_limits_it_leaves_two_whatever_their_number() -> None:
    for count in (2, 3, 4, 6, 9):
        fleet = _answering(2.0)
        fleet.instances[SHOP].resize(count, -1)
        part(fleet, "shop", "handles").prepare(fleet)
        acts(controller(fleet, POLICY, defect=EDITED), fleet, 0)
        assert count - len(_out(fleet, 0)) == 2


def test_an_act_by_edited_limits_is_in_the_words_of_any_other_and_faulty() -> None:
    fleet = _answering(2.0)
    (act,) = acts(controller(fleet, POLICY, defect=EDITED), fleet, 0)
    assert (act.deed, act.before, act.after, act.value) == (Deed.EJECT, 4, 2, 6)
    assert (act.status, act.is_faulty) == (ActStatus.DONE, True)


def test_its_limits_are_edited_from_a_minute_on() -> None:
    fleet = _answering(2.0)
    checker = controller(fleet, POLICY, defect=EDITED, since=5)
    assert [acts(checker, fleet, minute) for minute in range(5)] == [[]] * 5
    acts(checker, fleet, 5)
    assert _out(fleet, 5) == [0, 1]


def test_what_comes_back_is_ejected_again_while_answers_are_slow() -> None:
    fleet = _answering(2.0)
    checker = controller(fleet, POLICY, defect=EDITED)
    for minute in range(7):
        acts(checker, fleet, minute)
        assert _out(fleet, minute) == [0, 1]
    assert fleet.instances[SHOP].ejected[:2] == (12, 12)  # for 2, 4 and 6 minutes


def test_an_instance_that_starts_does_not_count_as_left() -> None:
    fleet = _answering(2.0)
    fleet.instances[SHOP].take_away(3, 0, 2)
    acts(controller(fleet, POLICY, defect=EDITED), fleet, 0)
    assert _out(fleet, 0) == [0, 3]


def test_what_was_ejected_serves_again_once_it_is_taken_back() -> None:
    fleet = _answering(2.0)
    acts(controller(fleet, POLICY, defect=EDITED), fleet, 0)
    instances = fleet.instances[SHOP]
    assert instances.has_ejected(1)
    instances.readmit()
    assert not instances.has_ejected(1)
    assert _out(fleet, 1) == []


def test_a_paused_one_leaves_out_what_it_ejected_and_its_time_goes_on_after_the_pause() -> None:
    fleet = _answering(2.0)
    checker = controller(fleet, POLICY, defect=EDITED)
    acts(checker, fleet, 0)
    for minute in range(1, 9):
        checker.stand_by(fleet, minute)
        assert _out(fleet, minute) == [0, 1]
    fleet.nodes[SHOP].own_ms = fleet.nodes[SHOP].traits.base_ms
    acts(checker, fleet, 9)
    assert [_out(fleet, minute) for minute in (9, 10)] == [[0, 1], []]


def test_a_copy_with_edited_limits_acts_as_its_original() -> None:
    fleet = _answering(2.0)
    checker = controller(fleet, POLICY, defect=EDITED)
    acts(checker, fleet, 0)
    twin, other = checker.copy(), fleet.copy()
    assert [acts(checker, fleet, m) for m in range(1, 20)] == [
        acts(twin, other, m) for m in range(1, 20)
    ]
    assert fleet.instances[SHOP].ejected == other.instances[SHOP].ejected
