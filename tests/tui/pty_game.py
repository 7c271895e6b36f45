"""The game on a terminal of its own, without anything between: bytes in, bytes out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from chaosops.recording.consent import ConsentStore

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 40.0

MODES = {
    "alternate screen": b"\x1b[?1049",
    "mouse": b"\x1b[?1000",
    "any mouse move": b"\x1b[?1003",
    "bracketed paste": b"\x1b[?2004",
    "focus events": b"\x1b[?1004",
}
"""What a game switches on with h, and has to switch off with l."""


_START = """
import fcntl, runpy, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
{first}
runpy.run_module("chaosops", run_name="__main__")
"""
"""The terminal becomes the controlling one, so that closing it hangs the process up."""


class PtyGame:
    """A command of the game in a process with a terminal of 80 x 24."""

    def __init__(
        self,
        home: Path,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        first: str = "",
    ) -> None:
        """Start it.

        Args:
            home: A folder for its settings; the consent in it has been declined.
            first: Python that the process runs before the game.
        """
        ConsentStore(home / "chaosops").decline()
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._theirs = theirs
        self.before = termios.tcgetattr(theirs)
        self.seen = b""
        self._at = 0
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START.format(first=first), *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env={
                **{name: value for name, value in os.environ.items() if name != "NO_COLOR"},
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "XDG_CONFIG_HOME": str(home),
                **(environment or {}),
            },
            start_new_session=True,
        )

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def wait_for(self, text: str | bytes, patience: float = DEADLINE) -> None:
        """Read until it was written after what was waited for last."""
        wanted = text.encode() if isinstance(text, str) else text
        end = time.monotonic() + patience
        while (at := self.seen.find(wanted, self._at)) < 0:
            assert time.monotonic() < end, f"{wanted!r} never came: {self.seen[-800:]!r}"
            assert self._read(0.2) or self.process.poll() is None, self.seen[-800:]
        self._at = at + len(wanted)

    def wait_for_one(self, *texts: str) -> str:
        """Read until one of some texts was written, and return it."""
        end = time.monotonic() + DEADLINE
        while not (found := [text for text in texts if self._written(text)]):
            assert time.monotonic() < end, f"none of {texts} came: {self.seen[-800:]!r}"
            self._read(0.05)
        self.wait_for(found[0])
        return found[0]

    def _written(self, text: str) -> bool:
        return self.seen.find(text.encode(), self._at) >= 0

    def ended(self) -> int:
        """The exit code, once it has ended and all it wrote was read."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end: {self.seen[-800:]!r}"
            self._read(0.05)
        while self._read(0.05):
            pass
        return self.process.returncode

    def waits_stopped(self) -> None:
        """Wait until the process was stopped, and all it wrote before was read."""
        end = time.monotonic() + DEADLINE
        while (state := self._state()) != "T":
            assert time.monotonic() < end, f"it does not stop: {state}"
            self._read(0.05)
        while self._read(0.05):
            pass

    def _state(self) -> str:
        stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        return stat.rpartition(")")[2].split()[0]

    def is_raw(self) -> bool:
        """Whether keys come one by one and are not echoed."""
        modes = termios.tcgetattr(self._theirs)[3]
        return not modes & (termios.ICANON | termios.ECHO)

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size."""
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def hang_up(self) -> None:
        """Close the terminal, as a window that is closed does."""
        os.close(self._theirs)
        os.close(self._ours)
        self._theirs = self._ours = -1

    def left_on(self) -> list[str]:
        """The modes that the terminal is left in."""
        on = [
            name
            for name, code in MODES.items()
            if self.seen.rfind(code + b"h") > self.seen.rfind(code + b"l")
        ]
        if self.seen.rfind(b"\x1b[?25l") > self.seen.rfind(b"\x1b[?25h"):
            on.append("hidden cursor")
        if termios.tcgetattr(self._theirs) != self.before:
            on.append("raw input")
        return on

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self._ours, self._theirs):
            if descriptor >= 0:
                os.close(descriptor)

    def _read(self, patience: float) -> bool:
        if self._ours < 0 or not select.select([self._ours], [], [], patience)[0]:
            return False
        with suppress(OSError):
            self.seen += os.read(self._ours, 65_536)
            return True
        return False
