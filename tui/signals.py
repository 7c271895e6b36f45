"""Ends the game as a signal asks, with the terminal as it was before."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_PATIENCE = 4.0


def end_on_signals(end: Callable[[int], None]) -> None:
    """Have the running loop call `end` with the number of a signal that ends a session.

    Where the end does not come, because the terminal is gone and takes no more output, or
    something waits for ever, the process ends by itself after some seconds. Each turn is on the
    disk before the next one is asked for, so nothing is lost.
    """
    loop = asyncio.get_running_loop()

    def caught(number: int) -> None:
        last = threading.Timer(_PATIENCE, os._exit, (128 + number,))
        last.daemon = True
        last.start()
        end(number)

    for name in _NAMES:
        number = getattr(signal, name, None)
        if number is not None:
            # Windows, and a loop outside the main thread, take none: what the system does stays.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, caught, int(number))
