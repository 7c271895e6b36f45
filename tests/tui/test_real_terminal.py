"""The game in a real terminal: keys in through tmux, the screen out of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chaosops.recording.reader import read_recording
from tests.tui.games import scenario

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
]

_DEADLINE = 30.0


class Terminal:
    """A shell in a tmux of its own."""

    def __init__(self, socket: Path, columns: int, rows: int) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]
        self._run("new-session", "-d", "-x", str(columns), "-y", str(rows), "env PS1='$ ' sh")
        self._run("set-option", "-g", "status", "off")
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [*self._tmux, *words], capture_output=True, text=True, check=True, timeout=_DEADLINE
        )
        return done.stdout

    def type(self, text: str) -> None:
        self._run("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    def screen(self) -> str:
        return self._run("capture-pane", "-p")

    def resize(self, columns: int, rows: int) -> None:
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_until(self, true_of: Callable[[str], bool]) -> str:
        """The screen, once something is true of it."""
        end = time.monotonic() + _DEADLINE
        while not true_of(seen := self.screen()):
            assert time.monotonic() < end, f"it never came up:\n{seen}"
            time.sleep(0.02)
        return seen

    def wait_for(self, *texts: str) -> str:
        """The screen, once every text is on it."""
        return self.wait_until(lambda seen: all(text in seen for text in texts))

    def close(self) -> None:
        self._run("kill-server")


@pytest.fixture(params=[(80, 24), (120, 40)], ids=["80x24", "120x40"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path / "tmux", *request.param)
    yield opened
    opened.close()


def start(terminal: Terminal, folder: Path, *options: str) -> None:
    words = [sys.executable, "-m", "chaosops", "play", scenario().id, "--seed", "7"]
    words += ["--recordings", str(folder), *options]
    place = Path(__file__).parents[2]
    terminal.type(f"cd {place}; {' '.join(words)}; echo exit code $?")
    terminal.press("Enter")
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
    terminal.wait_for("only you see what it shows")
    terminal.press("Enter")
    terminal.wait_for("turn 5/", "Your turn", "Found at db")
    terminal.press("C-q")
    terminal.wait_for("exit code 0")
    assert len(read_recording(only_recording(tmp_path)).turns) == 4


def test_an_incident_is_played_to_its_end(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal, tmp_path, "--role", "manager")
    turn = 4
    while True:
        terminal.press("0")
        terminal.wait_for("Enter  do it")
        terminal.press("Enter")
        turn += 4
        seen = terminal.wait_until(
            lambda text, at=turn: (
                "What it added up to" in text or (f"turn {at}/" in text and "Your turn" in text)
            )
        )
        if "What it added up to" in seen:
            break
    assert "Resolved in" in seen
    terminal.press("q")
    terminal.wait_for("exit code 0")
    recording = read_recording(only_recording(tmp_path))
    assert recording.footer is not None
    assert recording.footer.resolved


def test_a_resize_in_the_middle_of_a_turn_loses_nothing(terminal: Terminal, tmp_path: Path) -> None:
    start(terminal, tmp_path)
    terminal.press("5")
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
    terminal.press("Enter")
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
