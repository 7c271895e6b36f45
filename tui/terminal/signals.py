"""Ends the game on a signal, and restores the terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Final, Self

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP")
_PATIENCE: Final = 3.0
_LAST_PATIENCE: Final = 0.5
"""The most seconds for restoring a terminal, which may hang."""


class SignalWatch:
    """Catches the signals that end a session, from before the screen appears until it is gone.

    A separate thread gets signals from the system, whatever the rest of the process is
    doing. It asks for an orderly end, and if that doesn't come within some seconds, it
    restores the terminal itself and ends the process. Each turn is on disk before the next
    one, so nothing is lost.
    """

    def __init__(self, give_back: Callable[[], None]) -> None:
        """Create an inactive watch.

        Args:
            give_back: Restores the terminal; called from a thread, just before the end.
        """
        self._give_back = give_back
        self._end: Callable[[int], None] | None = None
        self._timers: list[threading.Timer] = []
        self._before: dict[int, Any] = {}
        self._told, self._tells = socket.socketpair()

    def __enter__(self) -> Self:
        """Catch the signals; only possible in the main thread."""
        self._tells.setblocking(False)
        with suppress(ValueError):
            signal.set_wakeup_fd(self._tells.fileno(), warn_on_full_buffer=False)
            for name in _NAMES:
                number = getattr(signal, name, None)
                if number is not None:
                    self._before[int(number)] = signal.signal(number, _noted)
        threading.Thread(target=self._watch, name="signals", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the previous signal handlers."""
        for timer in self._timers:
            timer.cancel()
        with suppress(ValueError):
            signal.set_wakeup_fd(-1)
            for number, handler in self._before.items():
                signal.signal(number, handler)
        self._tells.close()

    def ask(self, end: Callable[[int], None]) -> None:
        """Let the running loop call `end` with the number of a signal from now on."""
        loop = asyncio.get_running_loop()

        def ask_loop(number: int) -> None:
            loop.call_soon_threadsafe(end, number)

        self._end = ask_loop

    def expect_end(self, number: int = int(signal.SIGINT)) -> None:
        """End the process after some seconds as by a signal, unless it has ended already."""
        timer = threading.Timer(_PATIENCE, self._force, (number,))
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    def _watch(self) -> None:
        while numbers := self._told.recv(64):
            for number in numbers:
                if number in self._before:
                    self._caught(number)
        self._told.close()

    def _caught(self, number: int) -> None:
        if self._end is None:
            self._force(number)
        self.expect_end(number)
        # The loop may have ended already; then the process is about to.
        with suppress(RuntimeError):
            if self._end is not None:
                self._end(number)

    def _force(self, number: int) -> None:
        last = threading.Timer(_LAST_PATIENCE, os._exit, (128 + number,))
        last.daemon = True
        last.start()
        self._give_back()
        os._exit(128 + number)


def _noted(number: int, frame: FrameType | None) -> None:
    """Do nothing: Python only reports signals that have a handler."""
