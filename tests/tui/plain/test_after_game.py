"""What can be done with a game that is over, in lines."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chaosops.agents.policies import expert_policy
from chaosops.env.models import ActionType, AgentRole
from chaosops.play.session import Session
from chaosops.recording.events import Workload
from chaosops.recording.reader import read_recording
from tests.tui.games import UI, roster, scenario
from tests.tui.plain_games import SPELLED_OUT, console, played, recording_of
from tui.plain.after_game import Afterwards
from tui.plain.entry_points import _play
from tui.plain.replay import PlainReplay

SRE = AgentRole.SRE


def over(folder: Path | None = None) -> Session:
    """A game of twelve turns that the SRE passed through."""
    game = Session(
        scenario(rounds=3), roster(SRE, others=expert_policy(1)), recordings=folder, ui=UI
    )
    played(game, "pass", "pass", "pass")
    assert game.done
    game.close()
    return game


def after(game: Session, *lines: str, costliest: int | None = None) -> tuple[str, Session | None]:
    """What is said, and what is played next."""
    out = io.StringIO()
    following = Afterwards(console(lines, out), game, costliest).ask()
    return out.getvalue(), following


def test_a_game_is_rated_with_all_six_scales_or_none(tmp_path: Path) -> None:
    game = over(tmp_path)
    said, _ = after(game, "load", "70", "0", "", "load", "70", "0", "101", "5", "20", "60", "40")
    assert "Skipped: answer all six or none." in said
    assert said.count("Saved with the recording.") == 1
    assert "A number from 0 to 100" in said
    assert recording_of(game).opinion.workload == Workload(
        mental=70, physical=0, temporal=5, performance=20, effort=60, frustration=40
    )
    assert len(recording_of(game).notes) == 1


@pytest.mark.few(1)
@pytest.mark.parametrize("word", ["help", "share", "rate", "fork x", "comment", "comment  "])
def test_a_word_that_is_no_command_is_not_kept_and_says_what_there_is(
    word: str, tmp_path: Path
) -> None:
    game = over(tmp_path)
    said, following = after(game, word, "")
    assert said.count("comment TEXT adds a comment") == 2
    assert "Saved with the recording" not in said
    assert following is None
    assert recording_of(game).notes == ()


def test_a_number_rates_and_a_comment_is_kept(tmp_path: Path) -> None:
    game = over(tmp_path)
    said, following = after(game, "9", "4", "comment fork it was hard", "")
    assert "Rate from 1 to 5." in said
    opinion = recording_of(game).opinion
    assert (opinion.quality, opinion.comment) == (4, "fork it was hard")
    assert following is None


def test_without_a_recording_nothing_is_kept_and_that_is_said() -> None:
    said, _ = after(over(), "4", "load", "replay")
    assert said.count("This game was not recorded") == 3


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("lines", "turn"),
    [
        (("fork 5",), 4),
        (("fork", "5"), 4),
        (("fork", ""), 8),
        (("fork 99", "fork 0", "fork 12"), 11),
        (("again",), 0),
    ],
)
def test_it_is_played_on_from_any_turn(lines: tuple[str, ...], turn: int) -> None:
    game = over()
    said, following = after(game, *lines, costliest=8)
    assert "fork 9: play on from turn 9" in said
    assert following is not None
    assert following.turn == turn
    assert following.steps == game.steps[:turn]


def test_what_is_forked_is_played_and_recorded_in_a_file_of_its_own(tmp_path: Path) -> None:
    game = over(tmp_path)
    before = recording_of(game)
    out = io.StringIO()
    following = Afterwards(console(["fork 5"], out), game).ask()
    assert following is not None
    _play(console(["restart db"], out), following)
    assert "Turn 5 of 12" in out.getvalue()
    assert f"Saved after turn {following.turn}." in out.getvalue()
    assert following.steps[4].action.action_type is ActionType.RESTART
    assert recording_of(following).path != before.path
    assert recording_of(game) == before


def test_it_is_stepped_through_and_played_on_from_the_turn_that_is_told(tmp_path: Path) -> None:
    said, following = after(over(tmp_path), "replay", "7", "fork")
    assert "Verified: every turn was reproduced exactly." in said
    assert following is not None
    assert following.turn == 6


@pytest.mark.slow
def test_the_command_steps_through_a_recording_and_plays_on_from_it(tmp_path: Path) -> None:
    recording = recording_of(over(tmp_path))
    command = [sys.executable, "-m", "chaosops", "replay", str(recording.path), "--plain"]
    done = subprocess.run(
        [*command, "--recordings", str(tmp_path / "forks")],
        input="5\nfork\nrestart db\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")},
    )
    assert "Turn 9 of " in done.stdout
    (forked,) = (tmp_path / "forks").glob("*.jsonl")
    turns = read_recording(forked).turns
    assert [turn.frame for turn in turns[:4]] == list(recording.frames[:4])
    assert turns[4].frame.action.action_type is ActionType.RESTART


def test_a_replay_says_why_a_recording_is_not_proved(tmp_path: Path) -> None:
    recording = recording_of(over(tmp_path))
    lines = recording.path.read_bytes().splitlines(keepends=True)
    recording.path.write_bytes(b"".join([lines[0].replace(b'"seed":7', b'"seed":8'), *lines[1:]]))
    out = io.StringIO()
    PlainReplay(recording, console(["quit"], out)).tell()
    assert "Not verified: edited: the header was edited." in out.getvalue()


def test_the_post_mortem_is_written_beside_the_recording(tmp_path: Path) -> None:
    said, following = after(over(tmp_path), "postmortem", "postmortem", "")
    assert said.count("The post-mortem is ") == 2
    assert len(list(tmp_path.glob("*-postmortem*.md"))) == 2
    assert following is None
    assert "no place to write it to" in after(over(), "postmortem", "")[0]


def test_a_word_is_looked_up_after_the_game(tmp_path: Path) -> None:
    said, _ = after(over(), "glossary row lock", "glossary rwo lock", "glossary", "")
    assert "row lock (Causes: database waits): " in said
    assert "Did you mean row lock" in said
    assert "Instruments: metrics, logs" in said
    assert not SPELLED_OUT.search(said)
