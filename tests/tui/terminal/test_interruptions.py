"""Stopped, continued, busy or flooded: the game ends when told to, on a terminal as it was."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chaosops.recording.reader import read_recording
from tests.tui.games import scenario
from tests.tui.pty_game import PtyGame

if sys.platform == "win32":
    pytest.skip("needs a pty", allow_module_level=True)

pytestmark = pytest.mark.terminal

Play = Callable[..., PtyGame]

BUSY = """
from tui.screens.incident.screen import IncidentScreen
def spin(self):
    print("spinning", file=open("/dev/tty", "w"), flush=True)
    while True: pass
IncidentScreen.action_explain = spin
"""
"""Makes the help key keep the event loop busy for ever."""


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    started: list[PtyGame] = []

    def begin(first: str = "", **environment: str) -> PtyGame:
        words = ("play", scenario().id, "--seed", "7", "--recordings", str(tmp_path / "games"))
        game = PtyGame(tmp_path / "config", words, environment, first)
        started.append(game)
        game.wait_for("Your turn")
        return game

    yield begin
    for game in started:
        game.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_game_whose_loop_is_busy(play: Play, number: signal.Signals) -> None:
    game = play(BUSY)
    game.type(b"?")
    game.wait_for("spinning")
    game.process.send_signal(number)
    assert game.ended() == 128 + number
    assert game.left_on() == []


@pytest.mark.parametrize("key", [b"\x03", b"\x1b[99;5u"], ids=["as a byte", "as Kitty sends it"])
def test_ctrl_c_ends_a_game_whose_loop_is_busy(play: Play, key: bytes) -> None:
    game = play(BUSY)
    game.type(b"?")
    game.wait_for("spinning")
    game.type(key)
    assert game.ended() == 128 + signal.SIGINT
    assert game.left_on() == []


def test_a_continue_that_follows_no_stop_changes_nothing(play: Play) -> None:
    game = play()
    for _ in range(3):
        game.process.send_signal(signal.SIGCONT)
        game.wait_for(b"\x1b[?1049h")
        game.wait_for("Your turn")
    game.type(b"\x03")
    assert game.ended() == 0
    assert game.left_on() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_continue_right_after_the_end_was_asked_for_leaves_the_terminal_alone(
    play: Play, number: signal.Signals
) -> None:
    game = play()
    game.process.send_signal(number)
    for _ in range(5):
        game.process.send_signal(signal.SIGCONT)
    assert game.ended() == 128 + number
    assert game.left_on() == []


def test_a_stop_that_cannot_be_caught_and_a_continue_bring_the_screen_back(play: Play) -> None:
    game = play()
    game.process.send_signal(signal.SIGSTOP)
    game.waits_stopped()
    game.process.send_signal(signal.SIGCONT)
    game.wait_for(b"\x1b[?1049h")
    game.wait_for("Your turn")
    assert game.is_raw()
    game.type(b"\x03")
    assert game.ended() == 0
    assert game.left_on() == []


@pytest.mark.parametrize("way", ["key", "signal"])
def test_the_game_can_be_suspended_and_goes_on(play: Play, way: str, tmp_path: Path) -> None:
    game = play()
    if way == "key":
        game.type(b"\x1a")
    else:
        game.process.send_signal(signal.SIGTSTP)
    game.waits_stopped()
    assert game.left_on() == []
    game.process.send_signal(signal.SIGCONT)
    game.wait_for(b"\x1b[?1049h")
    game.wait_for("Your turn")
    assert game.is_raw()
    game.type(b"0")
    game.wait_for("Enter")
    game.type(b"\r")
    game.wait_for("turn 5/")
    game.type(b"\x03")
    assert game.ended() == 0
    assert game.left_on() == []
    (path,) = (tmp_path / "games").glob("*.jsonl")
    assert len(read_recording(path).turns) == 4


def test_a_signal_ends_a_game_that_is_suspended(play: Play) -> None:
    game = play()
    game.type(b"\x1a")
    game.waits_stopped()
    game.process.send_signal(signal.SIGTERM)
    game.process.send_signal(signal.SIGCONT)
    assert game.ended() == 128 + signal.SIGTERM
    assert game.left_on() == []


def test_a_report_of_a_size_that_is_not_so_changes_nothing(play: Play) -> None:
    game = play()
    before = len(game.seen)
    game.type(b"\x1b[48;2000;2000;9;9t")
    game.type(b"?")
    game.wait_for("explains every term")
    assert len(game.seen) - before < 100_000
    game.type(b"\x03")
    assert game.ended() == 0


def test_of_a_terminal_without_end_only_so_much_is_drawn(play: Play) -> None:
    from tui.terminal.driver import MAX_COLUMNS, MAX_ROWS

    game = play()
    before = len(game.seen)
    game.resize(20_000, 20_000)
    game.wait_for("Your turn")
    game.type(b"\x03")
    assert game.ended() == 0
    assert len(game.seen) - before < MAX_COLUMNS * MAX_ROWS * 40
    assert game.left_on() == []


PASTED = [
    b"0\r",
    b"0\n",
    b"0\r\n",
    b"0\r0\r0\r0\r",
    b"\x1b[200~0\r\x1b[201~",
    b"\x1b[200~0\n\x1b[201~",
]


@pytest.mark.parametrize("text", PASTED)
def test_what_is_pasted_takes_no_turn_with_brackets_or_without(
    play: Play, text: bytes, tmp_path: Path
) -> None:
    game = play()
    game.type(text)
    game.type(b"\x1b[27u\x1b[27u?")
    game.wait_for("explains every term")
    game.type(b"\x03")
    assert game.ended() == 0
    for path in (tmp_path / "games").glob("*.jsonl"):
        assert read_recording(path).turns == ()


def test_a_key_whose_rest_comes_after_escape_had_its_effect_is_not_typed(play: Play) -> None:
    game = play()
    game.type(b"0")
    game.wait_for("do it")
    game.type(b"\x1b")
    game.wait_for("by key, arrows")
    game.type(b"[5~")
    game.type(b"?")
    game.wait_for("explains every term")
    assert b"restart \xe2\x80\xba" not in game.seen
