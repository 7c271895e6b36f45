"""Users who fare exactly as well as the objective asks are well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chaosops.agents.runner import Stepper
from chaosops.env.world_sim import Scenario
from tests.worlds import MANAGER, hand_made, move, play, view_of

MINUTE = 6


def _with_objective(played: Scenario, slo: float) -> Scenario:
    topology = played.topology.model_copy(update={"slo": slo})
    return replace(played, topology=topology)


def _play(above: float, **changes: Any) -> Stepper:
    """The game up to a minute in which users are so far above the objective."""
    played = hand_made(**changes)
    share = play(played, turns=MINUTE).observation.view.status.users_ok
    stepper = play(_with_objective(played, round(share - above, 4)), turns=MINUTE)
    assert stepper.observation.view.status.users_ok == share
    return stepper


@pytest.mark.few(1)
@pytest.mark.parametrize(("above", "held"), [(0.0001, True), (0.0, True), (-0.0001, False)])
def test_a_minute_counts_for_the_hold_from_the_objective_on(above: float, held: bool) -> None:
    assert (_play(above).observation.view.status.held > 0) is held


@pytest.mark.parametrize(("above", "hears"), [(0.0, False), (-0.0001, True)])
def test_customers_write_while_users_fare_worse_than_the_objective(
    above: float, hears: bool
) -> None:
    tickets = [{"at": MINUTE, "text": "It is slow"}]
    impact = view_of(_play(above, tickets=tickets), MANAGER).impact
    assert impact is not None
    assert bool(impact.tickets) is hears


@pytest.mark.parametrize(("slo", "counts"), [(1.0, True), (1.0001, False)])
def test_an_all_clear_counts_from_the_objective_on(slo: float, counts: bool) -> None:
    alarm = hand_made(casts=[{"cause": "tight_threshold"}])
    step = play(_with_objective(alarm, slo), {7: move("resolve")}, turns=8).steps[-1]
    assert step.observation.view.status.users_ok == 1.0
    assert step.done is counts
    assert (step.breakdown.false_all_clear_penalty == 0.0) is counts
