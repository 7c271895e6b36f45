"""Declared faults: when they change, what clears them, what only helps."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.faults import FaultBoard
from chaosops.env.models import ActionType, FrozenMap
from chaosops.scenarios.parameters import Parameter
from chaosops.scenarios.schema import Effect
from tests.worlds import DB_ERRORS, LOCKS, hand_made

_RESTART = (ActionType.RESTART, "db", FrozenMap())
_SHED = (ActionType.SHED_LOAD, "edge", FrozenMap({"percent": 50}))


class _Bench:
    """A board whose effects can be read minute by minute; service 0 is `db`."""

    def __init__(self, *faults: dict[str, Any], **more: Any) -> None:
        self.effects = FaultEffects(2)
        incident = hand_made(faults=list(faults), **more).incident
        self.board = FaultBoard(incident, self.effects, {"db": 0, "cart": 1})

    def errors(self, minute: int) -> float:
        self.board.apply(minute)
        return self.effects.errors[0]


def _fault(**effect: Any) -> dict[str, Any]:
    return {**LOCKS, "effects": [{**DB_ERRORS, **effect}]}


@pytest.mark.parametrize(
    ("effect", "errors"),
    [
        ({"value": 0.4}, [0, 0.4, 0.4, 0.4, 0.4, 0.4]),
        ({"value": 0.4, "profile": "ramp", "over": 4}, [0, 0.1, 0.2, 0.3, 0.4, 0.4]),
        ({"value": 0.1, "profile": "growth"}, [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        ({"value": 0.4, "after": 2, "minutes": 2}, [0, 0, 0, 0.4, 0.4, 0]),
        ({"value": 0.9, "profile": "growth"}, [0, 0.9, 1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_an_effect_follows_its_profile_from_the_minute_it_starts(
    effect: dict[str, Any], errors: list[float]
) -> None:
    bench = _Bench(_fault(**effect))
    assert [bench.errors(minute) for minute in range(-4, 2)] == pytest.approx(errors)


def test_factors_multiply_and_go_back_to_one() -> None:
    effect = {"parameter": "capacity", "value": 0.5, "minutes": 2}
    other = {**LOCKS, "id": "other", "effects": [{**DB_ERRORS, **effect, "minutes": 1}]}
    bench = _Bench(_fault(**effect), other)
    seen = []
    for minute in range(-4, 1):
        bench.board.apply(minute)
        seen.append(bench.effects.capacity[0])
    assert seen == [1.0, 0.25, 0.5, 1.0, 1.0]


def test_what_clears_a_fault_ends_its_effects_for_good() -> None:
    bench = _Bench(_fault())
    assert bench.errors(-3) == 0.5
    assert not bench.board.all_cleared
    bench.board.land(*_RESTART, 0)
    assert bench.errors(0) == 0.0
    assert bench.board.all_cleared
    assert bench.board.live == ()
    assert bench.board.cleared_at("locks") == 0


@pytest.mark.parametrize(
    "other", [(ActionType.RESTART, "cart", FrozenMap()), (ActionType.SCALE, "db", FrozenMap())]
)
def test_another_action_clears_nothing(other: tuple[ActionType, str, FrozenMap]) -> None:
    bench = _Bench(_fault())
    bench.errors(-3)
    bench.board.land(*other, 0)
    assert bench.errors(0) == 0.5
    assert not bench.board.helps(*other, True)


def test_a_fix_that_lands_before_its_fault_began_clears_nothing() -> None:
    bench = _Bench({**_fault(), "starts": 5})
    bench.errors(0)
    assert not bench.board.helps(*_RESTART, True)
    bench.board.land(*_RESTART, 0)
    assert bench.errors(5) == 0.5
    assert not bench.board.all_cleared


def _eased(*mitigations: dict[str, Any]) -> _Bench:
    shed = {"action": "shed_load"}
    bench = _Bench({**_fault(), "mitigates": [{**shed, **each} for each in mitigations]})
    bench.errors(-3)
    return bench


def test_a_mitigation_leaves_its_share_for_as_long_as_it_lasts() -> None:
    bench = _eased({"remains": 0.2, "minutes": 2})
    assert bench.board.helps(*_SHED, False)
    bench.board.land(*_SHED, 0)
    assert [bench.errors(m) for m in range(4)] == pytest.approx([0.1, 0.1, 0.5, 0.5])
    assert not bench.board.all_cleared


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_weaker_help_never_takes_a_stronger_one_away(order: tuple[int, int]) -> None:
    strong = {"remains": 0.2, "args": {"percent": 50}}
    weak = {"remains": 1.0, "args": {"percent": 25}}
    bench = _eased(strong, weak)
    for k in order:
        percent = (50, 25)[k]
        args = FrozenMap({"percent": percent})
        bench.board.land(ActionType.SHED_LOAD, "edge", args, 0)
    assert bench.errors(1) == pytest.approx(0.1)


def test_a_fault_that_comes_back_comes_back_whole() -> None:
    bench = _eased({"remains": 0.2})
    bench.board.land(*_SHED, 0)
    bench.board.land(*_RESTART, 0)
    assert bench.errors(0) == 0.0
    bench.board.start("locks", 3)
    assert bench.errors(3) == 0.5
    assert bench.board.cleared_at("locks") is None


def test_what_mitigates_a_cleared_fault_helps_while_users_are_hurt() -> None:
    bench = _eased({"remains": 1.0})
    bench.board.land(*_RESTART, 0)
    assert bench.board.helps(*_SHED, True)
    assert not bench.board.helps(*_SHED, False)
    assert not bench.board.helps(*_RESTART, True)


def test_bounds_on_arguments_decide_what_an_action_is() -> None:
    bench = _Bench(_fault())
    bench.errors(-3)
    for percent, helps in ((10, False), (25, True), (75, True), ("50", False), (None, False)):
        args = FrozenMap({"percent": percent})
        assert bench.board.helps(ActionType.SHED_LOAD, "edge", args, True) is helps


def test_work_in_progress_presses_for_its_minute_alone() -> None:
    bench = _Bench({**_fault(), "starts": 100})
    bench.board.strain(0, Parameter.ERRORS, 0.3, 2)
    assert [bench.errors(minute) for minute in (1, 2, 3)] == [0.0, 0.3, 0.0]


def test_a_burden_presses_from_its_minute_on() -> None:
    bench = _Bench({**_fault(), "starts": 100})
    effect = Effect(service="db", parameter=Parameter.ERRORS, value=0.2, minutes=2)
    bench.board.burden((effect,), 3)
    assert [bench.errors(minute) for minute in (2, 3, 4, 5)] == [0.0, 0.2, 0.2, 0.0]


def test_a_board_says_whether_anything_changed() -> None:
    bench = _Bench(_fault(profile="ramp", over=3))
    changed = [bench.board.apply(minute) for minute in range(-4, 3)]
    assert changed == [False, True, True, True, False, False, False]
    bench.board.land(*_RESTART, 3)
    assert bench.board.apply(3)
