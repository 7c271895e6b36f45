"""Lines that differ from a policy's in some turns, and what each of them earns."""

from __future__ import annotations

import random

import pytest

from chaosops.agents.best_line import LineScorer
from chaosops.agents.oracle import EndingLine
from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import run_episode
from chaosops.agents.uniform import Uniform
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from tests.worlds import scenario

PLAYED = scenario("checkout-times-out", 3)


def test_a_line_without_changes_earns_what_the_policy_earns() -> None:
    policy = EndingLine(PLAYED)
    result = run_episode(ChaosOpsEnvironment(), PLAYED, dict.fromkeys(TURN_ORDER, policy))
    found = LineScorer(PLAYED, policy)({})
    assert found == (result.cumulative_reward, result.final_step)


@pytest.mark.slow
def test_a_line_earns_the_same_whatever_was_played_before_it() -> None:
    steps = run_episode(
        ChaosOpsEnvironment(), PLAYED, dict.fromkeys(TURN_ORDER, Uniform(1)), max_turns=8
    ).steps
    drawn = random.Random(1)
    score = LineScorer(PLAYED, pass_turn)
    for _line in range(12):
        line = {step.turn: step.action for step in drawn.sample(steps, drawn.randrange(4))}
        assert score(line) == LineScorer(PLAYED, pass_turn)(line)
