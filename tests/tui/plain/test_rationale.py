"""Why and how sure, typed before an action."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from chaosops.env.models import MAX_TEXT, AgentRole
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.session import Session
from chaosops.recording.turn_sources import Decider
from tests.tui.games import UI, roster, scenario, session
from tests.tui.plain_games import SlowTypist, Watch, played, recording_of
from tui.plain.game import PlainGame
from tui.plain.replay import turn_lines

SRE = AgentRole.SRE


def thoughts(game: Session) -> list[Thought]:
    return [Thought.kept_in(t.human) for t in recording_of(game).turns if t.frame.role is SRE]


def test_they_go_with_the_next_action_and_with_no_other(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    said = played(game, "Why Db is slow, I think", "sure 80%", "why", "restart db", "why", "pass")
    assert said.count("With your next action: why: Db is slow, I think; 80 % sure.") == 2
    assert said.count("With your next action: nothing said.") == 1
    assert thoughts(game) == [Thought("Db is slow, I think", 80), UNSAID]


def test_a_replay_tells_them_where_they_were_given(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "why so", "sure 0", "pass", "pass")
    first, second = (t for t in recording_of(game).turns if t.frame.role is SRE)
    assert turn_lines(first, 0)[-2:] == ["- why: so", "- 0 % sure"]
    assert not [line for line in turn_lines(second, 0) if "why" in line or "sure" in line]


def test_they_can_be_taken_back_and_given_anew(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "why first", "sure 50", "why off", "sure off", "pass", "why second", "pass")
    assert thoughts(game) == [UNSAID, Thought("second")]


def test_they_cost_no_turn_and_change_nothing_in_the_game() -> None:
    silent, telling = session(SRE), session(SRE)
    played(silent, "pass", "restart db")
    played(telling, "why so", "sure 1", "pass", "sure 100", "restart db")
    assert telling.steps == silent.steps


@pytest.mark.few(1)
@pytest.mark.parametrize("words", ["many", "101", "-1", "0050", "50 or so"])
def test_how_sure_is_a_number_up_to_a_hundred(words: str, tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    assert "is not a number from 0 to 100: type sure 75." in played(game, f"sure {words}", "pass")
    assert thoughts(game) == [UNSAID]


def test_a_reason_that_is_too_long_is_refused_with_the_limit(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    assert f"the limit is {MAX_TEXT}" in played(game, f"why {'x' * (MAX_TEXT + 1)}", "pass")
    assert thoughts(game) == [UNSAID]


def test_a_turn_that_passed_by_itself_has_no_reason_and_neither_has_the_next(
    tmp_path: Path,
) -> None:
    watch = Watch()
    seats = replace(roster(SRE), shot_clock=60)
    game = Session(scenario(), seats, recordings=tmp_path, ui=UI, monotonic=watch)
    lines = ((0.0, "why so"), (61.0, "restart db"), (0.0, "pass"))
    PlainGame(game, SlowTypist(io.StringIO(), watch, *lines)).play()
    late, own = (t.human for t in recording_of(game).turns if t.frame.role is SRE)
    assert (late.source, own.source) == (Decider.TIMEOUT, Decider.HUMAN)
    assert (late.rationale, own.rationale) == (None, None)


def test_the_help_names_them() -> None:
    said = played(session(SRE), "help")
    assert "why WORDS: your reason for the next action. sure 75: how sure you are" in said
