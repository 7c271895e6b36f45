"""Policies that say something with an action."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import make_policy
from chaosops.agents.runner import run_episode
from chaosops.agents.saying import looked_for, with_finding
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import SAY, TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from tests.env.situations import scenario

SRE, DEV = AgentRole.SRE, AgentRole.DEV
RESTART = ChaosOpsAction(SRE, ActionType.RESTART, "cart")
LOOK = ChaosOpsAction(SRE, ActionType.INVESTIGATE, "cart", {"source": "logs"})


def test_a_finding_is_shared_with_an_action_that_can_carry_it() -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario("checkout-times-out", "row_lock"))
    view = env.view_of(SRE)
    assert with_finding(RESTART, view, 2).args[SAY] == {"to": "all", "finding": 2}
    assert with_finding(RESTART, view, None) == RESTART
    told = ChaosOpsAction(SRE, ActionType.COMMUNICATE, None, {"text": "hi"})
    assert with_finding(told, view, 0) == told
    assert looked_for(LOOK, view).args[SAY] == {"to": "all", "finding": 0}
    assert looked_for(RESTART, view) == RESTART
    assert with_finding(looked_for(LOOK, view), view, 3) == looked_for(LOOK, view)


@pytest.mark.parametrize("name", ["expert", "steady"])
def test_who_is_asked_for_a_look_takes_and_shares_it_in_one_turn(name: str) -> None:
    made = scenario("checkout-times-out", "row_lock")
    env = ChaosOpsEnvironment()
    env.reset(made)
    asked = {"action_type": "investigate", "target": "cart", "args": {"source": "logs"}}
    env.step(ChaosOpsAction(SRE, ActionType.NOOP, None, {SAY: {"to": "dev", "proposal": asked}}))
    seen = env.step(ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.NOOP))
    action = make_policy(name, made, 0)(seen, DEV)
    assert (action.action_type, action.target) == (ActionType.INVESTIGATE, "cart")
    env.step(action)
    (said,) = env.view_of(SRE).channel
    assert said.finding is not None
    assert (said.finding.role, said.finding.target) == (DEV, "cart")


def test_experts_share_what_settles_the_cause_with_what_they_do_next() -> None:
    made = scenario("search-p99-high", "memory_leak")
    policies = {role: make_policy("expert", made, 1) for role in TURN_ORDER}
    result = run_episode(ChaosOpsEnvironment(), made, policies)
    assert result.resolved
    said = [step for step in result.steps if SAY in step.action.args]
    assert said
    assert all(step.breakdown.miscommunication_penalty == 0.0 for step in result.steps)
