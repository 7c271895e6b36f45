"""Forks of an environment in mid-episode, in the world that moves."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import random_policy
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.rendering import ScenarioSource
from tests.sampling import sampled_sources
from tests.worlds import situations


def _played(scenario: Scenario, turns: int, seed: int) -> tuple[ChaosOpsEnvironment, Stepper]:
    env = ChaosOpsEnvironment()
    stepper, policy = Stepper(env, scenario), random_policy(seed)
    while stepper.observation.step < turns and not stepper.done:
        stepper.take(policy(stepper.observation, stepper.role))
    return env, stepper


def _rest(
    env: ChaosOpsEnvironment, seen: ChaosOpsObservation, seed: int
) -> list[ChaosOpsObservation]:
    """What random policies see from here to the end."""
    policy, found = random_policy(seed), []
    while not seen.done:
        seen = env.step(policy(seen, seen.turn_role))
        found.append(seen)
    return found


@pytest.mark.slow
@settings(max_examples=12)
@given(
    name=st.sampled_from([source.id for source in situations()]),
    seed=st.integers(0, 200),
    turns=st.integers(0, 24),
)
def test_a_fork_goes_on_with_equal_frames_and_leaves_its_original_alone(
    name: str, seed: int, turns: int
) -> None:
    env, stepper = _played(Scenario.load(name, seed), turns, seed)
    if stepper.done:
        return
    forks = [env.fork(), env.fork()]
    other_way = _rest(forks[0], stepper.observation, seed + 1)
    assert other_way
    expected = _rest(forks[1], stepper.observation, seed + 2)
    assert _rest(env, stepper.observation, seed + 2) == expected
    assert env.state == forks[1].state
    assert env.last_breakdown == forks[1].last_breakdown


def test_a_fork_of_a_fork_stands_where_the_first_did() -> None:
    env, stepper = _played(Scenario.load("search-p99-high", 3), 6, 1)
    again = env.fork().fork()
    assert [again.view_of(role) for role in env.turn_order] == [
        env.view_of(role) for role in env.turn_order
    ]
    assert _rest(again, stepper.observation, 4) == _rest(env, stepper.observation, 4)


@pytest.mark.few(1)
@pytest.mark.parametrize("source", sampled_sources(situations()))
def test_a_fork_of_twelve_services_is_cheap(source: ScenarioSource) -> None:
    """0.2 ms on an idle machine; beside other tests it takes up to half as long again."""
    env, _stepper = _played(Scenario.of(source, 5), 12, 5)
    best = 1.0
    for _round in range(5):
        begun = time.process_time()
        for _fork in range(50):
            env.fork()
        best = min(best, (time.process_time() - begun) / 50)
    assert best < 0.000_4
