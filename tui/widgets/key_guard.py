"""Guard against keys that act on something the player cannot have seen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final

from textual.errors import NoWidget
from textual.widget import Widget

SEEN_AFTER: Final = 0.4
"""Seconds that it takes to notice what has just appeared."""

TOO_SOON: Final = "Too soon: look, then press again."
"""The notice after a key that came too early."""

TOO_SMALL: Final = "The terminal is too small to show what the key does."
"""The notice if there is no room to show what a key would do."""

_HELD: Final = 3
"""How often a key that is held down comes at least, where it is told from one pressed twice."""

_LEAST_WIDTH: Final = 20
"""The least cells in which a sentence is readable."""


def is_drawn(widget: Widget) -> bool:
    """Whether a widget's first line is on the screen, in a readable width.

    In a terminal that is too small, a widget has no region, or one beyond the edge.
    """
    try:
        placed = widget.screen.find_widget(widget)
    except NoWidget:
        return False
    whole, seen = placed.region, placed.visible_region
    is_readable = seen.height > 0 and seen.width == whole.width >= _LEAST_WIDTH
    return is_readable and seen.y == whole.y


class KeyGuard:
    """Remembers since when things have been in view.

    A terminal doesn't distinguish a key that is held down from one that is pressed. So a key that
    comes too early restarts the time of its thing: one that is held down never gets through.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start with nothing in view.

        Args:
            clock: A monotonic clock in seconds.
        """
        self._clock = clock
        self._since: dict[Hashable, float] = {}
        self._covered_at: float | None = None

    def show(self, things: Iterable[Hashable]) -> None:
        """Set everything that is in view now; what was there before keeps its time."""
        now = self._clock()
        self._since = {thing: self._since.get(thing, now) for thing in things}

    def begin(self, thing: Hashable) -> None:
        """Start or restart the time of a thing."""
        self._since[thing] = self._clock()

    def seen(self, thing: Hashable) -> bool:
        """Whether a thing was in view for long enough; if not, restart its time."""
        now = self._clock()
        since = self._since.setdefault(thing, now)
        if now - since >= SEEN_AFTER:
            return True
        self._since[thing] = now
        return False

    def cover(self) -> None:
        """Note that something covers everything."""
        self._covered_at = self._clock()

    def uncover(self) -> None:
        """Note that everything is in view again; what appeared meanwhile is new."""
        if self._covered_at is None:
            return
        now, covered = self._clock(), self._covered_at
        self._covered_at = None
        self._since = {
            thing: now if since >= covered else since for thing, since in self._since.items()
        }


class HeldKey:
    """Tells a key that is held down from one that is pressed again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start with no key.

        Args:
            clock: A monotonic clock in seconds.
        """
        self._clock = clock
        self._last, self._at, self._times = "", 0.0, 0

    def is_held(self, key: str) -> bool:
        """Note a key, and return whether it is the third of its kind in quick succession."""
        now = self._clock()
        same = key == self._last and now - self._at < SEEN_AFTER
        self._last, self._at, self._times = key, now, self._times + 1 if same else 1
        return self._times >= _HELD
