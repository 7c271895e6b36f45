"""Shifts for tests, and games in them that end quickly."""

from __future__ import annotations

from pathlib import Path

from chaosops.agents.policies import expert_policy
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.play.policy_answers import PolicyAnswer
from chaosops.play.session import Session
from chaosops.play.setup import Setup, roster_of
from chaosops.play.shifts.codes import ShiftPlan
from chaosops.play.shifts.results import ShiftResult, result_of_game
from chaosops.play.shifts.shift import Shift
from chaosops.recording.resume import Resumed
from tests.tui.games import UI

PLAN = ShiftPlan(Difficulty.MEDIUM, seed=7)
EXPERTS = Setup.of((AgentRole.SRE,), "expert")


def new_shift(folder: Path, plan: ShiftPlan = PLAN) -> Shift:
    """A shift that has just begun, with a person as SRE beside experts."""
    return Shift.new(plan, EXPERTS, folder)


def begin(shift: Shift, turns: int = 0) -> Path:
    """Begin the next incident, play so many turns of it, and leave."""
    session = _session(shift, None)
    shift.begin(session.recording)
    _play(session, turns)
    assert session.recording is not None
    return session.recording


def play(shift: Shift, resumed: Resumed | None = None) -> ShiftResult:
    """Play the next incident to its end as an expert would."""
    session = _session(shift, resumed)
    if resumed is None:
        shift.begin(session.recording)
    _play(session, None)
    result = result_of_game(session, session.recording)
    shift.finish(result)
    return result


def _session(shift: Shift, resumed: Resumed | None) -> Session:
    scenario = shift.scenario() if resumed is None else resumed.stepper.scenario
    roster = roster_of(shift.state.setup, scenario)
    return Session(scenario, roster, recordings=shift.recordings, ui=UI, resumed=resumed)


def _play(session: Session, turns: int | None) -> None:
    person = expert_policy(session.scenario.seed * len(TURN_ORDER))
    while not session.done and (turns is None or session.turn < turns):
        action = (person if session.waits_for_person else session.policy())(
            session.observation, session.role
        )
        if session.waits_for_person:
            session.submit(session.turn, action)
        else:
            session.take_answer(session.turn, PolicyAnswer(action))
    session.close()
