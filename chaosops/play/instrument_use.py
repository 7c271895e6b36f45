"""Keeps track of what a person views in instruments, until their next turn is recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from chaosops.env.models import AgentRole
from chaosops.play.readings import KnownFinding, Looking
from chaosops.recording.instrument_looks import MAX_LOOKS, InstrumentLook
from chaosops.recording.times import as_millis

_LONGEST: Final = 200


class Watched(NamedTuple):
    """A part of a finding in view."""

    known: KnownFinding
    looking: Looking


class _Key(NamedTuple):
    role: AgentRole
    place: int | None
    source: str
    target: str
    minute: int
    part: str
    title: str


class _Use:
    """How a part was last viewed, and for how long in total."""

    def __init__(self, opened_at: int, looking: Looking) -> None:
        self.opened_at, self.looking, self.seconds = opened_at, looking, 0.0


class InstrumentUse:
    """Records what is in view and for how long; pauses don't count."""

    def __init__(self, monotonic: Callable[[], float], wall: Callable[[], float]) -> None:
        self._monotonic, self._wall = monotonic, wall
        self._uses: dict[_Key, _Use] = {}
        self._in_view: dict[_Key, Looking] = {}
        self._since = 0.0
        self._is_paused = False

    def watch(self, role: AgentRole, watched: Sequence[Watched]) -> None:
        """Set what is in view from now on.

        Args:
            role: Whose findings they are.
        """
        self._count()
        if watched and not self._in_view:
            self._since = self._monotonic()
        self._in_view = {_key(role, one): one.looking for one in watched}
        at = as_millis(self._wall()) if watched else 0
        for key, looking in self._in_view.items():
            if key in self._uses:
                self._uses[key].looking = looking
            elif len(self._uses) < MAX_LOOKS:
                self._uses[key] = _Use(at, looking)

    def pause(self) -> None:
        """Stop counting."""
        self._count()
        self._is_paused = True

    def go_on(self) -> None:
        """Resume counting."""
        self._is_paused = False
        if self._in_view:
            self._since = self._monotonic()

    def taken(self, role: AgentRole) -> tuple[InstrumentLook, ...]:
        """Return what a role has viewed since its last turn, and forget it.

        What is still in view starts again with the next turn.
        """
        self._count()
        done = {key: use for key, use in self._uses.items() if key.role is role}
        self._uses = {key: use for key, use in self._uses.items() if key not in done}
        for key, looking in self._in_view.items():
            if key in done:
                self._uses[key] = _Use(as_millis(self._wall()), looking)
        return tuple(_look(key, use) for key, use in done.items())

    def _count(self) -> None:
        if not self._in_view:
            return
        now = self._monotonic()
        if not self._is_paused:
            for key in self._in_view:
                if key in self._uses:
                    self._uses[key].seconds += max(0.0, now - self._since)
        self._since = now


def _key(role: AgentRole, one: Watched) -> _Key:
    found, looking = one.known.finding, one.looking
    return _Key(
        role,
        one.known.place,
        found.source.value,
        found.target,
        found.minute,
        looking.part,
        looking.title,
    )


def _look(key: _Key, use: _Use) -> InstrumentLook:
    looking, filters = use.looking, use.looking.filter
    first, last = looking.rows or (None, None)
    return InstrumentLook(
        finding=key.place,
        source=key.source,
        target=_cut(key.target),
        taken_at=key.minute,
        part=key.part,
        title=_cut(key.title),
        opened_at_ms=use.opened_at,
        in_view_ms=round(use.seconds * 1000),
        window=looking.minutes,
        cursor=looking.cursor,
        chosen=None if looking.chosen is None else _cut(looking.chosen),
        level=None if filters is None or not filters.level else _cut(filters.level),
        instance=None if filters is None or not filters.instance else _cut(filters.instance),
        template=None if filters is None or not filters.template else _cut(filters.template),
        words=None if filters is None or not filters.words else _cut(filters.words),
        sorted_by=None if looking.sorted_by is None else _cut(looking.sorted_by),
        descending=looking.descending,
        first_row=first,
        last_row=last,
    )


def _cut(text: str) -> str:
    return text[:_LONGEST]
