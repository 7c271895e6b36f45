"""The playback of a replay: which turn is shown, and automatic play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual.timer import Timer

_SPEEDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Turns a second."""
_FIRST_SPEED: Final = 1


class Playback:
    """The position in a replay, and the timer that moves it.

    Attributes:
        at: The turn that is shown, counted from 0.
    """

    def __init__(
        self,
        turns: int,
        set_interval: Callable[[float, Callable[[], None]], Timer],
        changed: Callable[[], None],
    ) -> None:
        """Start at the first turn, stopped.

        Args:
            turns: The number of turns.
            set_interval: Calls a function repeatedly, some seconds apart.
            changed: Called whenever what is shown has changed.
        """
        self.at = 0
        self._last = max(0, turns - 1)
        self._set_interval, self._changed = set_interval, changed
        self._speed = _FIRST_SPEED
        self._timer: Timer | None = None

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._timer is not None

    @property
    def speed(self) -> float:
        """Turns per second while it plays."""
        return _SPEEDS[self._speed]

    def go_to(self, turn: int) -> None:
        """Move to a turn, or to the nearest one."""
        self.at = min(max(0, turn), self._last)
        self._changed()

    def go_to_last(self) -> None:
        """Move to the last turn."""
        self.go_to(self._last)

    def step(self, by: int) -> None:
        """Stop, and move some turns forward or back."""
        self.cancel()
        self.go_to(self.at + by)

    def toggle(self) -> None:
        """Play or stop; at the end, start over."""
        if self.playing:
            self.stop()
            return
        if self.at >= self._last:
            self.at = 0
        self._start()
        self._changed()

    def change_speed(self, by: int) -> None:
        """Play faster or more slowly."""
        self._speed = min(len(_SPEEDS) - 1, max(0, self._speed + by))
        if self.playing:
            self.cancel()
            self._start()
        self._changed()

    def stop(self) -> None:
        """Stop at this turn."""
        self.cancel()
        self._changed()

    def cancel(self) -> None:
        """Stop the timer without an update, since the screen may be closing."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _start(self) -> None:
        self._timer = self._set_interval(1.0 / self.speed, self._advance)

    def _advance(self) -> None:
        if self.at >= self._last:
            self.stop()
        else:
            self.go_to(self.at + 1)
