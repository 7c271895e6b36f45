"""How fast a game goes: the shot clock of a person's turn, and the pauses between the others'."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Pace:
    """Holds teammates' turns in view for a moment, unless it is fast; stops while it is paused.

    Attributes:
        fast: Whether the others' turns go by without a pause.
    """

    def __init__(self, seconds: float) -> None:
        """A pace of so many seconds a teammate's turn; 0 shows only the outcome."""
        self._seconds = seconds
        self._hurry = asyncio.Event()
        self._running = asyncio.Event()
        self._running.set()
        self.fast = False

    def go_fast(self, fast: bool) -> None:
        """Hurry, or no longer; a turn that is in view now goes by at once."""
        self.fast = fast
        if fast:
            self._hurry.set()
        else:
            self._hurry.clear()

    def pause(self) -> None:
        """Let nobody's turn begin."""
        self._running.clear()

    def go_on(self) -> None:
        """Go on."""
        self._running.set()

    async def ready(self) -> None:
        """Wait while it is paused."""
        await self._running.wait()

    async def hold(self) -> None:
        """Leave a teammate's turn in view."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), self._seconds)
        await self.ready()


def clock_words(left: float) -> str:
    """Seconds left as a shot clock shows them: "1:05", "0:09 left"."""
    seconds = max(0, int(left + 0.999))
    suffix = " left" if seconds <= 10 else ""
    return f"{seconds // 60}:{seconds % 60:02d}{suffix}"
