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
    Difficulty,
)
from chaosops.env.world_sim import Scenario
from tests.worlds import built_in

ABOVE_THE_TUTORIAL = tuple(
    Scenario.of(source, seed)
    for source in built_in()
    for seed in (0, 1)
    if source.drawing is None and source.render(0).level is not Difficulty.TUTORIAL
)


ENDED_FROM_ONE_SEAT = frozenset(
    {
        "checkout-times-out",
        "dashboards-fall-behind",
        "site-turns-users-away",
        "errors-across-teams",
        "sign-in-form-rejects-some",
        "calls-not-getting-through",
        "orders-fail-at-the-last-step",
        "site-errors-above-limit",
        "slow-then-errors",
    }
)
"""The nine of 26 incidents in which who finds the cause can also end it."""


class _Mute:
    """A policy that keeps to itself what it finds, and asks nobody for anything."""

    def __init__(self, behind: Policy) -> None:
        self._behind = behind

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        action = self._behind(observation, role)
        is_talk = action.action_type in (ActionType.COMMUNICATE, ActionType.ASSIGN)
        return ChaosOpsAction(role, ActionType.NOOP) if is_talk else action


def _played(scenario: Scenario, seats: dict[AgentRole, Policy]) -> EpisodeResult:
    return run_episode(ChaosOpsEnvironment(), scenario, seats)


@pytest.mark.parametrize("role", list(TURN_ORDER))
def test_one_role_alone_rarely_names_the_cause_and_ends_it(role: AgentRole) -> None:
    settled = []
    for scenario in ABOVE_THE_TUTORIAL:
        result = _played(scenario, {role: expert_policy(scenario.seed)})
        right = result.declared_root_cause is scenario.failure_type
        settled.append(result.resolved and right)
    assert fmean(settled) <= 0.2


def test_a_team_that_shares_beats_the_same_team_in_silence_on_most_incidents() -> None:
    as_good = set()
    for scenario in ABOVE_THE_TUTORIAL:
        expert = expert_policy(scenario.seed)
        team = _played(scenario, dict.fromkeys(TURN_ORDER, expert))
        mute = _played(scenario, dict.fromkeys(TURN_ORDER, _Mute(expert)))
        if team.cumulative_reward <= mute.cumulative_reward:
            as_good.add(scenario.id)
        assert team.cumulative_reward >= mute.cumulative_reward, scenario.label
    assert as_good <= ENDED_FROM_ONE_SEAT
