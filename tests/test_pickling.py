"""Everything public can be pickled and copied at any time, and goes on with equal frames."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import POLICY_NAMES, make_policy, random_policy
from chaosops.agents.runner import PolicyError, Stepper, run_episode
from chaosops.datasets.simulator_reward import make_simulator_reward
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FrozenMap,
)
from chaosops.errors import EpisodeOver
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.rewards.reward_fn import RewardCalculator, RewardWeights, TurnFacts
from chaosops.text import render_action
from tests.worlds import SRE, all_ids, hand_made, scenario

CHEAP = RewardWeights(mttr_penalty=-1.0)


def _there_and_back(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS: list[Callable[[Any], Any]] = [_there_and_back, copy.copy, copy.deepcopy]
ways = pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])


def _in_mid_game(name: str, turns: int, seed: int = 3) -> Stepper:
    stepper = Stepper(ChaosOpsEnvironment(CHEAP), scenario(name, seed))
    policy = random_policy(seed)
    while len(stepper.steps) < turns and not stepper.done:
        stepper.take(policy(stepper.observation, stepper.role))
    return stepper


def _rest(env: ChaosOpsEnvironment, seen: ChaosOpsObservation, turns: int = 12) -> list[Any]:
    """What comes of the next turns, and all that the environment tells of it."""
    policy = random_policy(99)
    told: list[Any] = []
    for _turn in range(turns):
        if seen.done:
            break
        seen = env.step(policy(seen, seen.turn_role))
        told += [seen, env.last_breakdown, env.state]
    return told


@pytest.mark.few(1)
@ways
def test_a_fresh_environment_can_be_copied(way: Callable[[Any], Any]) -> None:
    other = way(ChaosOpsEnvironment(CHEAP))
    with pytest.raises(EpisodeOver):
        _ = other.state
    played = hand_made()
    expected = run_episode(ChaosOpsEnvironment(CHEAP), played, {SRE: random_policy(1)})
    assert run_episode(other, played, {SRE: random_policy(1)}) == expected
    assert expected.steps[0].breakdown.mttr_penalty == -1.0


@pytest.mark.slow
@ways
@settings(max_examples=15, deadline=None)
@given(name=st.sampled_from(all_ids()), turns=st.integers(0, 30), seed=st.integers(0, 9))
def test_an_environment_goes_on_with_equal_frames_and_leaves_the_first_one_alone(
    way: Callable[[Any], Any], name: str, turns: int, seed: int
) -> None:
    stepper = _in_mid_game(name, turns, seed)
    env = stepper._env
    before = (env.state, env.last_breakdown)
    other = way(env)
    assert other is not env
    assert (other.state, other.last_breakdown) == before
    told = _rest(other, stepper.observation)
    assert (env.state, env.last_breakdown) == before
    assert _rest(env, stepper.observation) == told


@pytest.mark.few(1)
@pytest.mark.parametrize("turns", [0, 9])
def test_a_fork_goes_its_own_way(turns: int) -> None:
    stepper = _in_mid_game("paying-ends-in-an-error", turns)
    env = stepper._env
    fork = env.fork()
    assert fork.state == env.state
    fork.step(ChaosOpsAction(SRE, "restart", "cart"))
    assert env.state.step_count == turns
    fork.reset(scenario=scenario("sign-in-form-rejects-some", 1))
    twin = _in_mid_game("paying-ends-in-an-error", turns)
    assert _rest(env, stepper.observation) == _rest(twin._env, twin.observation)


@pytest.mark.few(1)
@ways
def test_a_stepper_goes_on_in_mid_game(way: Callable[[Any], Any]) -> None:
    stepper = _in_mid_game("checkout-times-out", 10)
    other = way(stepper)
    policy = random_policy(5)
    while not other.done:
        other.take(policy(other.observation, other.role))
    assert len(stepper.steps) == 10
    while not stepper.done:
        stepper.take(policy(stepper.observation, stepper.role))
    assert other.result() == stepper.result()


@pytest.mark.few(1)
@ways
@pytest.mark.parametrize("name", POLICY_NAMES)
def test_a_policy_goes_on_as_it_would_have(name: str, way: Callable[[Any], Any]) -> None:
    played = scenario("errors-across-teams", 2)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    policy = make_policy(name, played, 4)
    for _turn in range(8):
        stepper.take(policy(stepper.observation, stepper.role))
    other = way(policy)
    while not stepper.done:
        action = policy(stepper.observation, stepper.role)
        assert other(stepper.observation, stepper.role) == action
        stepper.take(action)


def _oops(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    if observation.step == 6:
        raise KeyError("oops")
    return ChaosOpsAction(role, "noop")


@pytest.mark.few(1)
@ways
def test_values_and_errors_are_the_same_afterwards(way: Callable[[Any], Any]) -> None:
    played = scenario("paying-ends-in-an-error", 3)
    result = run_episode(ChaosOpsEnvironment(), played, {SRE: random_policy(1)})
    values = [played, played.source, result, result.steps[4], result.steps[4].observation]
    values += [result.steps[4].action, result.steps[4].breakdown, CHEAP, FrozenMap({"a": [1]})]
    for value in values:
        assert way(value) == value
        assert type(way(value)) is type(value)
    with pytest.raises(PolicyError) as caught:
        run_episode(ChaosOpsEnvironment(), played, {SRE: _oops, TURN_ORDER[2]: _oops})
    error = way(caught.value)
    assert str(error) == str(caught.value)
    assert error.result == caught.value.result
    assert error.play_on() == caught.value.play_on()
    facts = TurnFacts(failed=0.5, terminal=True)
    assert way(RewardCalculator(CHEAP)).of(facts) == RewardCalculator(CHEAP).of(facts)
    assert isinstance(way(ScenarioBook((Path("x"),))), ScenarioBook)


def _columns(answers: int) -> dict[str, list[Any]]:
    played = scenario("paying-ends-in-an-error", 3)
    row = {
        "scenario": played.id,
        "scenario_sha256": played.content_hash,
        "difficulty": played.difficulty.value,
        "seed": 3,
        "max_turns": played.max_steps * len(TURN_ORDER),
        "replay": "[]",
    }
    return {name: [value] * answers for name, value in row.items()}


@pytest.mark.few(1)
@ways
def test_a_simulator_reward_pays_the_same(way: Callable[[Any], Any]) -> None:
    reward = make_simulator_reward(play_on=False)
    answers = [render_action(ChaosOpsAction(SRE, "noop")), "nothing"]
    paid = reward(answers, **_columns(2))
    assert way(reward)(answers, **_columns(2)) == paid
    assert reward.__name__ == way(reward).__name__ == "simulator_reward"


def _play_elsewhere(work: tuple[Any, ...]) -> tuple[Any, ...]:
    env, fresh, stepper, seen, reward, policy = work
    told = _rest(env, seen)
    result = run_episode(fresh, stepper.scenario, {SRE: policy})
    while not stepper.done:
        stepper.take(policy(stepper.observation, stepper.role))
    paid = reward([render_action(ChaosOpsAction(SRE, "noop"))], **_columns(1))
    return told, result, stepper.result(), paid


@pytest.mark.slow
def test_a_spawned_process_goes_on_with_equal_frames() -> None:
    def work() -> tuple[Any, ...]:
        stepper = _in_mid_game("paying-ends-in-an-error", 7)
        env = _in_mid_game("paying-ends-in-an-error", 7)._env
        reward = make_simulator_reward(play_on=False)
        fresh, policy = ChaosOpsEnvironment(), random_policy(8)
        return env, fresh, stepper, stepper.observation, reward, policy

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(_play_elsewhere, (work(),))
    assert there == _play_elsewhere(work())
