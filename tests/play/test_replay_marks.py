"""Turns that a replay can jump to."""

from __future__ import annotations

from pathlib import Path

from chaosops.agents.policies import pass_turn
from chaosops.env.models import SAY, TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.play.replay_model import TurnMark, marked, replay_of
from chaosops.play.seats import Roster
from chaosops.play.session import Session, ask
from chaosops.recording.events import Ui
from chaosops.recording.reader import read_recording

SRE = AgentRole.SRE
UI = Ui(name="test", version="1", columns=80, rows=24, theme="dark")


def test_a_turn_in_which_something_was_said_counts_as_a_message(tmp_path: Path) -> None:
    mates = {role: pass_turn for role in TURN_ORDER if role is not SRE}
    seats = Roster(frozenset({SRE}), mates, dict.fromkeys(mates, "noop"))
    made = Scenario.load("checkout-times-out", seed=3)
    game = Session(made, seats, recordings=tmp_path, ui=UI)
    acts = (
        ChaosOpsAction(SRE, ActionType.NOOP, None, {SAY: {"text": "db is slow"}}),
        ChaosOpsAction(SRE, ActionType.NOOP),
        ChaosOpsAction(SRE, ActionType.COMMUNICATE, None, {"text": "db is slow"}),
    )
    for action in acts:
        game.submit(game.turn, action)
        while not game.waits_for_person:
            answer = ask(game.policy(), game.observation, game.role)
            game.take_answer(game.turn, answer)
    game.close()
    assert game.recording is not None
    replay = replay_of(read_recording(game.recording))
    assert list(marked(replay, TurnMark.MESSAGES)) == [0, 8]
    assert replay.steps[0].action == acts[0]
