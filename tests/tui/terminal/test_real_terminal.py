"""The game in a real terminal: keys in through tmux, the screen out of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.recording.reader import read_recording
from tests.tui.games import scenario
from tests.tui.terminals import Terminal, is_over_or_at

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
]


@pytest.fixture(params=[(80, 24), (120, 40)], ids=["80x24", "120x40"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path, *request.param)
    yield opened
    opened.close()


def start(terminal: Terminal, folder: Path, *options: str) -> None:
    terminal.run("play", scenario().id, "--seed", "7", "--recordings", str(folder), *options)
    terminal.wait_for("Your turn", "turn ", "score")


def only_recording(folder: Path) -> Path:
    (path,) = folder.glob("*.jsonl")
    return path


def test_turns_are_played_by_keys_and_land_on_disk(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal, tmp_path)
    terminal.press("1")
    terminal.wait_for("investigate › on what?")
    terminal.press("/")
    terminal.wait_for("type to search")
    terminal.type("db")
    terminal.press("Enter")
    terminal.wait_for("investigate › db › source?")
    terminal.press("4")
    terminal.wait_for("runtime of db", "sessions by state", "Close")
    terminal.press("Escape")
    terminal.wait_for("turn 5/", "Your turn", "Found at db")
    terminal.press("C-q")
    terminal.wait_for("exit code 0")
    assert len(read_recording(only_recording(tmp_path)).turns) == 4


def test_an_incident_is_played_to_its_end(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal, tmp_path, "--role", "oversight", "--teammates", "expert")
    turn = 2
    while True:
        terminal.press("0")
        terminal.wait_for("Enter  do it")
        terminal.take(lambda: terminal.press("Enter"))
        turn += 4
        seen = terminal.wait_until(
            lambda text, at=turn: (
                "Resolved in" in text or (f"turn {at}/" in text and "Your turn" in text)
            )
        )
        if "Resolved in" in seen:
            break
    terminal.press("q")
    terminal.wait_for("exit code 0")
    recording = read_recording(only_recording(tmp_path))
    assert recording.footer is not None
    assert recording.footer.resolved


def search_for(terminal: Terminal, *words: str) -> None:
    """Answer one question after another by searching, then do it."""
    for word in words:
        terminal.press("/")
        terminal.wait_for("type to search")
        terminal.type(word)
        terminal.press("Enter")
        terminal.wait_until(lambda seen, word=word: f"{word} ›" in seen or "do it" in seen)
    terminal.take(lambda: terminal.press("Enter"))


def test_the_tutorial_is_solved_by_keys_alone(terminal: Terminal, tmp_path: Path) -> None:
    folder = str(tmp_path)
    terminal.run("play", "first-shift-1-product-pages", "--recordings", folder)
    terminal.wait_for("Your turn", "turn 1/")
    search_for(terminal, "investigate", "catalog", "runtime")
    terminal.wait_for("runtime of catalog", "Close")
    terminal.press("Escape")
    terminal.wait_for("Your turn", "turn 5/")
    search_for(terminal, "investigate", "db", "runtime")
    terminal.wait_for("runtime of db", "Close")
    terminal.press("Escape")
    terminal.wait_for("Your turn", "turn 9/")
    search_for(terminal, "share", "db", "all")
    terminal.wait_for("Your turn", "turn 13/")
    search_for(terminal, "propose", "catalog", "disable feature")
    seen = terminal.wait_until(lambda seen: is_over_or_at(17, seen))
    for turn in (21, 25, 29):
        if "Resolved in" not in seen:
            terminal.press("0")
            terminal.wait_for("Enter  do it")
            terminal.take(lambda: terminal.press("Enter"))
            seen = terminal.wait_until(lambda seen, turn=turn: is_over_or_at(turn, seen))
    assert "Resolved in" in seen
    terminal.press("q")
    terminal.wait_for("exit code 0")
    asked = read_recording(only_recording(tmp_path)).turns[12].frame.action.args["proposal"]
    assert (asked["action_type"], asked["target"]) == ("disable_feature", "catalog")


def test_a_resize_in_the_middle_of_a_turn_loses_nothing(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal, tmp_path)
    terminal.press("r")
    terminal.wait_for("restart › on what?")
    terminal.resize(2, 2)
    terminal.resize(100, 35)
    terminal.wait_for("restart › on what?", "Services")
    terminal.press("C-c")
    terminal.wait_for("exit code 0")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(
    terminal: Terminal, tmp_path: Path, number: signal.Signals
) -> None:
    start(terminal, tmp_path)
    terminal.press("0")
    terminal.wait_for("Enter  do it")
    terminal.take(lambda: terminal.press("Enter"))
    terminal.wait_for("turn 5/", "Your turn")
    found = subprocess.run(
        ["pgrep", "-f", f"^{sys.executable} -m chaosops play .* {tmp_path}"],
        capture_output=True,
        text=True,
        check=True,
    )
    os.kill(int(found.stdout.split()[0]), number)
    seen = terminal.wait_for(f"exit code {128 + number}")
    assert "Your turn" not in seen
    assert len(read_recording(only_recording(tmp_path)).turns) == 4
