"""Scenarios as values, and the world they describe."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cache
from itertools import accumulate
from typing import Any

import pytest

from chaosops.agents.runner import Stepper, run_episode
from chaosops.env.casting import settled
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ChaosOpsObservation,
    Difficulty,
    FailureType,
    ServiceSignals,
)
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.world_sim import Scenario
from chaosops.errors import ScenarioError
from tests.sampling import sampled
from tests.worlds import (
    NINE,
    SRE,
    Move,
    all_ids,
    built_in,
    hand_made,
    move,
    play,
    scenario,
    some_ids,
)

every_incident = pytest.mark.parametrize("name", sampled(all_ids()))
some_incidents = pytest.mark.parametrize("name", some_ids())
SEEDS = range(20)
TURNS = {
    Difficulty.TUTORIAL: (24, 40),
    Difficulty.EASY: (32, 40),
    Difficulty.MEDIUM: (48, 60),
    Difficulty.HARD: (64, 80),
}
"""The turns of an incident of each level."""


# Scenarios


@some_incidents
def test_a_scenario_is_a_value(name: str) -> None:
    one, other = Scenario.load(name, 4), Scenario.load(name, seed=4)
    assert one == other
    assert hash(one) == hash(other)
    assert one != Scenario.load(name, 5)
    assert {one: 1}[other] == 1
    for part in (*(field.name for field in dataclasses.fields(one)), "anything"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(one, part, None)
    assert copy.deepcopy(one) == one == pickle.loads(pickle.dumps(one))


@every_incident
def test_a_scenario_says_what_it_is(name: str) -> None:
    played = scenario(name, 7)
    assert name in played.label
    assert "7" in played.label
    assert played.id == name
    assert len(played.content_hash) == 64
    assert played.topology_id == played.topology.id
    assert played.page in played.topology.pages.values()
    least, most = TURNS[played.difficulty]
    assert least <= played.max_steps * len(TURN_ORDER) <= most
    assert 1 <= played.par <= played.max_steps * len(TURN_ORDER)
    assert played.with_seed(8) == scenario(name, 8)
    assert played.with_seed(7) == played


@some_incidents
def test_a_scenario_can_be_loaded_from_its_file(name: str) -> None:
    path = scenario(name).source.path
    assert Scenario.load(path, 3) == Scenario.load(str(path), 3) == scenario(name, 3)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", NINE)
def test_each_canonical_failure_type_has_its_incident(kind: FailureType) -> None:
    made = Scenario.from_type(kind, seed=3, difficulty=Difficulty.HARD, max_steps=6)
    assert made.failure_type is kind
    assert (made.seed, made.difficulty, made.max_steps) == (3, Difficulty.HARD, 6)
    assert made.with_seed(3) == made
    assert made.with_seed(3).incident == made.incident
    result = run_episode(ChaosOpsEnvironment(), made, {})
    assert len(result.steps) <= 6 * len(TURN_ORDER)


def test_a_harder_difficulty_tightens_the_par() -> None:
    casts = [{"cause": cause} for cause in ("row_lock", "deadlock", "ddl_lock")]
    easy = hand_made(level="easy", par=20, casts=casts)
    levels = (Difficulty.TUTORIAL, Difficulty.EASY, Difficulty.MEDIUM, Difficulty.HARD)
    played = [dataclasses.replace(easy, difficulty=level) for level in levels]
    assert [each.par for each in played] == [25, 20, 18, 16]


@pytest.mark.parametrize("max_steps", [0, -3])
def test_a_scenario_has_one_round_or_more(max_steps: int) -> None:
    with pytest.raises(ValueError, match="max_steps"):
        Scenario.from_type(FailureType.DB_DEADLOCK, max_steps=max_steps)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, True, "7", None])
def test_another_seed_than_a_whole_number_of_32_bits_is_refused(seed: Any) -> None:
    with pytest.raises(ScenarioError, match="4294967295"):
        Scenario.load(all_ids()[0], seed)
    with pytest.raises(ScenarioError):
        scenario(all_ids()[0]).with_seed(seed)


def test_an_unknown_incident_is_an_error_with_a_near_name() -> None:
    name = all_ids()[0]
    with pytest.raises(ScenarioError, match=name):
        Scenario.load(name[:-1] + "x")


# Seeds and the minutes before the page


@cache
def _openings(name: str) -> tuple[ChaosOpsObservation, ...]:
    env = ChaosOpsEnvironment()
    return tuple(env.reset(scenario=scenario(name, seed)) for seed in SEEDS)


def _first_round(
    env: ChaosOpsEnvironment, played: Scenario, day: int
) -> tuple[ChaosOpsObservation, ...]:
    """What each role sees in its first turn, with the traffic and the chatter of that seed."""
    stepper = Stepper(env, dataclasses.replace(played, seed=day))
    return tuple(stepper.take(None).observation for _role in TURN_ORDER)


@pytest.mark.few(1)
@every_incident
def test_twenty_seeds_give_twenty_openings_even_with_the_traffic_of_one(name: str) -> None:
    env = ChaosOpsEnvironment()
    assert len({_first_round(env, scenario(name, seed), day=0) for seed in SEEDS}) == len(SEEDS)


@pytest.mark.few(1)
@some_incidents
def test_a_day_has_its_own_traffic_and_chatter_whatever_the_incident(name: str) -> None:
    env = ChaosOpsEnvironment()
    assert len({_first_round(env, scenario(name), day) for day in SEEDS}) == len(SEEDS)


@pytest.mark.few(1)
@every_incident
def test_the_history_begins_before_the_trouble_and_the_page_is_at_minute_zero(name: str) -> None:
    for opening in _openings(name):
        view = opening.view
        assert view.status.minute == 0
        assert view.alerts[0].minute == 0
        assert view.history is not None
        assert max(signals.errors for signals in view.history[0]) < 0.02


@pytest.mark.few(2)
@every_incident
def test_the_first_frame_has_a_history_of_thirty_minutes_with_the_onset_in_it(name: str) -> None:
    played = scenario(name)
    view = ChaosOpsEnvironment().reset(scenario=played).view
    assert view.history is not None
    assert len(view.history) == 30
    if played.failure_type is not FailureType.FALSE_ALARM:
        assert view.history[0] != view.history[-1]


# Actions in flight, and what they do by themselves


def _calm() -> Scenario:
    """A false alarm, so that all that changes is what an action does."""
    return hand_made(casts=[{"cause": "tight_threshold"}], par=60, hold=15)


def _services(played: Scenario, turns: int, moves: dict[int, Move]) -> dict[str, ServiceSignals]:
    services = play(played, moves, turns=turns).view_of(SRE).services
    assert services is not None
    return {signals.service: signals for signals in services}


def test_an_action_is_in_flight_until_its_minute_and_then_has_landed() -> None:
    stepper = play(_calm(), {0: move("failover", "db")}, turns=1)
    item = stepper.observation.view.in_flight[0]
    assert (item.taken, item.lands) == (0, 5)
    while stepper.observation.view.status.minute < item.lands:
        assert stepper.observation.view.in_flight == (item,)
        assert stepper.observation.view.landed == ()
        stepper.take(None)
    assert stepper.observation.view.in_flight == ()
    assert stepper.observation.view.landed == (item,)


def test_a_scale_out_adds_replicas_minutes_later_and_no_more_than_there_may_be() -> None:
    moves = {0: move("scale", "queue", replicas=12)}
    assert _services(_calm(), 0, moves)["queue"].replicas == 2
    most = next(s.max_replicas for s in _calm().topology.services if s.name == "queue")
    stepper = play(_calm(), moves, turns=1)
    assert f"at most {most}" in stepper.steps[0].message
    assert _services(_calm(), 2, moves)["queue"].replicas == 2
    assert _services(_calm(), 4, moves)["queue"].replicas == most


def test_a_restart_drops_memory() -> None:
    leak = hand_made(casts=[{"cause": "memory_leak", "places": ["cart"]}])
    full = _services(leak, 4, {})["cart"].memory
    fresh = _services(leak, 4, {0: move("restart", "cart")})["cart"].memory
    assert full is not None
    assert fresh is not None
    assert fresh <= full - 5


def test_a_restart_of_a_cache_leaves_it_cold_and_its_database_loaded() -> None:
    before = _services(_calm(), 1, {})
    after = _services(_calm(), 1, {0: move("restart", "cache")})
    assert (after["cache"].hit or 0) < (before["cache"].hit or 0) - 5
    assert (after["db"].rps or 0) > 1.3 * (before["db"].rps or 0)


def test_a_failover_hurts_the_minute_it_lands_and_none_before() -> None:
    usual, failed_over = (
        [step.observation.view.status.users_ok for step in play(_calm(), moves, turns=6).steps]
        for moves in ({}, {0: move("failover", "db")})
    )
    assert failed_over[:5] == usual[:5]
    assert failed_over[5] < 0.95 < usual[5]


def test_shed_load_is_lost_load_until_it_is_given_back() -> None:
    moves = {4: move("shed_load", "edge", percent=50), 8: move("shed_load", "edge", percent=0)}
    stepper = play(_calm(), moves, turns=6)
    assert stepper.observation.view.status.users_ok < 0.51
    usual = _services(_calm(), 9, {})["edge"].rps or 0
    assert (_services(_calm(), 6, moves)["edge"].rps or 0) == pytest.approx(usual / 2, rel=0.07)
    assert _services(_calm(), 9, moves)["edge"].rps == pytest.approx(usual, rel=0.01)
    assert play(_calm(), moves, turns=9).observation.view.status.users_ok > 0.99


def test_the_topologies_idle_on_an_ordinary_day() -> None:
    topologies = {source.topology.id: source.topology for source in built_in()}
    for topology in topologies.values():
        mesh = settled(Blueprint(topology))
        assert mesh.users_ok > 0.999
        assert max(node.busy for node in mesh.nodes) < 0.8


def test_the_error_budget_is_spent_by_the_share_of_requests_that_fail() -> None:
    stepper = play(hand_made())
    assert stepper.observation.view.status.budget == 0
    statuses = [step.observation.view.status for step in stepper.steps]
    # The minute of the page counts, and those before it don't.
    lost = list(accumulate(1.0 - status.users_ok for status in statuses))
    share = (100 - statuses[-1].budget) / lost[-1]
    expected = [100 - share * failed for failed in lost]
    assert [status.budget for status in statuses] == pytest.approx(expected, abs=1.1)
