"""Finding what happened, and who did it, by words."""

from __future__ import annotations

import pytest

from chaosops.agents.runner import Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.play.record_search import FoundRecords, is_question, records_found, who_sees_more
from chaosops.play.session import Session
from tests.tui.games import session


def _after_a_pause() -> Session:
    played = session(*AgentRole)
    for _ in AgentRole:
        role = played.role
        agents = played.observation.view.agents or ()
        action = (
            ChaosOpsAction(role, ActionType.PAUSE, agents[0])
            if role is AgentRole.OVERSIGHT
            else ChaosOpsAction(role, ActionType.NOOP)
        )
        played.submit(played.turn, action)
    return played


@pytest.mark.parametrize("role", AgentRole)
def test_every_seat_finds_who_paused_an_agent(role: AgentRole) -> None:
    played = _after_a_pause()
    (agent, *others) = played.view_of(AgentRole.OVERSIGHT).agents or ()
    view = played.view_of(role)
    spaced = agent.replace("_", " ")
    for asked in (f"who paused {agent}", f"Who paused {spaced}?", f"pause {agent}"):
        assert "Oversight: pause" in records_found(view, asked).records[0].words
    assert others
    assert all(not records_found(view, f"who paused {other}").total for other in others)
    for undone in ("resumed", "flagged"):
        assert not records_found(view, f"who {undone} {agent}").total


def test_acts_of_agents_are_found_in_the_audit_log_the_newest_first() -> None:
    view = session(AgentRole.OVERSIGHT).view_of(AgentRole.OVERSIGHT)
    event = (view.audit or ())[-1]
    found = records_found(view, f"when did {event.agent} {event.act.split()[0]} {event.target}")
    assert found.records[0].part == "audit"
    assert event.reason in found.records[0].words


def test_changes_are_found_by_the_past_tense_of_their_kind() -> None:
    view = session(AgentRole.DEV).view_of(AgentRole.DEV)
    deployed = [change for change in view.changes or () if change.kind == "deploy"]
    assert deployed
    for change in deployed:
        found = records_found(view, f"who deployed {change.service}")
        assert any(change.version in record.words for record in found.records)


@pytest.mark.parametrize("typed", ["", "a", "who", "who did it", "what was the", "no such words"])
def test_questions_without_a_word_and_unknown_words_find_nothing(typed: str) -> None:
    assert records_found(session().view_of(AgentRole.SRE), typed) == FoundRecords()


def test_a_seat_without_the_audit_log_learns_who_sees_it() -> None:
    played = session()
    assert "Oversight sees audit" in who_sees_more(played.view_of(AgentRole.SRE))
    assert "audit" not in who_sees_more(played.view_of(AgentRole.OVERSIGHT))
    assert is_question("Who promoted search")
    assert not is_question("drain whoever")


@pytest.mark.parametrize("policy", ["random", "expert"])
def test_everything_that_can_be_searched_has_a_minute_in_whole_games(policy: str) -> None:
    scenario = Scenario.load("checkout-times-out", seed=2)
    stepper = Stepper(env := ChaosOpsEnvironment(), scenario)
    seats = seat_policies(dict.fromkeys(AgentRole, policy), scenario)
    found = set()
    while not stepper.done:
        stepper.take(seats[stepper.role](stepper.observation, stepper.role))
        for role in AgentRole:
            records = records_found(env.view_of(role), "e e e").records
            found |= {record.part for record in records}
    assert {"flight", "findings"} <= found


def test_who_looked_at_a_service_finds_the_finding() -> None:
    played = session(AgentRole.SRE)
    look = ChaosOpsAction(AgentRole.SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"})
    played.submit(played.turn, look)
    found = records_found(played.view_of(AgentRole.SRE), "who looked at runtime of db").records
    assert "findings" in {record.part for record in found}
