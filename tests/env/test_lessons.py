"""The tutorial teaches: its causes are fixed, it gets worse slowly, and thought resolves it."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import expert_policy, make_policy
from chaosops.agents.runner import run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.scenario import Scenario
from tests.env.situations import left_alone, lessons
from tests.sampling import sampled_sources

ONE_EACH = pytest.mark.parametrize("source", sampled_sources(lessons()))


def test_the_tutorial_has_seven_incidents_that_build_on_each_other() -> None:
    assert [source.id.split("-")[2] for source in lessons()] == [str(k) for k in range(1, 8)]


@ONE_EACH
def test_every_seed_has_the_same_cause_at_the_same_place(source: ScenarioSource) -> None:
    draws = [Scenario.of(source, seed).incident.drawn for seed in range(20)]
    made = {(draw.cause.id, draw.place, draw.caller) for draw in draws}
    assert len(made) == 1


@ONE_EACH
def test_left_alone_it_gets_worse_slowly(source: ScenarioSource) -> None:
    seen = left_alone(Scenario.of(source, 3))
    failed = [1.0 - one.view.status.users_ok for one in seen]
    assert 0.02 <= failed[0] <= 0.06
    assert failed[-1] > 1.1 * failed[0]
    assert seen[-1].step >= 24


@pytest.mark.few(1)
@ONE_EACH
def test_the_expert_resolves_it_whatever_the_seed(source: ScenarioSource) -> None:
    env = ChaosOpsEnvironment()
    for seed in range(8):
        played = run_episode(
            env, Scenario.of(source, seed), {role: expert_policy(seed) for role in TURN_ORDER}
        )
        assert (played.resolved, played.wrong_fixes) == (True, 0), seed


@pytest.mark.slow
@ONE_EACH
def test_nobody_who_only_repeats_a_move_or_guesses_does_as_well(source: ScenarioSource) -> None:
    env, made = ChaosOpsEnvironment(), Scenario.of(source, 3)
    best = run_episode(env, made, {role: expert_policy(3) for role in TURN_ORDER})
    for name in ("random", "hurried"):
        roster = {role: make_policy(name, made, 3) for role in TURN_ORDER}
        assert run_episode(env, made, roster).cumulative_reward < best.cumulative_reward
