"""Passes on keys and clicks one at a time, each once the previous one has taken effect.

A terminal sends what is typed ahead in one read. Textual passes each key to the widget that has the
focus at that moment: keys would reach a screen that is not composed yet, or one that the key
before them has closed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual import events
from textual.dom import DOMNode
from textual.errors import NoWidget
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.app import App

MAX_WAITING: Final = 1_000
"""The most waiting events; further ones are dropped."""

_ROUNDS: Final = 8
"""How many rounds of consequences to wait for: key, message, action, screen, and some more."""
_PATIENCE: Final = 1.0
"""Seconds to wait for a widget that doesn't answer."""


class InputGate:
    """Holds the player's input until the previous one has taken effect.

    Attributes:
        came_with_the_last: Whether the current key came in one read with the key before
            it: it was pasted, or typed before the effect of that one could be seen.
    """

    def __init__(self, app: App[int]) -> None:
        """Create the gate of an app."""
        self._app = app
        self._waiting: deque[events.Event] = deque()
        self._task: asyncio.Task[None] | None = None
        self._admitted: events.Event | None = None
        self._last = 0.0
        self.came_with_the_last = False

    def admits(self, event: events.Event) -> bool:
        """Whether to handle an event now; otherwise it is posted again in its turn."""
        if self._app._exit or not self._app._screen_stack:
            return False
        if event is self._admitted:
            return True
        if self._task is not None or not self._is_ready:
            self._put(event)
            self._begin()
            return False
        self._admit(event)
        if not isinstance(event, events.MouseMove):
            self._begin()
        return True

    @property
    def is_busy(self) -> bool:
        """Whether an input has not fully taken effect yet."""
        return self._task is not None

    def _begin(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._go_on(), name="input gate")

    def _admit(self, event: events.Event) -> None:
        self._admitted = event
        if isinstance(event, events.Key):
            self.came_with_the_last = event.time == self._last
            self._last = event.time
        elif not isinstance(event, events.MouseMove):
            self.came_with_the_last = False

    def _put(self, event: events.Event) -> None:
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, events.MouseMove) and isinstance(last, events.MouseMove):
            self._waiting[-1] = event
        elif len(self._waiting) < MAX_WAITING:
            self._waiting.append(event)

    @property
    def _is_ready(self) -> bool:
        """Whether the top screen is composed, so that it can take a key."""
        stack = self._app._screen_stack
        return bool(stack) and stack[-1].is_mounted and stack[-1].is_running

    async def _go_on(self) -> None:
        try:
            await self._settle()
            while self._waiting:
                event = self._waiting.popleft()
                self._admit(event)
                self._app.post_message(event)
                await self._settle()
        finally:
            self._task = None

    async def _settle(self) -> None:
        """Wait until an event has fully taken effect, and a screen can take the next one.

        A node handles its messages in order, and passes them on to its parent. So it is done with
        all that it was sent once it answers; what it has sent on meanwhile takes another round.
        """
        for _ in range(_ROUNDS):
            await self._answered(self._app)
            nodes = list(dict.fromkeys(self._concerned()))
            for node in nodes:
                await self._answered(node)
            await self._answered(self._app)
            if self._is_ready and not any(_has_messages(node) for node in (*nodes, self._app)):
                return
        while not self._is_ready and self._app._running and not self._app._exit:
            await asyncio.sleep(0.005)

    def _concerned(self) -> Iterator[DOMNode]:
        """Yield the widgets that an event may have reached, innermost first, and their screen."""
        stack = self._app._screen_stack
        if not stack:
            return
        screen = stack[-1]
        if screen.focused is not None:
            yield from screen.focused.ancestors_with_self
        place = self._app.mouse_position
        with suppress(NoWidget):
            yield from screen.get_widget_at(*place)[0].ancestors_with_self
        yield screen

    async def _answered(self, node: MessagePump) -> None:
        """Wait until a node has handled its messages up to now, or is gone."""
        answer = asyncio.Event()
        if node.is_running and node.call_later(answer.set):
            try:
                await asyncio.wait_for(answer.wait(), _PATIENCE)
            except TimeoutError:
                return


def _has_messages(node: MessagePump) -> bool:
    return node.is_running and node.message_queue_size > 0
