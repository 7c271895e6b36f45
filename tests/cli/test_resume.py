import sys
from pathlib import Path
from typing import Any

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.cli import game as game_opener
from chaosops.env.models import AgentRole
from chaosops.play.session import Session
from chaosops.recording.resume import Resumed
from tests.cli.helpers import is_one_line_with_a_cure, run_here
from tests.recording.games import record
from tests.tui.games import UI, roster, scenario
from tui import entry_points as launch

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be opened in a terminal."""
    calls: list[Any] = []

    def resume(
        resumed: Resumed, *, recordings: Path, folders: tuple[Path, ...], **options: object
    ) -> int:
        resumed.writer.close()
        calls.append((resumed.recording.path, recordings, folders))
        return 0

    def replay(path: Path, **options: object) -> int:
        calls.append(path)
        return 0

    monkeypatch.setattr(game_opener, "require_terminal", lambda: None)
    monkeypatch.setattr(launch, "resume", resume)
    monkeypatch.setattr(launch, "replay", replay)
    return calls


def test_the_game_that_was_begun_last_goes_on(
    tmp_path: Path, opened: list[Any], capsys: Capture
) -> None:
    record(tmp_path, seed=1)
    path = record(tmp_path, seed=2, turns=3)
    done = run_here(capsys, "resume", "--recordings", str(tmp_path))
    assert (done.code, done.err) == (0, "")
    assert opened == [(path, tmp_path, ())]


def test_a_game_that_is_named_goes_on_and_a_repair_is_reported(
    tmp_path: Path, opened: list[Any], capsys: Capture
) -> None:
    path = record(tmp_path, turns=3)
    path.write_bytes(path.read_bytes()[:-3])
    done = run_here(capsys, "resume", str(path), "--recordings", str(tmp_path))
    assert done.code == 0
    assert done.err == f"repaired {path}: line 4 is incomplete and was left out\n"
    assert opened == [(path, tmp_path, ())]


def test_a_game_that_had_ended_is_shown(tmp_path: Path, opened: list[Any], capsys: Capture) -> None:
    path = record(tmp_path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert run_here(capsys, "resume", "--recordings", str(tmp_path)).code == 0
    assert opened == [path]


def test_without_a_game_to_resume_the_cure_is_named(
    tmp_path: Path, opened: list[Any], capsys: Capture
) -> None:
    record(tmp_path)
    done = run_here(capsys, "resume", "--recordings", str(tmp_path))
    assert done.code == 1
    assert is_one_line_with_a_cure(done.err)
    assert "chaosops play" in done.err
    assert opened == []


def test_without_a_terminal_nothing_is_touched(tmp_path: Path, capsys: Capture) -> None:
    path = record(tmp_path, turns=3)
    path.write_bytes(path.read_bytes()[:-3])
    before = path.read_bytes()
    assert not sys.stdin.isatty() or not sys.stdout.isatty()
    done = run_here(capsys, "resume", str(path))
    assert done.code == 1
    assert is_one_line_with_a_cure(done.err)
    assert path.read_bytes() == before


def test_a_seat_whose_policy_is_gone_is_an_error_that_names_the_command(
    tmp_path: Path, opened: list[Any], capsys: Capture
) -> None:
    seats = roster(AgentRole.SRE).with_policy(AgentRole.DEV, pass_turn, "gone")
    seats = seats.with_copilot(AgentRole.SRE, pass_turn, "gone_too")
    game = Session(scenario(), seats, recordings=tmp_path, ui=UI)
    game.submit(0, pass_turn(game.observation, game.role))
    game.close()
    path = game.recording
    assert path is not None
    where = ("resume", str(path), "--recordings", str(tmp_path))
    for named, missing in (
        ((), "gone_too"),
        (("--policy", "dev=expert"), "gone_too"),
        (("--copilot", "off"), "gone"),
    ):
        done = run_here(capsys, *where, *named)
        assert done.code == 1
        assert is_one_line_with_a_cure(done.err)
        assert f"no policy '{missing}'" in done.err
        assert f"chaosops resume {path} --policy ROLE=POLICY" in done.err
    assert opened == []
    for copilot in ("off", "heuristic"):
        done = run_here(capsys, *where, "--policy", "dev=expert", "--copilot", copilot)
        assert (done.code, done.err) == (0, "")
    assert opened == [(path, tmp_path, ())] * 2
