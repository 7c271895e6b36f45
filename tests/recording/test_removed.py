"""A recording that is removed while its game is played is written anew from what is open."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from chaosops.env.models import AgentRole
from chaosops.play.farewell import where_it_is
from chaosops.play.session import Session
from chaosops.recording.event_log import EventLogWriter, GoneError
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.verify import verify
from tests.recording.samples import HUMAN, frames, header
from tests.tui.games import session
from tests.tui.plain_games import played

SRE = AgentRole.SRE


def begun(folder: Path, turns: int = 3) -> tuple[EventLogWriter, bytes]:
    log = EventLogWriter.create(folder, header())
    for frame in frames()[:turns]:
        log.turn(frame, HUMAN)
    return log, log.path.read_bytes()


def test_a_file_that_is_removed_is_written_anew_whole_at_the_next_turn(tmp_path: Path) -> None:
    log, before = begun(tmp_path)
    log.path.unlink()
    log.turn(frames()[3], HUMAN)
    assert log.keep()
    assert log.path.read_bytes().startswith(before)
    assert not log.keep()
    log.turn(frames()[4], HUMAN)
    log.close()
    assert len(read_recording(log.path).turns) == 5
    assert log.path.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_removed_is_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    log, before = begun(folder)
    shutil.rmtree(tmp_path / "a")
    assert log.keep()
    assert log.path.read_bytes() == before


def test_a_name_that_another_file_has_now_is_left_to_it(tmp_path: Path) -> None:
    log, before = begun(tmp_path)
    other = log.path
    other.unlink()
    other.write_text("somebody else's")
    log.turn(frames()[3], HUMAN)
    assert other.read_text() == "somebody else's"
    assert log.path == other.with_name(f"{other.stem}-2.jsonl")
    assert log.path.read_bytes().startswith(before)


def test_nobody_else_can_write_to_a_file_that_was_written_anew(tmp_path: Path) -> None:
    from chaosops.errors import RecordingError

    log, _before = begun(tmp_path)
    log.path.unlink()
    log.keep()
    with pytest.raises(RecordingError, match="is being played"):
        reopen(log.path)


def test_a_game_that_ends_without_its_file_is_whole_all_the_same(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path, rounds=1)
    path = game.recording
    assert path is not None
    path.unlink()
    played(game, "pass")
    assert game.done
    game.close()
    assert read_recording(path).footer is not None
    assert verify(path).ok


def test_a_game_that_was_taken_up_is_written_anew_too(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    path = game.recording
    assert path is not None
    taken(game)
    game.close()
    before = path.read_bytes()
    resumed = reopen(path)
    path.unlink()
    assert resumed.writer.keep()
    resumed.writer.close()
    assert path.read_bytes() == before


def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file can be made any more, as on a disk that was pulled out."""
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, **more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(30, "Read-only file system")
        return real(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", refuse)


def test_what_cannot_be_written_anew_is_said_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, before = begun(tmp_path)
    log.path.unlink()
    with monkeypatch.context() as patch:
        unwritable(patch)
        with pytest.raises(GoneError, match="was removed, and cannot be written anew: Read-only"):
            log.keep()
    assert log.keep()
    assert log.path.read_bytes() == before


def taken(game: Session, turns: int = 1) -> None:
    played(game, *["pass"] * turns)


def test_a_player_is_told_at_the_next_turn_that_the_recording_was_written_anew(
    tmp_path: Path,
) -> None:
    game = session(SRE, folder=tmp_path)
    path = game.recording
    assert path is not None
    taken(game)
    path.unlink()
    said = played(game, "pass")
    told = "The recording was deleted during the game and has been written again in full: "
    assert f"{told}{path}" in said
    taken(game, 2)
    assert game.trouble == ""
    assert "had been deleted and was written again. Saved after turn 16." in where_it_is(game)


def test_the_farewell_notices_what_was_removed_since_the_last_turn(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    path = game.recording
    assert path is not None
    taken(game)
    path.unlink()
    assert "was written again. Saved after turn 4." in where_it_is(game)
    assert len(read_recording(path).turns) == 4


def test_the_farewell_of_a_screen_that_has_closed_its_log_does_too(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    path = game.recording
    assert path is not None
    taken(game)
    path.unlink()
    game.close()
    assert "was written again. Saved after turn 4." in where_it_is(game)
    path.unlink()
    assert "Saved" not in where_it_is(game)


def test_a_farewell_never_says_saved_of_a_file_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = session(SRE, folder=tmp_path)
    path = game.recording
    assert path is not None
    taken(game)
    path.unlink()
    with monkeypatch.context() as patch:
        unwritable(patch)
        said = played(game, "pass")
        assert "Nothing of this game is saved" in said
        assert game.log.saved(game.turn) == 0
        farewell = where_it_is(game)
    assert farewell.startswith("This game is not saved: its recording")
    assert "Saved" not in farewell
    assert "resume" not in farewell
    assert "Read-only file system" in farewell
    assert "Saved after turn 8." in where_it_is(game)
    assert len(read_recording(path).turns) == 8
