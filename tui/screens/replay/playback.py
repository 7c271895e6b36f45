"""Which turn of a replay is shown, and how it plays on by itself."""

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
        """Stopped at the first turn.

        Args:
            turns: How many there are.
            set_interval: Calls something again and again, some seconds apart.
            changed: Is called whenever what is to be shown has changed.
        """
        self.at = 0
        self._last = max(0, turns - 1)
        self._set_interval, self._changed = set_interval, changed
        self._speed = _FIRST_SPEED
        self._timer: Timer | None = None

    @property
    def playing(self) -> bool:
        """Whether it moves by itself."""
        return self._timer is not None

    @property
    def speed(self) -> float:
        """Turns a second while it plays."""
        return _SPEEDS[self._speed]

    def go_to(self, turn: int) -> None:
        """Move to a turn, or the nearest that there is."""
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
        """Play or stop; from the end it starts over."""
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
        """Stop the timer, and show nothing: the screen may be on its way out."""
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
