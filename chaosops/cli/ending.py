"""Lets a command clean up when a signal ends it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def cleaned_up() -> Iterator[None]:
    """Make signals that end the process run every `with` and `finally` block first.

    During the cleanup, further signals are ignored. Signals that were ignored before stay ignored.
    Outside the main thread, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    caught = {number: old for number, old in before.items() if old is not signal.SIG_IGN}

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        for other in caught:
            signal.signal(other, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, old in caught.items():
            signal.signal(number, old)
