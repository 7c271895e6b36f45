"""The timeline of the debrief."""

from __future__ import annotations

from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.play.debrief import timeline


def test_the_answer_to_a_request_says_whose_it_was_and_for_what() -> None:
    scenario = Scenario.load("checkout-times-out", seed=3)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    while stepper.role is not AgentRole.OVERSIGHT or not stepper.observation.view.agent_requests:
        stepper.take(ChaosOpsAction(stepper.role, ActionType.NOOP))
    (asked,) = stepper.observation.view.agent_requests
    deny = ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.DENY, None, {"request": asked.number})
    stepper.take(deny)
    told = timeline(scenario, stepper.steps, stepper.observation, frozenset())
    (answer,) = (entry.text for entry in told if entry.text.startswith("deny"))
    assert answer == f"deny {asked.number} ({asked.agent}: {asked.command} at {asked.target})"
