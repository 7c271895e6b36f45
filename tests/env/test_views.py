"""What each role sees, and what it does not."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import random_policy
from chaosops.agents.runner import run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    Difficulty,
    RoleView,
    ServiceKind,
    Source,
)
from tests.sampling import sampled
from tests.worlds import (
    DEV,
    MANAGER,
    OVERSIGHT,
    SRE,
    all_ids,
    hand_made,
    move,
    play,
    scenario,
    view_of,
)

SHARED = {
    *("role", "status", "alerts", "channel", "inbox", "in_flight", "landed", "in_force"),
    *("diagnoses", "findings", "graph", "allowed", "landings", "paid", "updates"),
}
OWN = {
    SRE: {"services", "history", "logs"},
    DEV: {"services", "history", "logs", "changes"},
    MANAGER: {"impact"},
    OVERSIGHT: {"audit", "agents", "paused", "flagged", "health", "agent_requests"},
}

every_incident = pytest.mark.parametrize("name", sampled(all_ids()))


def _first(name: str, role: AgentRole) -> RoleView:
    return view_of(play(scenario(name), turns=0), role)


@pytest.mark.few(3)
@every_incident
@pytest.mark.parametrize("role", TURN_ORDER)
def test_a_role_sees_its_part_of_the_truth_and_nothing_else(name: str, role: AgentRole) -> None:
    view = _first(name, role)
    seen = {field for field in view._fields if getattr(view, field) is not None}
    needs_approval = scenario(name).difficulty in (Difficulty.MEDIUM, Difficulty.HARD)
    assert seen == SHARED | OWN[role] | ({"requests"} if needs_approval else set())


@pytest.mark.few(1)
@every_incident
def test_sre_sees_the_signals_of_every_service_with_their_history(name: str) -> None:
    view = _first(name, SRE)
    names = scenario(name).topology.names()
    assert view.history is not None
    assert view.services is view.history[-1]
    assert len(view.history) == 30
    for minute in view.history:
        assert tuple(signals.service for signals in minute) == names


@every_incident
def test_dev_sees_errors_and_latency_of_the_app_tier_alone(name: str) -> None:
    view = _first(name, DEV)
    kinds = {node.name: node.kind for node in view.graph}
    apps = {n for n, kind in kinds.items() if kind in (ServiceKind.EDGE, ServiceKind.APP)}
    assert view.history is not None
    assert view.services is view.history[-1]
    assert len(view.history) == 30
    for minute in view.history:
        assert {signals.service for signals in minute} == apps
        for signals in minute:
            hidden = signals._replace(service="", health=signals.health, errors=0.0, p95_ms=0)
            assert set(hidden[2:3] + hidden[5:]) == {None}
    assert view.logs is not None
    assert {line.service for line in view.logs} <= apps


@every_incident
def test_dev_and_sre_see_the_same_errors_and_latency(name: str) -> None:
    stepper = play(scenario(name), turns=0)
    sre = stepper.observation.view.history
    dev = view_of(stepper, DEV).history
    assert sre is not None
    assert dev is not None
    full = {s.service: (s.errors, s.p95_ms, s.health) for s in sre[-1]}
    part = {s.service: (s.errors, s.p95_ms, s.health) for s in dev[-3]}
    assert part.items() <= full.items()


@every_incident
def test_histories_grow_by_the_minutes_that_passed(name: str) -> None:
    for role in (SRE, DEV):
        stepper = play(scenario(name), turns=0)
        before = view_of(stepper, role).history
        stepper.take(None)
        after = view_of(stepper, role).history
        assert before is not None
        assert after is not None
        assert after[:26] == before[4:]


@every_incident
def test_oversight_has_health_at_a_glance_and_no_figures(name: str) -> None:
    stepper = play(scenario(name), turns=0)
    view = view_of(stepper, OVERSIGHT)
    assert view.health is not None
    assert [name for name, _ in view.health] == list(scenario(name).topology.names())
    assert (view.logs, view.services, view.history) == (None, None, None)
    assert view.audit is not None
    assert view.agents is not None
    assert {event.agent for event in view.audit} <= set(view.agents)
    assert all(event.minute <= 1 for event in view.audit)


def test_the_manager_sees_what_it_costs_and_who_does_what() -> None:
    tickets = [{"at": at, "text": f"ticket {at}"} for at in (1, 2, 30)]
    stepper = play(hand_made(tickets=tickets), {0: move("restart", "cart")}, turns=0)
    stepper.take(None)
    impact = view_of(stepper, MANAGER).impact
    assert impact is not None
    assert [ticket.text for ticket in impact.tickets] == ["ticket 1", "ticket 2"]
    assert [doing.role for doing in impact.doing] == [SRE, OVERSIGHT, DEV]
    assert impact.failed > 0.0
    assert impact.lost > 0.0


def test_customers_who_are_well_write_no_tickets() -> None:
    cured = hand_made(tickets=[{"at": at, "text": f"ticket {at}"} for at in (0, 4)], hold=9)
    stepper = play(cured, {0: move("terminate", "db")}, turns=7)
    impact = view_of(stepper, MANAGER).impact
    assert impact is not None
    # The lock is gone in minute 1.
    assert [ticket.text for ticket in impact.tickets] == ["ticket 0"]
    assert impact.failed < 0.01


def test_a_private_message_reaches_its_receiver_and_its_sender_alone() -> None:
    moves = {0: move("communicate", to="dev", text="between us")}
    for role in TURN_ORDER:
        view = view_of(play(hand_made(), moves, turns=1), role)
        assert view.channel == ()
        heard = [message.text for message in view.inbox]
        assert heard == (["between us"] if role in (SRE, DEV) else [])


def test_a_message_to_all_is_read_by_all_with_its_finding() -> None:
    moves = {
        0: move("investigate", "db", source="runtime"),
        4: move("communicate", text="look", finding=0),
    }
    for role in TURN_ORDER:
        view = view_of(play(hand_made(), moves, turns=5), role)
        assert [m.text for m in view.channel] == ["look"]
        assert view.channel[0].finding is not None
        assert view.channel[0].finding.reading is not None
        assert view.inbox == ()


def test_findings_belong_to_who_looked() -> None:
    stepper = play(hand_made(), {0: move("investigate", "db", source="runtime")}, turns=1)
    assert "runtime of db" in stepper.observation.message
    assert "sessions" not in stepper.observation.message
    for role in (OVERSIGHT, DEV, MANAGER, SRE):
        found = view_of(stepper, role).findings
        assert [finding.source for finding in found] == ([Source.RUNTIME] if role is SRE else [])
        if role is not SRE:
            stepper.take(None)


def test_what_is_in_flight_and_what_landed_is_public() -> None:
    for turns, field in ((1, "in_flight"), (5, "landed")):
        moves = {0: move("failover", "db")} if turns == 1 else {0: move("scale", "db", replicas=4)}
        for role in TURN_ORDER:
            stepper = play(hand_made(), moves, turns=turns)
            item = getattr(view_of(stepper, role), field)[-1]
            assert (item.role, item.target, item.taken) == (SRE, "db", 0)


def test_a_pause_and_a_flag_are_public_when_they_are_made() -> None:
    view = view_of(play(hand_made(), {1: move("pause", "compactor")}, turns=2), DEV)
    assert [(item.action_type, item.target) for item in view.landed] == [
        (ActionType.PAUSE, "compactor")
    ]


@pytest.mark.few(1)
@every_incident
def test_the_clock_and_the_budget_are_the_same_for_all(name: str) -> None:
    played = scenario(name)
    frames = run_episode(
        ChaosOpsEnvironment(), played, {r: random_policy(1) for r in TURN_ORDER}
    ).steps
    spent = [frame.observation.view.status.budget for frame in frames]
    assert spent == sorted(spent, reverse=True)
    for frame in frames:
        status = frame.observation.view.status
        assert status.minute == frame.turn
        assert status.turns == played.max_steps * len(TURN_ORDER)
        assert status.title == played.page
        assert 0.0 <= status.users_ok <= 1.0
        assert 0 <= status.budget <= 100
        assert 0 <= status.paged_at < 24 * 60
        assert status.hold == played.hold


@pytest.mark.few(1)
@every_incident
def test_nothing_shown_in_play_names_the_answer(name: str) -> None:
    played = scenario(name)
    answer = str(played.failure_type)
    for role in TURN_ORDER:
        view = _first(name, role)
        shown = repr(view._replace(allowed=(), findings=())).lower()
        for secret in (answer, answer.replace("_", " ")):
            assert secret not in shown
    for text in (played.id, played.title, played.page):
        assert answer not in text.lower().replace("-", "_").replace(" ", "_")
