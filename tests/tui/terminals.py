"""A real terminal: keys and clicks in through tmux, the screen out of it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from chaosops.recording.consent import ConsentStore
from tui.widgets.key_guard import TOO_SOON

DEADLINE = 30.0
_PATIENCE = 5.0
"""Seconds after which an act is lost: the notice that it came too soon was missed."""

ROOT = Path(__file__).parents[2]


class Terminal:
    """A shell in a tmux of its own, with a config folder of its own where consent was declined."""

    def __init__(self, folder: Path, columns: int, rows: int) -> None:
        config = folder / "config"
        ConsentStore(config / "chaosops").decline()
        self._tmux = ["tmux", "-S", str(folder / "tmux"), "-f", os.devnull]
        shell = f"env -u COLUMNS -u LINES PS1='$ ' XDG_CONFIG_HOME={shlex.quote(str(config))} sh"
        self._run("new-session", "-d", "-x", str(columns), "-y", str(rows), shell)
        self._run("set-option", "-g", "status", "off")
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [*self._tmux, *words], capture_output=True, text=True, check=True, timeout=DEADLINE
        )
        return done.stdout

    def type(self, text: str) -> None:
        self._run("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    def click(self, column: int, row: int) -> None:
        """Press and release the left button on a cell, counted from 0, as a terminal reports it."""
        self._report(0, column, row, "M")
        self._report(0, column, row, "m")

    def wheel_down(self, column: int, row: int) -> None:
        """Turn the wheel by a notch over a cell."""
        self._report(65, column, row, "M")

    def _report(self, button: int, column: int, row: int, end: str) -> None:
        report = f"\x1b[<{button};{column + 1};{row + 1}{end}".encode()
        self._run("send-keys", "-H", *(f"{byte:02x}" for byte in report))

    def screen(self) -> str:
        return self._run("capture-pane", "-p")

    def resize(self, columns: int, rows: int) -> None:
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_until(self, true_of: Callable[[str], bool]) -> str:
        """The screen, once something is true of it."""
        seen = self._look_until(true_of, DEADLINE)
        assert true_of(seen), f"it never came up:\n{seen}"
        return seen

    def _look_until(self, true_of: Callable[[str], bool], patience: float) -> str:
        """The screen once something is true of it, or as it is after some seconds."""
        end = time.monotonic() + patience
        while not true_of(seen := self.screen()) and time.monotonic() < end:
            time.sleep(0.05)
        return seen

    def wait_for(self, *texts: str) -> str:
        """The screen, once every text is on it."""
        return self.wait_until(lambda seen: all(text in seen for text in texts))

    def take(self, act: Callable[[], None]) -> None:
        """Do what takes a turn at the last look, and again where it came too soon."""
        self.wait_for("do it")
        act()
        end = time.monotonic() + DEADLINE
        while "do it" in (
            seen := self._look_until(
                lambda seen: TOO_SOON in seen or "do it" not in seen, _PATIENCE
            )
        ):
            assert time.monotonic() < end, f"it was not taken:\n{seen}"
            self.wait_until(lambda seen: TOO_SOON not in seen)
            act()

    def run(self, *words: str) -> None:
        """Type a command of `chaosops`, which says its exit code when it ends."""
        command = shlex.join([sys.executable, "-m", "chaosops", *words])
        self.type(f"cd {shlex.quote(str(ROOT))}; clear; {command}; echo exit code $?")
        self.press("Enter")

    def close(self) -> None:
        self._run("kill-server")


def is_over_or_at(turn: int, seen: str) -> bool:
    """Whether the debrief is there, or a person is asked for that turn, counted from 1."""
    return "Resolved in" in seen or (f"turn {turn}/" in seen and "Your turn" in seen)
