"""Scripted teammates listen: they act on good proposals, and refuse the others with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chaosops.agents.policies import Policy, expert_policy, heuristic_policy
from chaosops.agents.runner import EpisodeStep, Stepper, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from tests.worlds import (
    DEPLOY_BOT,
    DEV,
    INNOCENT,
    MANAGER,
    OVERSIGHT,
    SRE,
    hand_made,
    scenario,
    some_ids,
)

SCRIPTED = pytest.mark.parametrize("scripted", [expert_policy, heuristic_policy])


def _asked(
    played: Scenario,
    sender: AgentRole,
    receiver: AgentRole,
    proposal: dict[str, Any],
    scripted: Callable[[int], Policy] = expert_policy,
) -> tuple[EpisodeStep, EpisodeStep]:
    """What a scripted receiver does with its next two turns after it was asked."""
    stepper = Stepper(ChaosOpsEnvironment(), played)
    policy = scripted(3)
    said = False
    answers: list[EpisodeStep] = []
    while len(answers) < 2:
        role = stepper.role
        action = ChaosOpsAction(role, ActionType.NOOP)
        if role is sender and not said:
            said = True
            if sender is MANAGER:
                action = ChaosOpsAction(role, "assign", receiver.value, {"proposal": proposal})
            else:
                args = {"to": receiver.value, "text": "please", "proposal": proposal}
                action = ChaosOpsAction(role, "communicate", None, args)
        elif role is receiver and said:
            action = policy(stepper.observation, role)
        frame = stepper.take(action)
        if (
            role is sender
            and said
            and not answers
            and frame.action.action_type is not (ActionType.NOOP)
        ):
            assert frame.breakdown.miscommunication_penalty == 0.0, frame.message
        if role is receiver and said:
            answers.append(frame)
    return answers[0], answers[1]


def _is_done(frame: EpisodeStep, proposal: dict[str, Any]) -> bool:
    action = frame.action
    return (
        action.action_type is ActionType(proposal["action_type"])
        and action.target == proposal.get("target")
        and action.args == proposal.get("args", {})
    )


def _is_refused(frame: EpisodeStep, sender: AgentRole) -> bool:
    action = frame.action
    return (
        action.action_type is ActionType.COMMUNICATE
        and action.args["to"] == sender.value
        and ": " in action.args["text"]
        and len(action.args["text"].split(": ", 1)[1]) > 5
    )


@SCRIPTED
@pytest.mark.parametrize("sender", [SRE, MANAGER])
@pytest.mark.parametrize(
    ("receiver", "proposal"),
    [
        (DEV, {"action_type": "investigate", "target": "cart", "args": {"source": "logs"}}),
        (
            OVERSIGHT,
            {
                "action_type": "investigate",
                "target": "compactor",
                "args": {"source": "automation"},
            },
        ),
        (OVERSIGHT, {"action_type": "pause", "target": "deploy_bot"}),
    ],
)
def test_what_does_no_harm_is_done(
    sender: AgentRole,
    receiver: AgentRole,
    proposal: dict[str, Any],
    scripted: Callable[[int], Policy],
) -> None:
    played = hand_made(automation=[INNOCENT, DEPLOY_BOT])
    first, second = _asked(played, sender, receiver, proposal, scripted)
    assert _is_done(first, proposal)
    assert not _is_done(second, proposal)


@SCRIPTED
@pytest.mark.parametrize(
    ("sender", "receiver", "proposal"),
    [
        (SRE, OVERSIGHT, {"action_type": "flag", "target": "compactor"}),
        (DEV, MANAGER, {"action_type": "resolve"}),
        (DEV, SRE, {"action_type": "failover", "target": "queue"}),
        (SRE, DEV, {"action_type": "diagnose", "args": {"cause": "memory_leak"}}),
    ],
)
def test_what_would_do_harm_is_refused_with_a_reason(
    sender: AgentRole,
    receiver: AgentRole,
    proposal: dict[str, Any],
    scripted: Callable[[int], Policy],
) -> None:
    first, second = _asked(hand_made(), sender, receiver, proposal, scripted)
    assert _is_refused(first, sender), first.action
    assert not _is_done(second, proposal)


_PROPOSALS: tuple[tuple[AgentRole, dict[str, Any]], ...] = (
    (SRE, {"action_type": "restart", "target": "db"}),
    (SRE, {"action_type": "scale", "target": "cart", "args": {"replicas": 5}}),
    (SRE, {"action_type": "diagnose", "args": {"cause": "cascade"}}),
    (DEV, {"action_type": "rollback", "target": "auth"}),
    (OVERSIGHT, {"action_type": "flag", "target": "compactor"}),
    (MANAGER, {"action_type": "escalate", "target": "db"}),
    (MANAGER, {"action_type": "resolve"}),
)


@pytest.mark.parametrize("name", [n for n in some_ids() if scenario(n).topology_id == "storefront"])
@pytest.mark.parametrize(("receiver", "proposal"), _PROPOSALS)
def test_every_proposal_is_acted_on_or_answered_in_words(
    name: str, receiver: AgentRole, proposal: dict[str, Any]
) -> None:
    agents = {agent.name for agent in scenario(name).incident.automation}
    if proposal["action_type"] == "flag":
        proposal = {**proposal, "target": sorted(agents)[0]}
    sender = DEV if receiver is not DEV else SRE
    first, _second = _asked(scenario(name), sender, receiver, proposal)
    assert _is_done(first, proposal) or _is_refused(first, sender), first.action
    assert first.breakdown.miscommunication_penalty == 0.0


def test_an_answer_is_given_once() -> None:
    proposal = {"action_type": "flag", "target": "compactor"}
    first, second = _asked(hand_made(), SRE, OVERSIGHT, proposal)
    assert _is_refused(first, SRE)
    assert not _is_refused(second, SRE)


def test_each_of_two_proposals_has_an_answer_of_its_own() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), scenario("errors-across-teams", 3))
    dev = expert_policy(0)
    asked = {0: "payments", 4: "search"}
    said: list[str] = []
    while not stepper.done:
        action = ChaosOpsAction(stepper.role, ActionType.NOOP)
        target = asked.get(len(stepper.steps))
        if target is not None:
            proposal = {"action_type": "rollback", "target": target}
            action = ChaosOpsAction(
                stepper.role, "communicate", None, {"to": "dev", "proposal": proposal}
            )
        elif stepper.role is DEV:
            action = dev(stepper.observation, DEV)
            said.append(f"{action.action_type} {action.target} {action.args.get('text', '')}")
        stepper.take(action)
    for target in asked.values():
        done, declined = f"rollback {target} ", f"I would rather not rollback {target}: "
        assert any(text.startswith(done) or declined in text for text in said), target


def test_experts_propose_what_others_can_do() -> None:
    proposed = []
    for name in some_ids():
        for seed in range(3):
            played = scenario(name, seed)
            seats = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), played)
            for frame in run_episode(ChaosOpsEnvironment(), played, seats).steps:
                if frame.action.args.get("proposal") is not None:
                    proposed.append(frame)
    assert proposed
    assert all(frame.breakdown.miscommunication_penalty == 0.0 for frame in proposed)
