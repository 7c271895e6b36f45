"""Users who fare exactly as well as the objective asks are well."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chaosops.env.first_edition import FirstEditionWorld

from chaosops.agents.runner import Stepper
from chaosops.env.models import EMPTY, ActionType, FrozenMap
from chaosops.env.world_sim import Scenario
from tests.worlds import DB_ERRORS, LOCKS, MANAGER, hand_made, move, play, view_of

MINUTES = 8
STEADY = {**LOCKS, "effects": [{**DB_ERRORS, "value": 0.02}]}
"""Few errors and no change: users fare the same in each minute."""


def _with_objective(played: Scenario, slo: float) -> Scenario:
    topology = played.topology.model_copy(update={"slo": slo})
    return replace(played, source=replace(played.source, topology=topology))


def _users_ok(played: Scenario) -> float:
    shares = [step.observation.view.status.users_ok for step in play(played, turns=MINUTES).steps]
    assert len(set(shares)) == 1
    return shares[0]


def _play(above: float, **changes: object) -> Stepper:
    """The minutes after the page, where users are so far above the objective."""
    played = hand_made(faults=[STEADY], **changes)
    return play(_with_objective(played, round(_users_ok(played) - above, 4)), turns=MINUTES)


@pytest.mark.parametrize(("above", "held"), [(0.0001, True), (0.0, True), (-0.0001, False)])
def test_the_hold_counts_from_the_objective_on(above: float, held: bool) -> None:
    stepper = _play(above)
    before, after = (stepper.steps[turn].observation.view.status.held for turn in (1, 5))
    assert after - before == (4 if held else 0)
    assert (after > 0) is held


@pytest.mark.parametrize(("above", "hears"), [(0.0, False), (-0.0001, True)])
def test_customers_write_while_users_fare_worse_than_the_objective(
    above: float, hears: bool
) -> None:
    impact = view_of(_play(above, tickets=[{"at": 2, "text": "It is slow"}]), MANAGER).impact
    assert impact is not None
    assert bool(impact.tickets) is hears


@pytest.mark.parametrize(("above", "counts"), [(0.0, True), (-0.0001, False)])
def test_an_all_clear_counts_from_the_objective_on(above: float, counts: bool) -> None:
    alarm = hand_made(failure_type="false_alarm", faults=[])
    played = _with_objective(alarm, round(_users_ok(alarm) - above, 4))
    step = play(played, {3: move("resolve")}, turns=4).steps[-1]
    assert step.done is counts
    assert (step.breakdown.false_all_clear_penalty == 0.0) is counts


def _after_the_fix(played: Scenario) -> FirstEditionWorld:
    """The world once one of two faults is cleared, as long as the other one lives."""
    world = FirstEditionWorld(played)
    world.board.land(ActionType.RESTART, "db", EMPTY, 0)
    for _minute in range(6):
        world.advance()
    assert not world.causes_gone
    return world


@pytest.mark.parametrize(("above", "helps"), [(0.0, False), (-0.0001, True)])
def test_what_eased_a_cleared_fault_helps_while_users_fare_worse_than_the_objective(
    above: float, helps: bool
) -> None:
    eased = {**LOCKS, "mitigates": [{"action": "scale", "target": "cart", "remains": 0.5}]}
    other = {**STEADY, "id": "other", "clears": [{"action": "purge", "target": "db"}]}
    played = hand_made(faults=[eased, other])
    users_ok = _after_the_fix(played).users_ok
    world = _after_the_fix(_with_objective(played, round(users_ok - above, 4)))
    assert world.users_ok == users_ok
    assert world.helps(ActionType.SCALE, "cart", FrozenMap({"replicas": 6})) is helps
