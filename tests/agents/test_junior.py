"""The junior teammate: slow, sometimes wrong, and sure of it."""

from __future__ import annotations

import pytest

from chaosops.agents.junior import Junior
from chaosops.agents.runner import EpisodeStep, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole
from chaosops.env.world_sim import Scenario
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE


def play(name: str, seed: int, policy: Junior, role: AgentRole) -> tuple[EpisodeStep, ...]:
    """A game of experts with a junior in one seat."""
    scenario = Scenario.load(name, seed)
    team = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), scenario)
    return run_episode(ChaosOpsEnvironment(), scenario, {**team, role: policy}).steps


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["checkout-times-out", "paying-ends-in-an-error"])
@pytest.mark.parametrize("role", [SRE, OVERSIGHT, DEV, MANAGER])
def test_it_acts_in_every_second_round_at_most(name: str, role: AgentRole) -> None:
    steps = play(name, 0, Junior(1), role)
    acted = {
        step.turn // len(TURN_ORDER)
        for step in steps
        if step.role is role and step.action.action_type is not ActionType.NOOP
    }
    assert all(number % 2 == 1 for number in acted)


def test_it_is_mistaken_in_one_game_of_three_and_its_seed_decides() -> None:
    mistaken = [Junior(seed).is_mistaken for seed in range(300)]
    assert 70 <= sum(mistaken) <= 130
    assert mistaken == [Junior(seed).is_mistaken for seed in range(300)]


def _diagnoses(*, mistaken: bool) -> list[tuple[str, str, str]]:
    """What juniors as SRE name in some games, with their stakes and the truth."""
    made = []
    for name in ("checkout-times-out", "requests-fail-here-and-there", "search-p99-high"):
        for seed in range(4):
            policy = next(p for p in map(Junior, range(99)) if p.is_mistaken is mistaken)
            truth = Scenario.load(name, seed).failure_type.value
            made += [
                (step.action.args["cause"], step.action.args["stake"], truth)
                for step in play(name, seed, policy, SRE)
                if step.role is SRE and step.action.action_type is ActionType.DIAGNOSE
            ]
    return made


@pytest.mark.slow
def test_it_is_certain_of_what_it_names_right_or_wrong() -> None:
    right, wrong = _diagnoses(mistaken=False), _diagnoses(mistaken=True)
    assert {stake for _cause, stake, _truth in right + wrong} == {"certain"}
    assert sum(cause == truth for cause, _stake, truth in right) > len(right) / 2
    assert len(wrong) > 3
    assert sum(cause == truth for cause, _stake, truth in wrong) < len(wrong) / 3


@pytest.mark.slow
def test_a_mistaken_one_pauses_whoever_kept_to_its_policy() -> None:
    mistaken, right = (
        next(p for p in map(Junior, range(99)) if p.is_mistaken is each) for each in (True, False)
    )
    paused = {
        each.is_mistaken: {
            step.action.target
            for seed in range(3)
            for step in play("checkout-times-out", seed, each, OVERSIGHT)
            if step.action.action_type is ActionType.PAUSE
        }
        for each in (mistaken, right)
    }
    assert paused[True]
    assert not paused[False]
