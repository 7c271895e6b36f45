"""The shot clock of the plain mode, on a clock that the tests turn."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.play.session import Session
from chaosops.recording.turn_sources import Decider
from tests.tui.games import UI, roster, scenario
from tests.tui.plain_games import SlowTypist, Watch, played, recording_of
from tui.plain.game import PlainGame

SRE, DEV = AgentRole.SRE, AgentRole.DEV


def timed(watch: Watch, *people: AgentRole, folder: Path | None = None) -> Session:
    """A game with sixty seconds for each turn of a person."""
    seats = replace(roster(*people), shot_clock=60)
    return Session(scenario(), seats, recordings=folder, ui=UI, monotonic=watch)


def typed(game: Session, watch: Watch, *lines: tuple[float, str]) -> str:
    out = io.StringIO()
    PlainGame(game, SlowTypist(out, watch, *lines)).play()
    return out.getvalue()


def test_the_prompt_says_what_is_left_of_the_time() -> None:
    watch = Watch()
    said = typed(timed(watch, SRE), watch, (0, "logs"), (25, "alerts"), (0, "pass"))
    assert said.count("SRE (60 of 60 s left)>") == 3
    assert "SRE (35 of 60 s left)>" in said


def test_a_line_that_comes_too_late_is_not_done_and_the_turn_passes_as_out_of_time(
    tmp_path: Path,
) -> None:
    watch = Watch()
    game = timed(watch, SRE, folder=tmp_path)
    said = typed(game, watch, (61, "restart db"), (59, "restart cart"))
    assert "Time's up" in said
    assert [step.action.action_type for step in game.steps if step.role is SRE] == [
        ActionType.NOOP,
        ActionType.RESTART,
    ]
    first, second = (turn.human for turn in recording_of(game).turns if turn.frame.role is SRE)
    assert (first.source, first.latency_ms) == (Decider.TIMEOUT, 61_000)
    assert (second.source, second.latency_ms) == (Decider.HUMAN, 59_000)


def test_an_answer_to_a_question_can_come_too_late_too() -> None:
    watch = Watch()
    game = timed(watch, SRE)
    said = typed(game, watch, (30, "restart"), (31, "db"))
    assert "On what?" in said
    assert game.steps[0].action.action_type is ActionType.NOOP


def test_a_pause_and_the_hand_over_take_nobodys_time() -> None:
    watch = Watch()
    game = timed(watch, SRE, DEV)
    lines = [(500, ""), (1, "pause"), (500, ""), (1, "restart db"), (500, ""), (1, "restart cart")]
    said = typed(game, watch, *((float(seconds), line) for seconds, line in lines))
    assert "Time's up" not in said
    assert game.steps[0].action.action_type is ActionType.RESTART
    assert game.steps[2].action.target == "cart"


def test_waiting_for_the_copilot_takes_nobodys_time() -> None:
    watch = Watch()

    def slow(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        watch.now += 100
        return ChaosOpsAction(role, ActionType.RESTART, "db")

    seats = replace(roster(SRE).with_copilot(SRE, slow, "slow"), shot_clock=60)
    game = Session(scenario(), seats, recordings=None, ui=UI, monotonic=watch)
    assert "Time's up" not in typed(game, watch, (10, "accept"))
    assert game.steps[0].action.action_type is ActionType.RESTART


def test_who_leaves_late_leaves_and_takes_no_turn() -> None:
    watch = Watch()
    game = timed(watch, SRE)
    typed(game, watch, (500, "quit"))
    assert game.steps == ()


def test_lines_of_a_pipe_are_there_in_time() -> None:
    watch = Watch()
    game = timed(watch, SRE)
    said = played(game, "restart db", "pass")
    assert "SRE (60 of 60 s left)>" in said
    assert game.steps[0].action.action_type is ActionType.RESTART
