"""Scenarios as values, and the world they describe."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from chaosops.env.service_flow import Physics
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import random_policy
from chaosops.agents.runner import EpisodeStep, Stepper, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ChaosOpsObservation,
    Difficulty,
    FailureType,
    ServiceSignals,
)
from chaosops.env.models.topology import Topology
from chaosops.env.world_sim import Scenario
from chaosops.errors import ScenarioError
from tests.sampling import sampled
from tests.worlds import (
    DB_ERRORS,
    LOCKS,
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
    view_of,
)

every_incident = pytest.mark.parametrize("name", sampled(all_ids()))
some_incidents = pytest.mark.parametrize("name", some_ids())
SEEDS = range(20)


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
    assert 24 <= played.max_steps * len(TURN_ORDER) <= 60
    assert 1 <= played.par <= played.max_steps * len(TURN_ORDER)
    assert played.with_seed(8) == scenario(name, 8)
    assert played.with_seed(7) == played


@some_incidents
def test_a_scenario_can_be_loaded_from_its_file(name: str) -> None:
    path = scenario(name).source.path
    assert Scenario.load(path, 3) == Scenario.load(str(path), 3) == scenario(name, 3)


@pytest.mark.parametrize("kind", NINE)
def test_each_canonical_failure_type_has_its_incident(kind: FailureType) -> None:
    made = Scenario.from_type(kind, seed=3, difficulty=Difficulty.HARD, max_steps=6)
    assert made.failure_type is kind
    assert (made.seed, made.difficulty, made.max_steps) == (3, Difficulty.HARD, 6)
    assert made.incident == scenario(made.id, 3).incident
    assert made.with_seed(3) == made
    result = run_episode(ChaosOpsEnvironment(), made, {})
    assert len(result.steps) <= 6 * len(TURN_ORDER)


def test_a_harder_difficulty_tightens_the_budgets() -> None:
    easy = hand_made(par=20, diagnosis_budget=10)
    levels = (Difficulty.TUTORIAL, Difficulty.EASY, Difficulty.MEDIUM, Difficulty.HARD)
    played = [dataclasses.replace(easy, difficulty=level) for level in levels]
    assert [each.par for each in played] == [25, 20, 18, 16]
    assert [each.diagnosis_budget for each in played] == [12, 10, 9, 8]


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


def _first_round(played: Scenario, day: int) -> tuple[ChaosOpsObservation, ...]:
    """What each role sees in its first turn, with the traffic and the chatter of that seed."""
    stepper = Stepper(ChaosOpsEnvironment(), dataclasses.replace(played, seed=day))
    return tuple(stepper.take(None).observation for _role in TURN_ORDER)


@every_incident
def test_twenty_seeds_give_twenty_openings_even_with_the_traffic_of_one(name: str) -> None:
    assert len({_first_round(scenario(name, seed), day=0) for seed in SEEDS}) == len(SEEDS)


@some_incidents
def test_a_day_has_its_own_traffic_and_chatter_whatever_the_incident(name: str) -> None:
    assert len({_first_round(scenario(name), day) for day in SEEDS}) == len(SEEDS)


@every_incident
def test_the_history_begins_before_the_trouble_and_the_page_is_at_minute_zero(name: str) -> None:
    for opening in _openings(name):
        view = opening.view
        assert view.status.minute == 0
        assert view.alerts[0].minute == 0
        assert view.history is not None
        assert max(signals.errors for signals in view.history[0]) < 0.02


@every_incident
def test_the_first_frame_has_a_history_of_thirty_minutes_with_the_onset_in_it(name: str) -> None:
    played = scenario(name)
    view = ChaosOpsEnvironment().reset(scenario=played).view
    assert view.history is not None
    assert len(view.history) == 30
    if played.failure_type is not FailureType.FALSE_ALARM:
        assert view.history[0] != view.history[-1]


def _without_the_steady_minutes(
    monkeypatch: pytest.MonkeyPatch, played: Scenario, seed: int
) -> tuple[EpisodeStep, ...]:
    with monkeypatch.context() as patch:
        never = property(lambda self: False, lambda self, value: None)
        patch.setattr(Physics, "is_steady", never, raising=False)
        return _random(played, seed)


def _random(played: Scenario, seed: int) -> tuple[EpisodeStep, ...]:
    policies = {role: random_policy(seed + k) for k, role in enumerate(TURN_ORDER)}
    return run_episode(ChaosOpsEnvironment(), played, policies).steps


def _figures(frame: EpisodeStep) -> list[float]:
    view = frame.observation.view
    rows = view.history[-1] if view.history else ()
    return [frame.reward, view.status.users_ok, *(signals.errors for signals in rows)]


@some_incidents
def test_a_minute_that_repeats_the_last_one_is_what_the_physics_would_have_made(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(2):
        played = scenario(name, seed)
        quick, slow = _random(played, seed), _without_the_steady_minutes(monkeypatch, played, seed)
        assert len(quick) == len(slow)
        for ours, theirs in zip(quick, slow, strict=True):
            assert ours.action == theirs.action
            assert ours.message == theirs.message
            assert _figures(ours) == pytest.approx(_figures(theirs), abs=0.004)


# Actions in flight, and what they do by themselves

_CALM = {**LOCKS, "starts": 200}


def _services(turns: int, moves: dict[int, Move], **more: Any) -> dict[str, ServiceSignals]:
    played = hand_made(faults=[{**_CALM, **more}], hold=15)
    view = view_of(play(played, moves, turns=turns), SRE)
    assert view.services is not None
    return {signals.service: signals for signals in view.services}


def test_an_action_is_in_flight_until_its_minute_and_then_has_landed() -> None:
    stepper = play(hand_made(hold=15), {0: move("failover", "db")}, turns=1)
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
    assert _services(0, moves)["queue"].replicas == 2
    most = next(s.max_replicas for s in hand_made().topology.services if s.name == "queue")
    stepper = play(hand_made(faults=[_CALM]), moves, turns=1)
    assert f"at most {most}" in stepper.steps[0].message
    assert _services(4, moves)["queue"].replicas == most


def test_a_restart_drops_memory_and_costs_a_minute_of_some_requests() -> None:
    effects = [{"service": "cart", "parameter": "memory_per_minute", "value": 1.0, "minutes": 20}]
    leak = {"starts": -20, "effects": effects}
    full = _services(4, {}, **leak)["cart"].memory
    fresh = _services(4, {0: move("restart", "cart")}, **leak)["cart"].memory
    assert full is not None
    assert fresh is not None
    assert full - fresh >= 18


def test_a_restart_of_a_cache_leaves_it_cold_and_its_database_loaded() -> None:
    before = _services(4, {})
    after = _services(4, {0: move("restart", "cache")})
    assert (after["cache"].hit or 0) < (before["cache"].hit or 0) - 5
    assert (after["db"].rps or 0) > 1.3 * (before["db"].rps or 0)


def test_a_failover_hurts_the_minute_it_lands() -> None:
    assert _services(4, {0: move("failover", "db")})["db"].errors < 0.05
    moves = {3: move("noop"), 0: move("failover", "db")}
    stepper = play(hand_made(faults=[_CALM]), moves, turns=5)
    assert stepper.observation.view.status.users_ok < 0.95


def test_shed_load_is_lost_load_until_it_is_given_back() -> None:
    moves = {0: move("shed_load", "edge", percent=50), 4: move("shed_load", "edge", percent=0)}
    stepper = play(hand_made(), moves, turns=4)
    view = view_of(stepper, SRE)
    assert view.status.users_ok < 0.51
    assert view.services is not None
    assert (view.services[0].rps or 0) < 450
    assert _services(8, moves)["edge"].rps == pytest.approx(800, rel=0.07)


def test_a_purge_frees_the_disk_down_to_what_it_held_at_first() -> None:
    effects = [{"service": "db", "parameter": "disk_per_minute", "value": 1.0, "minutes": 30}]
    full = {"starts": -20, "effects": effects}
    usual = next(s.disk for s in hand_made().topology.services if s.name == "db")
    assert usual is not None
    assert (_services(4, {}, **full)["db"].disk or 0) > usual + 15
    purged = _services(4, {0: move("purge", "db")}, **full)["db"].disk or 0
    assert purged <= usual + 4


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_an_ordinary_day_is_an_ordinary_day_on_any_seed(seed: int) -> None:
    played = hand_made(seed, faults=[_CALM])
    for frame in play(played, turns=16).steps:
        status = frame.observation.view.status
        assert status.users_ok >= 0.995
        assert status.budget >= 99
        assert [alert.text for alert in frame.observation.view.alerts] == [played.page]


def test_the_topologies_idle_on_an_ordinary_day() -> None:
    topologies: dict[str, Topology] = {s.topology.id: s.topology for s in built_in()}
    for topology in topologies.values():
        played = next(source for source in built_in() if source.topology == topology)
        calm = dataclasses.replace(
            Scenario.of(played),
            incident=Scenario.of(played).incident.model_copy(
                update={
                    "faults": tuple(
                        f.model_copy(update={"starts": 200})
                        for f in Scenario.of(played).incident.faults
                    ),
                    "stuck_alerts": (),
                    "traffic": 1.0,
                }
            ),
        )
        view = ChaosOpsEnvironment().reset(scenario=calm).view
        assert view.services is not None
        for signals in view.services:
            assert signals.health.value == "healthy", signals
            assert (signals.busy or 0) < 80
        assert len(view.alerts) == 1


def test_the_error_budget_is_spent_by_the_minutes_users_fail() -> None:
    dead = hand_made(
        faults=[{**LOCKS, "effects": [{**DB_ERRORS, "service": "edge", "value": 1.0}]}]
    )
    stepper = play(dead, turns=0)
    per_minute = 100 / dead.topology.error_budget_minutes
    budgets = []
    while stepper.observation.view.status.minute < 4:
        budgets.append(stepper.observation.view.status.budget)
        stepper.take(None)
    spent = [before - after for before, after in pairwise(budgets)]
    assert spent == pytest.approx([per_minute] * 3, abs=1)
