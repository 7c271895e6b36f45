"""Whatever bytes a terminal sends, the game takes them for no more than they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.screen import Screen

from chaosops.recording.reader import read_recording
from tests.tui.games import scenario
from tests.tui.pty_game import PtyGame
from tui.app import ChaosOpsApp
from tui.terminal.sequences import Held

if sys.platform == "win32":
    pytest.skip("needs a pty", allow_module_level=True)


from tui.terminal.driver import SafeInputDriver


@pytest.fixture
def game(tmp_path: Path) -> Iterator[PtyGame]:
    words = ("play", scenario().id, "--seed", "7", "--recordings", str(tmp_path / "games"))
    started = PtyGame(tmp_path / "config", words)
    yield started
    started.close()


@pytest.mark.terminal
@pytest.mark.parametrize(
    "sent",
    [
        b"\x1b[200~x \x1b0\x1b\r\x1b\r\x1b[31m y\x1b[201~",
        b"\x1b[200~caf\xe9\x1b[201~",
        b"\xe9",
        b"\xc3",
        b"\x1b[200~\xff\xfe\x00\x1b[201~",
        b"\x1b[99999999999u",
        b"\x1b[1;::u\x1b[1:2;3u",
        b"\x1b[97;1;1114112u",
        b"\x1b[48;2000;2000;9;9t",
        b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
        b"\x1bP>|xterm(370)\x1b\\",
        b"\x1b[?62;1;2;4;6;9;15;16;17;18;21;22;28;29;52c",
        b"\x1b[>41;370;0c",
        b"\x1b]52;c;MA0K\x07",
    ],
)
def test_hostile_bytes_take_no_turn_and_end_no_game(
    sent: bytes, game: PtyGame, tmp_path: Path
) -> None:
    game.wait_for("Your turn")
    game.type(sent)
    game.type(b"0")
    game.wait_for("Enter")
    game.type(b"\r")
    game.wait_for("Your turn")
    game.type(b"\x03")
    assert game.ended() == 0
    (path,) = (tmp_path / "games").glob("*.jsonl")
    taken = [turn for turn in read_recording(path).turns if turn.human.source == "human"]
    assert [turn.frame.action.action_type for turn in taken] == ["noop"]


SLOW_TO_RAW_INPUT = """
import termios, time
set_modes = termios.tcsetattr
def slowly(descriptor, when, modes):
    if not modes[3] & termios.ICANON:
        time.sleep(0.3)
    set_modes(descriptor, when, modes)
termios.tcsetattr = slowly
"""
"""Python that stretches the moment in which the terminal still edits lines by itself."""


@pytest.mark.terminal
def test_a_key_counts_from_the_first_moment_of_the_screen(tmp_path: Path) -> None:
    words = ("play", scenario().id, "--recordings", str(tmp_path / "games"))
    game = PtyGame(tmp_path / "config", words, first=SLOW_TO_RAW_INPUT)
    try:
        game.wait_for(b"\x1b[?1049h")
        game.type(b"\x13\x11")
        assert game.ended() == 0
        assert not game.left_on()
    finally:
        game.close()


@pytest.mark.parametrize(
    ("held", "seconds"),
    [(Held.NOTHING, None), (Held.KEY, 0.25), (Held.SEQUENCE, 0.5), (Held.PASTE, 3.0)],
)
def test_the_rest_of_what_was_begun_is_waited_for_as_the_settings_say(
    held: Held, seconds: float | None
) -> None:
    driver = SafeInputDriver.__new__(SafeInputDriver)
    driver._app = ChaosOpsApp(Screen)
    driver._app.preferences.change(escape_wait=250)
    assert driver._wait_for(held) == seconds


def test_what_no_hand_can_have_typed_apart_counts_as_typed_together() -> None:
    driver = SafeInputDriver.__new__(SafeInputDriver)
    assert [driver._together(at) for at in (5.0, 5.001, 5.015, 5.03)] == [5.0] * 4
    assert [driver._together(at) for at in (5.06, 6.0)] == [5.06, 6.0]
