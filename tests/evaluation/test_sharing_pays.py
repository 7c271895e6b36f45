"""Who finds the cause is rarely who can end it, so that a team that talks does better."""

from __future__ import annotations

from statistics import fmean

import pytest

from chaosops.agents.policies import Policy, expert_policy
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.env.world_sim import Scenario
from chaosops.play.wording import without_line
from tests.worlds import situations

SITUATIONS = tuple(Scenario.of(source, 0) for source in situations())


class _Mute:
    """A policy that keeps to itself what it finds, and asks nobody for anything."""

    def __init__(self, behind: Policy) -> None:
        self._behind = behind

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        action = without_line(self._behind(observation, role))
        is_talk = action.action_type in (ActionType.COMMUNICATE, ActionType.ASSIGN)
        return ChaosOpsAction(role, ActionType.NOOP) if is_talk else action


def _played(scenario: Scenario, seats: dict[AgentRole, Policy]) -> EpisodeResult:
    return run_episode(ChaosOpsEnvironment(), scenario, seats)


@pytest.mark.slow
@pytest.mark.parametrize("role", list(TURN_ORDER))
def test_one_role_alone_seldom_names_the_cause_and_ends_it(role: AgentRole) -> None:
    settled = []
    for scenario in SITUATIONS:
        result = _played(scenario, {role: expert_policy(scenario.seed)})
        right = result.declared_root_cause == scenario.failure_type
        settled.append(result.resolved and right)
    assert fmean(settled) <= 1 / 3


@pytest.mark.slow
def test_a_team_that_shares_beats_the_same_team_in_silence() -> None:
    gained = []
    for scenario in SITUATIONS:
        expert = expert_policy(scenario.seed)
        team = _played(scenario, dict.fromkeys(TURN_ORDER, expert))
        mute = _played(scenario, dict.fromkeys(TURN_ORDER, _Mute(expert)))
        gained.append(team.cumulative_reward - mute.cumulative_reward)
    assert fmean(gained) >= 15.0
    assert sum(gain > 0.0 for gain in gained) >= len(gained) / 3
