"""The case board: what fits a service, what is marked, and what of it is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, FailureType
from chaosops.play.case_board import CaseMark, suspects_in
from chaosops.play.policy_answers import ask
from chaosops.play.readings import known_findings
from chaosops.play.session import Roster, Session
from chaosops.recording.reader import read_recording
from chaosops.scenarios.fitting import placements
from tests.tui.games import UI
from tests.worlds import built_in, scenario, sound_causes

SRE, DEV = AgentRole.SRE, AgentRole.DEV
DEADLOCK, ROW_LOCK = FailureType.DB_DEADLOCK, FailureType.ROW_LOCK


def session(folder: Path | None = None) -> Session:
    mates = {role: pass_turn for role in TURN_ORDER if role not in (SRE, DEV)}
    roster = Roster(frozenset((SRE, DEV)), mates, dict.fromkeys(mates, "noop"))
    return Session(scenario("orders-fail-at-the-last-step"), roster, recordings=folder, ui=UI)


@pytest.mark.slow
def test_what_is_behind_an_incident_is_on_the_board_of_its_place_in_every_seed() -> None:
    for source in built_in():
        for cause, spot in source.drawing.every():
            agents = [agent.name for agent in source.drawing.situation.automation]
            fits = suspects_in(source.topology, sound_causes(), agents)
            assert cause.diagnosis in {suspect.cause for suspect in fits[spot.place]}


def test_a_board_lists_each_diagnosis_once_and_by_family() -> None:
    rows = session().board.suspects("db")
    assert len({row.cause for row in rows}) == len(rows)
    families = [row.family for row in rows]
    assert families == sorted(families)


def test_a_cause_whose_agent_is_not_there_is_not_on_the_board() -> None:
    topology = scenario("orders-fail-at-the-last-step").topology
    by_agent = [
        cause for cause in sound_causes() if cause.agent and any(placements(cause, topology))
    ]
    assert by_agent
    assert not any(suspects_in(topology, by_agent, ()).values())


def test_the_same_mark_again_takes_it_back_and_another_one_replaces_it() -> None:
    board = session().board
    board.mark(SRE, "db", ROW_LOCK, CaseMark.FOR)
    board.mark(SRE, "db", ROW_LOCK, CaseMark.AGAINST)
    assert board.noted("db", ROW_LOCK).mark is CaseMark.AGAINST
    board.mark(SRE, "db", ROW_LOCK, CaseMark.AGAINST)
    assert board.marks() == ()


def test_what_a_role_changed_is_recorded_with_its_turn_and_costs_nothing(tmp_path: Path) -> None:
    played, other = session(tmp_path), session()
    look = ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"})
    for game in (played, other):
        game.submit(0, look)
    board = played.board
    (found,) = known_findings(played.view_of(SRE))
    board.mark(DEV, "db", DEADLOCK, CaseMark.AGAINST)
    board.pin(SRE, "db", ROW_LOCK, found)
    board.mark(SRE, "db", ROW_LOCK, CaseMark.FOR)
    for game in (played, other):
        while not game.waits_for_person:
            game.take_answer(game.turn, ask(pass_turn, game.observation, game.role))
        game.submit(game.turn, ChaosOpsAction(DEV, ActionType.NOOP))
        while not game.waits_for_person:
            game.take_answer(game.turn, ask(pass_turn, game.observation, game.role))
        game.submit(game.turn, ChaosOpsAction(SRE, ActionType.NOOP))
    assert [step.model_dump() for step in played.steps] == [s.model_dump() for s in other.steps]
    played.close()
    assert played.recording is not None
    turns = read_recording(played.recording).turns
    marks = {turn.frame.role: turn.human.board for turn in turns if turn.human.board}
    (by_dev,), (by_sre,) = marks[DEV], marks[SRE]
    assert (by_dev.cause, by_dev.mark, by_dev.pins) == ("db_deadlock", "-", ())
    assert (by_sre.cause, by_sre.mark) == ("row_lock", "+")
    assert [(pin.source, pin.target, pin.taken_at) for pin in by_sre.pins] == [("runtime", "db", 0)]


def test_a_turn_without_marks_has_no_board_in_its_recording(tmp_path: Path) -> None:
    played = session(tmp_path)
    played.submit(0, ChaosOpsAction(SRE, ActionType.NOOP))
    played.close()
    assert played.recording is not None
    assert '"board"' not in played.recording.read_text("utf-8")
