"""Where the plain mode begins: settings that are wrong, and what it is played on."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.session import Session
from chaosops.play.settings import Settings
from chaosops.play.setup import Setup
from chaosops.recording.reader import read_recording
from tests.tui.games import UI, roster
from tests.tui.plain_games import console
from tests.tui.pty_game import PtyGame
from tui import entry_points as launch
from tui import plain
from tui.plain.game import PlainGame
from tui.plain.home import chosen

FIRST = "first-shift-1-product-pages"


def test_wrong_settings_are_said_on_stderr_with_line_and_cure_and_the_rest_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('pace = "warp"\nshot_clok = 60\ncoach = false\n', encoding="utf-8")
    monkeypatch.setattr("chaosops.play.settings.default_path", lambda: path)
    seen: list[Settings] = []

    def home(folders: object, recordings: object, *, settings: Settings, policies: object) -> int:
        seen.append(settings)
        return 0

    monkeypatch.setattr(plain, "home", home)
    assert launch.home((), tmp_path, plain=True) == 0
    said = capsys.readouterr()
    assert said.out == ""
    pace, clock = said.err.splitlines()
    assert pace.startswith(f"note: {path}:1: pace: 'warp' is none of slow, normal, fast, instant")
    assert clock.startswith(f"note: {path}:2: shot_clok: no such setting; did you mean shot_clock?")
    assert seen == [Settings(coach=False)]


def test_a_settings_file_that_is_no_toml_does_not_keep_anybody_from_playing(
    tmp_path: Path,
) -> None:
    (tmp_path / "chaosops").mkdir()
    (tmp_path / "chaosops" / "settings.toml").write_text("pace = \n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "chaosops", "play", FIRST, "--plain", "--recordings", tmp_path],
        input="quit\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
    )
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"note: {tmp_path / 'chaosops' / 'settings.toml'}:1: ")
    assert "fix the line or remove the file. Using defaults" in line
    assert "Look at the runtime of catalog." in done.stdout


def test_who_wants_no_coach_has_none() -> None:
    def said(*, coach: bool) -> str:
        session = Session(Scenario.load(FIRST), roster(AgentRole.SRE), recordings=None, ui=UI)
        typist = console([], out := io.StringIO())
        PlainGame(session, typist, coach=coach).play()
        return out.getvalue()

    assert "Coach:" in said(coach=True)
    assert "Coach:" not in said(coach=False)


@pytest.mark.slow
def test_the_seats_of_the_settings_are_taken_by_enter_and_a_named_role_keeps_their_clock() -> None:
    usual = Setup.of((AgentRole.DEV,), "heuristic", shot_clock=60)

    def choice(*lines: str, setup: Setup = usual) -> Setup:
        found = chosen(console(lines, io.StringIO()), (), setup)
        assert found is not None
        return found.setup

    assert choice("1", "") == usual
    assert choice("1", "manager") == Setup.of((AgentRole.MANAGER,), shot_clock=60)
    watched = Setup.of((), shot_clock=60)
    assert choice("1", "", setup=watched) == Setup.of((AgentRole.SRE,), shot_clock=60)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[PtyGame]:
    game = PtyGame(tmp_path, ["play", FIRST, "--plain", "--recordings", str(tmp_path)])
    yield game
    game.close()


def test_the_size_of_the_terminal_is_recorded(terminal: PtyGame, tmp_path: Path) -> None:
    terminal.wait_for("SRE>")
    terminal.type(b"quit\n")
    assert terminal.ended() == 0
    (path,) = tmp_path.glob("*.jsonl")
    ui = read_recording(path).header.ui
    assert (ui.name, ui.columns, ui.rows) == ("chaosops-plain", 80, 24)


@pytest.mark.slow
def test_a_disk_that_filled_up_is_said_with_the_turn_that_is_saved(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "chaosops", "play", "paying-ends-in-an-error", "--plain"]
    done = subprocess.run(
        [*command, "--role", "sre", "--recordings", str(tmp_path)],
        input="pass\n" * 4,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (24_000, 24_000)),
    )
    (log,) = tmp_path.glob("*.jsonl")
    kept = len(read_recording(log).turns)
    assert 0 < kept < 16
    assert f"Saved up to turn {kept}; later turns, up to 16, are not saved." in done.stdout
