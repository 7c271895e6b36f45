"""Causes that no situation casts yet are as sound as those that one does."""

from __future__ import annotations

import pytest

from chaosops.env.casting import left_alone
from chaosops.env.judgement import LandingEffect, judge
from chaosops.env.models import InFlight
from chaosops.env.world import World
from chaosops.scenarios.cause import CauseMove
from chaosops.scenarios.schema import Bound
from tests.env.situations import in_flight
from tests.env.uncast import CURVE, Spot, at_page, fleet, solved, spots, uncast


def moment(name: str, spot: Spot) -> World:
    """The fleet at the page, with the cause's agent paused."""
    made = at_page(name, spot).fork()
    agent = uncast()[name].agent
    made.paused = frozenset() if agent is None else frozenset({agent})
    return made


def sent(made: World, name: str, spot: Spot, move: CauseMove) -> InFlight:
    """A move that lands in the next minute, with the least that its arguments ask for."""
    target = made.mesh.blueprint.services[solved(name, spot).service(move.at)].name
    args = {key: _least(value) for key, value in move.args.items()}
    return in_flight(made, move.action, target, **args)


def _least(value: int | str | Bound) -> object:
    if not isinstance(value, Bound):
        return value
    return value.at_most if value.at_least is None else value.at_least


def judged(name: str, spot: Spot, move: CauseMove) -> LandingEffect:
    made = moment(name, spot)
    return judge(made, sent(made, name, spot, move))


def test_every_cause_fits_somewhere() -> None:
    assert {name for name, _spot in spots()} == set(uncast())


@pytest.mark.parametrize(("name", "spot"), spots())
def test_as_many_requests_fail_as_the_level_wants(name: str, spot: Spot) -> None:
    failed, _world = left_alone(solved(name, spot), fleet(spot[0]), CURVE.end)
    assert 1.7 * failed[0] <= failed[10] <= 3.5 * failed[0]
    for minute, wanted in CURVE.points:
        assert failed[minute] == pytest.approx(wanted, rel=0.4)


@pytest.mark.parametrize(("name", "spot"), spots())
def test_what_clears_is_never_wrong_nor_what_eases_and_what_tempts_is(
    name: str, spot: Spot
) -> None:
    cause = uncast()[name]
    for move in cause.clears:
        verdict = judged(name, spot, move)
        assert verdict.cleared, move.action
        assert not verdict.is_wrong
    for move in cause.eases:
        verdict = judged(name, spot, move)
        assert not verdict.is_wrong, (move.action, verdict.without, verdict.with_it)
    for move in cause.tempts:
        verdict = judged(name, spot, move)
        assert not verdict.cleared, move.action
        assert verdict.is_wrong, (move.action, move.at, verdict.without, verdict.with_it)


@pytest.mark.parametrize("minutes", [0, 20])
@pytest.mark.parametrize(("name", "spot"), spots())
def test_users_are_well_again_once_it_is_cleared(name: str, spot: Spot, minutes: int) -> None:
    made = moment(name, spot)
    made.failing(minutes)
    sent(made, name, spot, uncast()[name].clears[0])
    made.failing(15)
    assert made.failing(5) < 5 * 0.01
