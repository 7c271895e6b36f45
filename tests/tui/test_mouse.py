"""The game by mouse alone, in a real terminal."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.env.models import ActionType, AgentRole
from chaosops.recording.reader import read_recording
from tests.tui.terminals import DEADLINE, Terminal, is_over_or_at

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
]


_PATIENCE = 5.0
"""Seconds after which a click is lost: the screen moved under it."""


class Mouse:
    """Clicks through the picker, folded or not, and turns the wheel where it is too short."""

    def __init__(self, terminal: Terminal, columns: int) -> None:
        self._terminal = terminal
        self._folded = columns < 100
        self._from = 0 if self._folded else columns // 2

    def act(self, *words: str) -> None:
        """Choose a verb and its answers, and do it."""
        if self._folded:
            self._click("investigate", below="Your turn")
        trail = "Choose by key, arrows or mouse"
        for word in words:
            self._terminal.wait_for(trail)
            self._click(word, below=trail)
            trail = "›" if trail.startswith("By") else f"{word} ›"
        self._terminal.take(lambda: self._click("do it", below="›"))

    def close(self) -> None:
        """Click on the key that closes a reading, in the last line."""
        lines = self._terminal.screen().splitlines()
        row = max(k for k, line in enumerate(lines) if "Close" in line)
        self._terminal.click(lines[row].find("Close") + 1, row)

    def _click(self, text: str, *, below: str) -> None:
        """Click on a text below the picker's trail, until the trail is another one."""
        end = time.monotonic() + DEADLINE
        trail = self._trail(below)
        while self._trail(below) == trail:
            assert time.monotonic() < end, f"no {text!r} to click on:\n{self._terminal.screen()}"
            place = self._find(text, below)
            if place is None:
                top = self._find(below, "")
                if top is not None:
                    self._terminal.wheel_down(top[0] + 2, top[1] + 2)
                time.sleep(0.1)
            elif place == self._find(text, below):
                self._terminal.click(place[0] + len(text) // 2, place[1])
                patience = time.monotonic() + _PATIENCE
                while self._trail(below) == trail and time.monotonic() < patience:
                    if text not in self._terminal.screen():
                        return
                    time.sleep(0.05)

    def _trail(self, below: str) -> str:
        """The last line that holds a text, without what stands beside the picker."""
        lines = [line[self._from :] for line in self._terminal.screen().splitlines()]
        return next((line for line in reversed(lines) if below in line), "")

    def _find(self, text: str, below: str) -> tuple[int, int] | None:
        """Column and row of the first place of a text below another one."""
        lines = self._terminal.screen().splitlines()
        tops = [row for row, line in enumerate(lines) if below in line[self._from :]]
        for row in range(tops[-1] + 1 if below and tops else 0, len(lines)):
            if re.match(r"\s*t\d", lines[row]):
                continue  # a line of the reward log, which names actions too
            column = lines[row].find(text, self._from)
            if column >= 0:
                return column, row
        return None


@pytest.fixture(params=[(80, 24), (120, 40)], ids=["80x24", "120x40"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    found: tuple[int, int] = request.param
    return found


@pytest.fixture
def terminal(size: tuple[int, int], tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path, *size)
    yield opened
    opened.close()


def test_an_incident_is_solved_by_mouse_alone(
    terminal: Terminal, size: tuple[int, int], tmp_path: Path
) -> None:
    mouse = Mouse(terminal, size[0])
    folder = str(tmp_path)
    terminal.run("play", "first-shift-1-product-pages", "--recordings", folder)
    terminal.wait_for("Your turn", "turn 1/")
    mouse.act("investigate", "catalog", "runtime")
    terminal.wait_for("runtime of catalog", "Close")
    mouse.close()
    terminal.wait_for("Your turn", "turn 5/")
    mouse.act("investigate", "db", "runtime")
    terminal.wait_for("runtime of db", "Close")
    mouse.close()
    terminal.wait_for("Your turn", "turn 9/")
    mouse.act("share", "db", "all")
    terminal.wait_for("Your turn", "turn 13/")
    mouse.act("propose", "catalog", "disable feature")
    seen = terminal.wait_until(lambda seen: is_over_or_at(17, seen))
    for turn in (21, 25, 29):
        if "Resolved in" not in seen:
            mouse.act("pass")
            seen = terminal.wait_until(lambda seen, turn=turn: is_over_or_at(turn, seen))
    assert "Resolved in" in seen
    terminal.press("C-q")
    terminal.wait_for("exit code 0")
    (path,) = tmp_path.glob("*.jsonl")
    mine = [f.action for f in read_recording(path).frames if f.role is AgentRole.SRE]
    assert [action.action_type for action in mine[:4]] == [
        ActionType.INVESTIGATE,
        ActionType.INVESTIGATE,
        ActionType.COMMUNICATE,
        ActionType.COMMUNICATE,
    ]
