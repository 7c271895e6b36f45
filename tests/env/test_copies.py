"""A world that was copied: the same from there on, and nobody else's."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import expert_policy, random_policy
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario, World
from tests.worlds import ids, scenario


def _played(env: ChaosOpsEnvironment, played: Scenario, seed: int) -> EpisodeResult:
    policy = expert_policy(seed) if seed % 2 else random_policy(seed)
    return run_episode(env, played, dict.fromkeys(TURN_ORDER, policy))


@pytest.mark.parametrize("name", ids()[::5])
def test_a_scenario_played_again_and_again_plays_as_in_a_fresh_environment(name: str) -> None:
    used = ChaosOpsEnvironment()
    for seed in range(5):
        again = _played(used, scenario(name), seed)
        assert again == _played(ChaosOpsEnvironment(), scenario(name), seed)


@pytest.mark.parametrize("name", ids()[::5])
def test_minutes_of_a_copy_are_those_of_the_world_and_do_not_touch_it(name: str) -> None:
    world, untouched = World(scenario(name)), World(scenario(name))
    twin = world.copy()
    for _ in range(12):
        twin.advance()
    assert world.minute == untouched.minute
    for _ in range(12):
        world.advance()
        untouched.advance()
    for other in (twin, untouched):
        assert tuple(other.history) == tuple(world.history)
        assert other.alerting.firing == world.alerting.firing
        assert other.logbook.tail(apps_only=False) == world.logbook.tail(apps_only=False)
        assert other.board.live == world.board.live
        assert vars(other.physics) == vars(world.physics) | {"plan": other.plan}
