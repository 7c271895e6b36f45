"""The pace of a game: the shot clock of a person's turn, and the pauses between the others'."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Pace:
    """Keeps teammates' turns in view for a moment, unless it is fast; waits while it is paused.

    Attributes:
        fast: Whether the others' turns pass without a pause.
    """

    def __init__(self, seconds: float) -> None:
        """Set the seconds for a teammate's turn; 0 shows only the outcome."""
        self._seconds = seconds
        self._hurry = asyncio.Event()
        self._running = asyncio.Event()
        self._running.set()
        self.fast = False

    def go_fast(self, fast: bool) -> None:
        """Switch fast mode on or off; it ends a pause at once."""
        self.fast = fast
        if fast:
            self._hurry.set()
        else:
            self._hurry.clear()

    def pause(self) -> None:
        """Keep turns from beginning."""
        self._running.clear()

    def go_on(self) -> None:
        """Continue."""
        self._running.set()

    async def ready(self) -> None:
        """Wait while it is paused."""
        await self._running.wait()

    async def hold(self) -> None:
        """Keep a teammate's turn in view."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), self._seconds)
        await self.ready()


def clock_words(left: float) -> str:
    """Format the seconds left on a shot clock: "1:05", "0:09 left"."""
    seconds = max(0, int(left + 0.999))
    suffix = " left" if seconds <= 10 else ""
    return f"{seconds // 60}:{seconds % 60:02d}{suffix}"
