"""However a game ends, its turns are on disk and the terminal is as it was: in a real pty."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from tests.tui.games import scenario
from tests.tui.pty_game import PtyGame
from tui.widgets.key_guard import TOO_SOON

pytestmark = pytest.mark.terminal

if sys.platform == "win32":
    pytest.skip("needs a pty", allow_module_level=True)

Start = Callable[..., PtyGame]

SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
MOMENTS = {
    "as the screen comes up": b"\x1b[?1049h",
    "while the incident is opened": b"pager",
    "in a person's turn": b"Your turn",
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[PtyGame] = []

    def begin(*words: str, environment: Mapping[str, str] | None = None) -> PtyGame:
        game = PtyGame(tmp_path / "config", words, environment)
        started.append(game)
        return game

    yield begin
    for game in started:
        game.close()


def play(start: Start, folder: Path, **more: Mapping[str, str]) -> PtyGame:
    return start("play", scenario().id, "--seed", "7", "--recordings", str(folder), **more)


def a_round(game: PtyGame) -> None:
    """Pass once it is a person's turn, and see the next one come."""
    game.wait_for("Your turn")
    a_pass(game)


def a_pass(game: PtyGame) -> None:
    """Pass, and see the next turn come."""
    game.type(b"0")
    game.wait_for("takes this turn")
    game.type(b"\r")
    while game.wait_for_one("Your turn", TOO_SOON) == TOO_SOON:
        game.wait_for("pass")
        game.type(b"\r")


def unwrapped(said: bytes) -> bytes:
    """Text that was wrapped to the width of the terminal, on one line."""
    return b" ".join(said.split())


def only_recording(folder: Path) -> Path:
    (path,) = folder.glob("*.jsonl")
    return path


def goes_on(path: Path, turns: int) -> None:
    """The recording has these turns, and the game goes on from there and can be recorded."""
    assert len(read_recording(path).turns) == turns
    resumed = reopen(path)
    assert len(resumed.recording.turns) == turns
    assert resumed.stepper.observation.step == turns
    resumed.writer.close()


