"""Passing until something happens."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.agents.policies import heuristic_policy
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    EMPTY,
    TURN_ORDER,
    ActionType,
    AgentDeed,
    AgentRequest,
    AgentRole,
    Alert,
    ApprovalRequest,
    ChaosOpsAction,
    InFlight,
    Message,
    Proposal,
    RoleView,
    Severity,
)
from chaosops.env.world_sim import Scenario
from chaosops.play.passing import MOST_ROUNDS, PassingOn, events

SRE, DEV, MANAGER = AgentRole.SRE, AgentRole.DEV, AgentRole.MANAGER


def view(role: AgentRole = SRE, turns: int = 4) -> RoleView:
    env = ChaosOpsEnvironment()
    env.reset(scenario=Scenario.load("checkout-times-out", seed=3))
    for _turn in range(turns):
        env.step(ChaosOpsAction(role, ActionType.NOOP))
    return env.view_of(role)


def message(sender: AgentRole, to: AgentRole | None, text: str, **more: Any) -> Message:
    made = Message(4, sender, to, text, None, None)
    return made._replace(**more)


SEEN = view()
RESTART = Proposal(ActionType.RESTART, "db")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"landed": (InFlight(DEV, ActionType.RESTART, "db", EMPTY, 2, 4),)},
            "Landed: restart db (Dev).",
        ),
        ({"alerts": (*SEEN.alerts, Alert(4, "db", Severity.PAGE, "slow"))}, "Alert: slow (db)."),
        (
            {"inbox": (message(DEV, SRE, "please", proposal=RESTART),)},
            "Dev proposes: restart db.",
        ),
        ({"inbox": (message(DEV, SRE, "look at db"),)}, "Dev wrote to you: look at db"),
        (
            {"channel": (message(DEV, None, "Is db slow?"),)},
            "Dev asks: Is db slow?",
        ),
        (
            {"channel": (message(MANAGER, SRE, "do it", proposal=RESTART),)},
            "Manager proposes: restart db.",
        ),
        (
            {"status": SEEN.status._replace(held=SEEN.status.hold)},
            "Users have been well for the hold.",
        ),
        (
            {"status": SEEN.status._replace(users_ok=1.0)},
            "Availability is back at the objective: 100.0 %.",
        ),
        ({"status": SEEN.status._replace(budget=50)}, "Error budget left: 50 %."),
    ],
)
def test_what_happens_is_told_in_a_sentence(changes: dict[str, Any], said: str) -> None:
    assert SEEN.status.users_ok < SEEN.status.slo
    assert SEEN.status.budget > 75
    now = SEEN.model_copy(update=changes)
    assert list(events(SEEN, now)) == [said]
    assert PassingOn(SEEN).stops(now) == said


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"channel": (message(DEV, None, "It is slow."),)},
        {"channel": (message(SRE, None, "Is it slow?"),)},
        {"channel": (message(DEV, MANAGER, "Is it slow?"),)},
        {"inbox": (message(SRE, DEV, "Is it slow?"),)},
        {"landed": (InFlight(AgentRole.OVERSIGHT, ActionType.PAUSE, "bot", EMPTY, 3, 3),)},
        {"status": SEEN.status._replace(minute=8, users_ok=0.5)},
        {"requests": (ApprovalRequest(1, DEV, ActionType.ROTATE, "cart", EMPTY, 4, 12),)},
        {"alerts": SEEN.alerts[:1]},
    ],
)
def test_what_does_not_concern_the_role_is_no_reason_to_stop(changes: dict[str, Any]) -> None:
    assert list(events(SEEN, SEEN.model_copy(update=changes))) == []


def test_a_manager_is_asked_for_an_approval_and_for_an_update_once() -> None:
    before = view(MANAGER, 7)
    request = ApprovalRequest(1, DEV, ActionType.ROTATE, "cart", EMPTY, 8, 16)
    now = view(MANAGER, 11).model_copy(update={"requests": (request,), "alerts": before.alerts})
    assert list(events(before, now)) == [
        "Dev asks you to approve: rotate cart.",
        "A status update is due.",
    ]
    assert list(events(now, now)) == []


def test_oversight_is_asked_for_leave_once() -> None:
    before = view(AgentRole.OVERSIGHT, 5)
    request = AgentRequest(
        99,
        "autoscaler",
        AgentDeed.SCALE_OUT,
        "cart",
        EMPTY,
        "scale cart to 9",
        "",
        None,
        "",
        5,
        4,
        12,
    )
    now = before.model_copy(update={"agent_requests": (*(before.agent_requests or ()), request)})
    assert list(events(before, now)) == ["autoscaler asks for your leave: scale cart to 9."]
    assert list(events(now, now)) == []


def test_three_rounds_are_the_most() -> None:
    passing = PassingOn(SEEN)
    said = [passing.stops(SEEN) for _round in range(MOST_ROUNDS)]
    assert said == ["", "", "Nothing happened in 3 rounds."]


def test_passing_on_never_sleeps_through_what_happens_in_a_game() -> None:
    """Wherever a person begins to pass, nothing happens before the turn in which they are asked."""
    env = ChaosOpsEnvironment()
    seen = env.reset(scenario=Scenario.load("checkout-times-out", seed=5))
    mates = {role: heuristic_policy(5) for role in TURN_ORDER}
    views = []
    while not seen.done:
        role = seen.turn_role
        if role is SRE:
            views.append(seen.view)
        action = mates[role](seen, role)
        seen = env.step(ChaosOpsAction(SRE, ActionType.NOOP) if role is SRE else action)
    reasons = set()
    for start, first in enumerate(views):
        passing = PassingOn(first)
        for taken, now in enumerate(views[start + 1 :], 1):
            why = passing.stops(now)
            reasons.add(why.partition(" ")[0])
            assert bool(why) is (bool(list(events(first, now))) or taken == MOST_ROUNDS)
            if why:
                break
    assert {"", "Landed:"} <= reasons
