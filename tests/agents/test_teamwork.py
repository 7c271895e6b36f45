"""Scripted teammates listen: they act on good proposals, and refuse the others with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chaosops.agents.policies import (
    Policy,
    expert_policy,
    heuristic_policy,
    steady_policy,
)
from chaosops.agents.runner import EpisodeStep, Stepper, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from tests.worlds import (
    DEV,
    MANAGER,
    OVERSIGHT,
    SRE,
    hand_made,
    move,
    play,
    scenario,
    some_ids,
)

LISTENING = pytest.mark.parametrize("scripted", [expert_policy, steady_policy, heuristic_policy])


def _asked(
    played: Scenario,
    sender: AgentRole,
    receiver: AgentRole,
    proposal: dict[str, Any],
    scripted: Callable[[int], Policy] = steady_policy,
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
        and proposal.get("args", {}).items() <= action.args.items()
    )


def _is_refused(frame: EpisodeStep, sender: AgentRole) -> bool:
    """Whether it is declined in private, with a reason for it."""
    action = frame.action
    return (
        action.action_type is ActionType.COMMUNICATE
        and action.args["to"] == sender.value
        and action.args["reply"]["kind"] == "declines"
        and len(action.args["text"].split(": ", 1)[1]) > 5
    )


LOOKS: tuple[tuple[AgentRole, dict[str, Any]], ...] = (
    (DEV, {"action_type": "investigate", "target": "cart", "args": {"source": "logs"}}),
    (
        OVERSIGHT,
        {"action_type": "investigate", "target": "compactor", "args": {"source": "automation"}},
    ),
)


@pytest.mark.few(3)
@LISTENING
@pytest.mark.parametrize("sender", [SRE, MANAGER])
@pytest.mark.parametrize(("receiver", "proposal"), LOOKS)
def test_an_investigation_is_taken_for_whoever_asks_for_it(
    sender: AgentRole,
    receiver: AgentRole,
    proposal: dict[str, Any],
    scripted: Callable[[int], Policy],
) -> None:
    first, _second = _asked(hand_made(), sender, receiver, proposal, scripted)
    assert _is_done(first, proposal)


@pytest.mark.few(1)
@pytest.mark.parametrize("scripted", [steady_policy, heuristic_policy])
@pytest.mark.parametrize(("receiver", "proposal"), LOOKS)
def test_an_investigation_that_was_asked_for_is_taken_once(
    receiver: AgentRole, proposal: dict[str, Any], scripted: Callable[[int], Policy]
) -> None:
    _first, second = _asked(hand_made(), SRE, receiver, proposal, scripted)
    assert not _is_done(second, proposal)


HARMFUL: tuple[tuple[AgentRole, AgentRole, dict[str, Any]], ...] = (
    (SRE, OVERSIGHT, {"action_type": "flag", "target": "compactor"}),
    (SRE, OVERSIGHT, {"action_type": "pause", "target": "compactor"}),
    (DEV, MANAGER, {"action_type": "resolve"}),
    (DEV, SRE, {"action_type": "failover", "target": "queue"}),
    (SRE, DEV, {"action_type": "diagnose", "args": {"cause": "memory_leak"}}),
)
HARM = pytest.mark.parametrize(("sender", "receiver", "proposal"), HARMFUL)


@pytest.mark.few(1)
@HARM
def test_a_steady_teammate_refuses_with_a_reason_what_no_evidence_speaks_for(
    sender: AgentRole, receiver: AgentRole, proposal: dict[str, Any]
) -> None:
    first, second = _asked(hand_made(), sender, receiver, proposal)
    assert _is_refused(first, sender), first.action
    assert not _is_refused(second, sender), second.action
    assert not _is_done(second, proposal)


@pytest.mark.few(1)
@HARM
def test_an_expert_goes_on_with_its_own_work_where_no_evidence_speaks_for_a_proposal(
    sender: AgentRole, receiver: AgentRole, proposal: dict[str, Any]
) -> None:
    for frame in _asked(hand_made(), sender, receiver, proposal, expert_policy):
        assert not _is_done(frame, proposal)


@pytest.mark.few(1)
@HARM
def test_a_hurried_teammate_does_each_fix_and_pause_that_is_proposed_and_nothing_else(
    sender: AgentRole, receiver: AgentRole, proposal: dict[str, Any]
) -> None:
    first, _second = _asked(hand_made(), sender, receiver, proposal, heuristic_policy)
    does = proposal["action_type"] in {"pause", "failover"}
    assert _is_done(first, proposal) is does
    assert _is_refused(first, sender) is not does


def test_a_hurried_teammate_says_so_where_it_cannot_do_what_is_proposed() -> None:
    flag = {"action_type": "flag", "target": "compactor"}
    moves = {1: move("flag", "compactor"), 2: move("communicate", to="oversight", proposal=flag)}
    stepper = play(hand_made(), moves, turns=5)
    answer = stepper.take(heuristic_policy(0)(stepper.observation, OVERSIGHT))
    assert _is_refused(answer, DEV), answer.action
    assert answer.breakdown.miscommunication_penalty == 0.0


_PROPOSALS: tuple[tuple[AgentRole, dict[str, Any]], ...] = (
    (SRE, {"action_type": "restart", "target": "db"}),
    (SRE, {"action_type": "scale", "target": "cart", "args": {"replicas": 5}}),
    (SRE, {"action_type": "diagnose", "args": {"cause": "cascade"}}),
    (DEV, {"action_type": "rollback", "target": "auth"}),
    (OVERSIGHT, {"action_type": "flag", "target": "autoscaler"}),
    (MANAGER, {"action_type": "escalate", "target": "db"}),
    (MANAGER, {"action_type": "resolve"}),
)


@pytest.mark.few(1)
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


@pytest.mark.slow
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