@pytest.mark.parametrize("key", [b"\x03", b"\x11"], ids=["ctrl+c", "ctrl+q"])
def test_leaving_by_a_key_gives_the_terminal_back(start: Start, tmp_path: Path, key: bytes) -> None:
    game = play(start, tmp_path)
    a_round(game)
    game.type(key)
    assert game.ended() == 0
    assert game.left_on() == []
    path = str(only_recording(tmp_path)).encode()
    said = unwrapped(game.seen.rpartition(b"\x1b[?1049l")[2])
    assert b"Saved after turn 4. To continue: chaosops resume " + path in said
    goes_on(only_recording(tmp_path), 4)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_a_game_that_can_go_on(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    game = play(start, tmp_path)
    a_round(game)
    game.process.send_signal(number)
    assert game.ended() == 128 + number
    assert game.left_on() == []
    assert b"Traceback" not in game.seen
    goes_on(only_recording(tmp_path), 4)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_any_moment_gives_the_terminal_back(
    start: Start, tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    game = play(start, tmp_path)
    game.wait_for(MOMENTS[moment])
    game.process.send_signal(number)
    assert game.ended() == 128 + number
    assert game.left_on() == []
    assert b"Traceback" not in game.seen


def test_a_signal_while_teammates_play_loses_no_turn_that_was_taken(
    start: Start, tmp_path: Path
) -> None:
    game = play(start, tmp_path)
    game.wait_for("Your turn")
    game.type(b"0")
    game.wait_for("Enter")
    game.type(b"\r")
    game.wait_for("decides")
    game.process.send_signal(signal.SIGTERM)
    assert game.ended() == 128 + signal.SIGTERM
    assert game.left_on() == []
    path = only_recording(tmp_path)
    goes_on(path, len(read_recording(path).turns))
    assert read_recording(path).turns


@pytest.mark.parametrize("moment", MOMENTS)
def test_kill_9_leaves_a_game_that_goes_on(start: Start, tmp_path: Path, moment: str) -> None:
    game = play(start, tmp_path)
    game.wait_for(MOMENTS[moment])
    game.process.kill()
    assert game.ended() == -signal.SIGKILL
    for path in tmp_path.glob("*.jsonl"):
        goes_on(path, 0)


def test_kill_9_after_a_turn_leaves_the_turn(start: Start, tmp_path: Path) -> None:
    game = play(start, tmp_path)
    a_round(game)
    game.process.kill()
    game.ended()
    goes_on(only_recording(tmp_path), 4)
    again = start("resume", "--recordings", str(tmp_path))
    again.wait_for("turn 5/")
    a_round(again)
    again.type(b"\x11")
    assert again.ended() == 0
    goes_on(only_recording(tmp_path), 8)


def test_a_window_that_is_closed_ends_the_game(start: Start, tmp_path: Path) -> None:
    game = play(start, tmp_path)
    a_round(game)
    game.hang_up()
    game.process.wait(timeout=20)
    goes_on(only_recording(tmp_path), 4)


def test_a_torn_last_line_is_repaired_and_said(start: Start, tmp_path: Path) -> None:
    game = play(start, tmp_path)
    a_round(game)
    game.process.kill()
    game.ended()
    path = only_recording(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    again = start("resume", str(path), "--recordings", str(tmp_path))
    again.wait_for("repaired")
    again.wait_for("turn 5/")
    again.type(b"\x11")
    assert again.ended() == 0


def test_the_title_names_the_game_and_is_given_back(start: Start, tmp_path: Path) -> None:
    game = play(start, tmp_path)
    game.wait_for("Your turn")
    game.type(b"\x11")
    assert game.ended() == 0
    assert f"\x1b]2;{scenario().title}".encode() in game.seen
    assert game.seen.rfind(b"\x1b[23;2t") > game.seen.rfind(b"\x1b]2;")
    assert game.seen.find(b"\x1b[22;2t") < game.seen.find(b"\x1b]2;")


def test_with_the_mouse_off_the_terminal_keeps_it(start: Start, tmp_path: Path) -> None:
    (tmp_path / "config" / "chaosops").mkdir(parents=True)
    settings = tmp_path / "config" / "chaosops" / "settings.toml"
    settings.write_text("mouse = false\n", encoding="utf-8")
    game = play(start, tmp_path)
    game.wait_for("Your turn")
    game.type(b"\x11")
    assert game.ended() == 0
    assert b"\x1b[?1000h" not in game.seen
    assert b"\x1b[?1049h" in game.seen


@pytest.mark.parametrize("theme", [None, "chaosops-light", "ansi-dark", "ansi-light"])
def test_no_color_sends_no_colour_in_any_theme(
    start: Start, tmp_path: Path, theme: str | None
) -> None:
    words = ("play", scenario().id, "--seed", "7", "--recordings", str(tmp_path))
    named = () if theme is None else ("--theme", theme)
    game = start(*words, *named, environment={"NO_COLOR": "1"})
    game.wait_for("Your turn")
    game.type(b"?")
    game.wait_for("explains every term")
    game.type(b"q")
    game.wait_for("Next pane")
    a_pass(game)
    game.type(b"\x11")
    assert game.ended() == 0
    codes = [
        code
        for sequence in re.findall(rb"\x1b\[([0-9;:]*)m", game.seen)
        for code in re.split(rb"[;:]", sequence)
    ]
    assert b"1" in codes
    assert b"7" in codes
    assert {code for code in codes if int(code or 0) >= 30} == set()


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["C", "ascii"],
)
def test_without_a_locale_the_shapes_are_there(
    start: Start, tmp_path: Path, locale: Mapping[str, str]
) -> None:
    game = play(start, tmp_path, environment=locale)
    game.wait_for("●")
    game.type(b"\x11")
    assert game.ended() == 0
    assert b"\\u25" not in game.seen


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_cannot_place_text_is_told_what_can(
    start: Start, tmp_path: Path, kind: str
) -> None:
    game = play(start, tmp_path, environment={"TERM": kind})
    assert game.ended() == 1
    assert b"--plain" in game.seen
    assert b"\x1b" not in game.seen
    assert game.seen.count(b"error:") == 1
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_broken_incident_is_one_line_on_a_terminal_as_it_was(
    start: Start, tmp_path: Path
) -> None:
    text = scenario().source.path.read_text(encoding="utf-8")
    broken = tmp_path / "mine.yaml"
    broken.write_text(text.replace("\npage: ", "\npage: no_", 1), encoding="utf-8")
    game = start("play", str(broken), "--recordings", str(tmp_path))
    assert game.ended() == 1
    assert game.left_on() == []
    last = unwrapped(game.seen.rpartition(b"\x1b[23;2t")[2])
    assert last.startswith(b"error: ")
    assert b"mine.yaml:" in last
    assert last.count(b"error:") == 1


def test_an_unknown_incident_never_touches_the_terminal(start: Start, tmp_path: Path) -> None:
    game = start("play", "orders-han", "--recordings", str(tmp_path))
    assert game.ended() == 2
    assert b"paying-ends-in-an-error" in game.seen
    assert b"\x1b" not in game.seen
