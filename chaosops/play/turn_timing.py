"""How long a person takes for a turn, and what they look at meanwhile. Pauses don't count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chaosops.env.models import AgentRole
from chaosops.play.instrument_use import InstrumentUse, Watched
from chaosops.recording.times import as_millis


class Attention:
    """What a person has done in the current turn; times as in the recording."""

    def __init__(self, monotonic: Callable[[], float], wall: Callable[[], float]) -> None:
        self._monotonic, self._wall = monotonic, wall
        self._shown_at: int | None = None
        self._shown_clock = 0.0
        self._first_input_at: int | None = None
        self._paused_since: float | None = None
        self._paused = 0.0
        self._refused = 0
        self._helped = 0
        self._panes: dict[str, None] = {}

    @property
    def seconds(self) -> float:
        """How long the turn has been in view, without pauses; 0 if it has not been."""
        if self._shown_at is None:
            return 0.0
        now = self._monotonic() if self._paused_since is None else self._paused_since
        return max(0.0, now - self._shown_clock - self._paused)

    @property
    def runs(self) -> bool:
        """Whether the turn is in view and its clock runs."""
        return self._shown_at is not None and self._paused_since is None

    def shown(self) -> None:
        """Note that the turn came into view."""
        self._shown_at, self._shown_clock = self._now(), self._monotonic()

    def touched(self) -> None:
        """Note that a person began to act; only the first time in a turn counts."""
        if self._first_input_at is None:
            self._first_input_at = self._now()

    def refused(self) -> None:
        """Note an attempt at something impossible."""
        self._refused += 1

    def helped(self) -> None:
        """Note that an explanation was asked for."""
        self._helped += 1

    def opened(self, panes: Iterable[str]) -> None:
        """Note that panes came into view."""
        self._panes.update(dict.fromkeys(panes))

    def pause(self) -> None:
        """Stop the clock."""
        if self._paused_since is None:
            self._paused_since = self._monotonic()

    def go_on(self) -> None:
        """Resume the clock."""
        if self._paused_since is not None:
            if self._shown_at is not None:
                self._paused += self._monotonic() - self._paused_since
            self._paused_since = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of `HumanPart` that it records, as of now."""
        return {
            "shown_at_ms": self._shown_at,
            "first_input_at_ms": self._first_input_at,
            "submitted_at_ms": self._now(),
            "latency_ms": None if self._shown_at is None else round(self.seconds * 1000),
            "invalid_attempts": self._refused,
            "help_opened": self._helped,
            "panes": tuple(self._panes),
        }

    def _now(self) -> int:
        return as_millis(self._wall())


class TurnTiming:
    """What people do in a game and when, turn by turn.

    Attributes:
        attention: What the person has done in this turn.
        instruments: What they view in findings, also during others' turns.
        monotonic, wall: The clocks, in seconds.
    """

    def __init__(self, monotonic: Callable[[], float], wall: Callable[[], float]) -> None:
        self.monotonic, self.wall = monotonic, wall
        self.attention = Attention(monotonic, wall)
        self.instruments = InstrumentUse(monotonic, wall)

    @property
    def at_ms(self) -> int:
        """The time as it is recorded."""
        return max(0, int(self.wall() * 1000))

    def next_turn(self) -> None:
        """Begin another turn, which nobody has seen yet."""
        self.attention = Attention(self.monotonic, self.wall)

    def shown(self) -> None:
        """Note that a person sees the turn from now on."""
        self.next_turn()
        self.attention.shown()

    def touched(self) -> None:
        """Note that a person began to act; only the first time in a turn counts."""
        self.attention.touched()

    def refused(self) -> None:
        """Note an attempt at something impossible."""
        self.attention.refused()

    def help_opened(self) -> None:
        """Note that a person asked for an explanation."""
        self.attention.helped()

    def panes_opened(self, names: Iterable[str]) -> None:
        """Note that panes came into view."""
        self.attention.opened(names)

    def watch(self, role: AgentRole | None, watched: Sequence[Watched]) -> None:
        """Record what a person views in findings; None for someone without a seat."""
        if role is not None:
            self.instruments.watch(role, watched)

    def pause(self) -> None:
        """Stop the clock of this turn."""
        self.attention.pause()
        self.instruments.pause()

    def go_on(self) -> None:
        """Resume the clock of this turn."""
        self.attention.go_on()
        self.instruments.go_on()

    @property
    def now(self) -> float:
        """The time of the clock that times turns, in seconds."""
        return self.monotonic()

    @property
    def on_view(self) -> bool:
        """Whether the turn is in view, and its clock runs."""
        return self.attention.runs

    @property
    def seconds(self) -> float:
        """How long the current person's turn has lasted, without pauses."""
        return self.attention.seconds
