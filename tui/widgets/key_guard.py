"""Whether a player can have seen what a key would do, so that no key takes a turn unseen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final

from textual.errors import NoWidget
from textual.widget import Widget

SEEN_AFTER: Final = 0.4
"""Seconds that it takes to see what has just come up."""

TOO_SOON: Final = "Too soon: look, then press again."
"""What a key says that came before."""

TOO_SMALL: Final = "The terminal is too small to show what the key does."
"""What a key says where there is no room for what it would do."""

_LEAST_WIDTH: Final = 20
"""Cells in which a sentence can be read."""


def is_drawn(widget: Widget) -> bool:
    """Whether a widget's first line is on the screen, in a width that can be read.

    Where a terminal has no room, a widget has no region, or one beyond the edge.
    """
    try:
        placed = widget.screen.find_widget(widget)
    except NoWidget:
        return False
    whole, seen = placed.region, placed.visible_region
    is_readable = seen.height > 0 and seen.width == whole.width >= _LEAST_WIDTH
    return is_readable and seen.y == whole.y


class KeyGuard:
    """Since when things are in view.

    A terminal does not tell a key that is held down from one that is pressed. So a key that comes
    too early begins the time of its thing anew: one that is held down never gets through.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Nothing is in view yet.

        Args:
            clock: Seconds that only grow.
        """
        self._clock = clock
        self._since: dict[Hashable, float] = {}
        self._covered_at: float | None = None

    def show(self, things: Iterable[Hashable]) -> None:
        """Take in all that is in view now; what was there before keeps its time."""
        now = self._clock()
        self._since = {thing: self._since.get(thing, now) for thing in things}

    def begin(self, thing: Hashable) -> None:
        """A thing comes into view, or once more."""
        self._since[thing] = self._clock()

    def seen(self, thing: Hashable) -> bool:
        """Whether a thing was in view for long enough; where it was not, its time begins anew."""
        now = self._clock()
        since = self._since.setdefault(thing, now)
        if now - since >= SEEN_AFTER:
            return True
        self._since[thing] = now
        return False

    def cover(self) -> None:
        """Something is in front of it all."""
        self._covered_at = self._clock()

    def uncover(self) -> None:
        """It is in view again; what came up meanwhile is so for the first time."""
        if self._covered_at is None:
            return
        now, covered = self._clock(), self._covered_at
        self._covered_at = None
        self._since = {
            thing: now if since >= covered else since for thing, since in self._since.items()
        }
