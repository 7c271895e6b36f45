"""Lines that differ from a policy's in some turns, and what each of them earns."""

from __future__ import annotations

import random

import pytest

from chaosops.agents.best_line import LineScorer
from chaosops.agents.oracle import EndingLine
from chaosops.agents.policies import oracle_policy, pass_turn
from chaosops.agents.runner import run_episode
from chaosops.agents.uniform import Uniform
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, ChaosOpsAction
from chaosops.env.world_sim import Scenario
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


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "seed"), [("dashboards-time-out", 3), ("profile-changes-lost", 1)]
)
def test_no_failover_would_earn_more_a_few_rounds_later(name: str, seed: int) -> None:
    """Requests fail while it moves, so that the best minute for it may not be the first."""
    played = Scenario.load(name, seed)
    (step,) = [one for one in played.incident.solution if one.action is ActionType.FAILOVER]
    score = LineScorer(played, oracle_policy(played))
    best = score({}).reward
    first = TURN_ORDER.index(step.role)
    for rounds in (1, 2, 3):
        waits = [first + number * len(TURN_ORDER) for number in range(rounds)]
        late = {turn: ChaosOpsAction(step.role, ActionType.NOOP) for turn in waits}
        assert score(late).reward <= best
