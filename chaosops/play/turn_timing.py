"""How long a person took over a turn, and what they looked at meanwhile. Pauses do not count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chaosops.env.models import AgentRole
from chaosops.play.instrument_use import InstrumentUse, Watched
from chaosops.recording.times import as_millis


class Attention:
    """What a person did in one turn so far; times as the recording wants them."""

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
        """How long the turn has been in view, pauses left out; 0 if it has not been."""
        if self._shown_at is None:
            return 0.0
        now = self._monotonic() if self._paused_since is None else self._paused_since
        return max(0.0, now - self._shown_clock - self._paused)

    @property
    def runs(self) -> bool:
        """Whether the turn is in view and the clock does not stand."""
        return self._shown_at is not None and self._paused_since is None

    def shown(self) -> None:
        """The turn came into view."""
        self._shown_at, self._shown_clock = self._now(), self._monotonic()

    def touched(self) -> None:
        """A person began to act; only the first time in a turn counts."""
        if self._first_input_at is None:
            self._first_input_at = self._now()

    def refused(self) -> None:
        """Something was tried that cannot be done."""
        self._refused += 1

    def helped(self) -> None:
        """An explanation was asked for."""
        self._helped += 1

    def opened(self, panes: Iterable[str]) -> None:
        """Panes came into view."""
        self._panes.update(dict.fromkeys(panes))

    def pause(self) -> None:
        """Stop the clock."""
        if self._paused_since is None:
            self._paused_since = self._monotonic()

    def go_on(self) -> None:
        """Let the clock run on."""
        if self._paused_since is not None:
            if self._shown_at is not None:
                self._paused += self._monotonic() - self._paused_since
            self._paused_since = None

    def fields(self) -> dict[str, Any]:
        """The fields of `HumanPart` that it knows, as of now."""
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
    """What a person does in a game and when, turn by turn.

    Attributes:
        attention: What the person did in this turn so far.
        instruments: What they look at in findings, also while others take their turns.
        monotonic, wall: The clocks, in seconds.
    """

    def __init__(self, monotonic: Callable[[], float], wall: Callable[[], float]) -> None:
        self.monotonic, self.wall = monotonic, wall
        self.attention = Attention(monotonic, wall)
        self.instruments = InstrumentUse(monotonic, wall)

    @property
    def at_ms(self) -> int:
        """The time, as the recording has it."""
        return max(0, int(self.wall() * 1000))

    def next_turn(self) -> None:
        """Another turn begins, which nobody has seen yet."""
        self.attention = Attention(self.monotonic, self.wall)

    def shown(self) -> None:
        """A person sees the turn from now on."""
        self.next_turn()
        self.attention.shown()

    def touched(self) -> None:
        """A person began to act; only the first time in a turn counts."""
        self.attention.touched()

    def refused(self) -> None:
        """Something was tried that cannot be done."""
        self.attention.refused()

    def help_opened(self) -> None:
        """A person asked for an explanation."""
        self.attention.helped()

    def panes_opened(self, names: Iterable[str]) -> None:
        """Panes came into view."""
        self.attention.opened(names)

    def watch(self, role: AgentRole | None, watched: Sequence[Watched]) -> None:
        """Keep account of what a person looks at in findings; None is someone without a seat."""
        if role is not None:
            self.instruments.watch(role, watched)

    def pause(self) -> None:
        """Stop the clock of this turn."""
        self.attention.pause()
        self.instruments.pause()

    def go_on(self) -> None:
        """Let the clock of this turn run on."""
        self.attention.go_on()
        self.instruments.go_on()

    @property
    def now(self) -> float:
        """The clock that its turns are timed by, in seconds."""
        return self.monotonic()

    @property
    def on_view(self) -> bool:
        """Whether the turn is in view, and its clock runs."""
        return self.attention.runs

    @property
    def seconds(self) -> float:
        """How long the person whose turn it is has had so far, pauses left out."""
        return self.attention.seconds
