"""Faults: what is broken, since when, and how actions affect it.

A fault is declared in the scenario file; nothing here depends on failure types. The board turns
the live faults of a minute into the effects that the physics reads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.models import ActionType, FrozenMap
from chaosops.scenarios.parameters import Parameter
from chaosops.scenarios.schema import Effect, FaultSpec, Incident, Profile, Tempting

_Value = tuple[list[float], int, float]


class FaultStatus(Enum):
    """The state of a fault. A cleared one can come back."""

    PENDING = "pending"
    LIVE = "live"
    CLEARED = "cleared"


class _ActiveFault:
    __slots__ = ("cleared", "easings", "load", "spec", "started", "status")

    def __init__(self, spec: FaultSpec, load: tuple[_Load, ...]) -> None:
        self.spec = spec
        self.load = load
        self.status = FaultStatus.PENDING
        self.started = 0
        self.cleared = 0
        self.easings: list[tuple[float, int | None]] = []

    def remains(self, minute: int) -> float:
        """Return the share of the effects that the best active mitigation leaves."""
        return min(
            (share for share, until in self.easings if until is None or minute < until),
            default=1.0,
        )


class _Load:
    """An effect, resolved and ready to be applied."""

    __slots__ = (
        "after",
        "is_factor",
        "is_ramp",
        "is_share",
        "is_step",
        "minutes",
        "over",
        "service",
        "value",
        "values",
    )

    def __init__(
        self,
        effects: FaultEffects,
        parameter: Parameter,
        service: int,
        value: float,
        profile: Profile,
        over: int,
        after: int,
        minutes: int | None,
    ) -> None:
        self.values: list[float] = getattr(effects, parameter.value)
        self.service = service
        self.is_factor = parameter.is_factor
        self.is_share = parameter.is_share
        self.is_step = profile is Profile.STEP
        self.is_ramp = profile is Profile.RAMP
        self.value = value
        self.over = over
        self.after = after
        self.minutes = minutes

    def release(self) -> None:
        """Remove all effects."""
        self.values[self.service] = 1.0 if self.is_factor else 0.0

    def add(self, age: int, scale: float, active: list[_Load]) -> float:
        """Add the effect at an age; return in how many minutes it changes.

        Args:
            scale: The share that remains.
            active: Gets the effect if there is one at that age.
        """
        age -= self.after
        if age < 0:
            return -age
        left = math.inf if self.minutes is None else float(self.minutes - age)
        if left <= 0:
            return math.inf
        if self.is_step:
            share = 1.0
        elif self.is_ramp:
            share = min(1.0, (age + 1) / self.over)
            left = left if share >= 1.0 else 1.0
        else:
            share = age + 1.0
            left = 1.0
        share *= scale
        active.append(self)
        values, service = self.values, self.service
        if self.is_factor:
            values[service] *= max(0.0, 1.0 + (self.value - 1.0) * share)
        else:
            values[service] += self.value * share
            if self.is_share:
                values[service] = min(1.0, max(0.0, values[service]))
        return left


class _Burden(NamedTuple):
    """Effects of work in progress or of a wrong fix."""

    load: tuple[_Load, ...]
    started: int


class FaultBoard:
    """The faults of one episode, and all other effects on the fleet."""

    def __init__(self, incident: Incident, effects: FaultEffects, index: Mapping[str, int]) -> None:
        self._incident = incident
        self._effects = effects
        self._index = index
        self._faults = {
            spec.id: _ActiveFault(spec, tuple(self._load(effect) for effect in spec.effects))
            for spec in incident.faults
        }
        self._burdens: list[_Burden] = []
        self._active: list[_Load] = []
        self._same_until: float = -math.inf

    def _load(self, effect: Effect) -> _Load:
        return _Load(
            self._effects,
            effect.parameter,
            self._index[effect.service],
            effect.value,
            effect.profile,
            effect.over,
            effect.after,
            effect.minutes,
        )

    @property
    def live(self) -> tuple[str, ...]:
        """The ids of the live faults."""
        return tuple(
            name for name, fault in self._faults.items() if fault.status is FaultStatus.LIVE
        )

    @property
    def all_cleared(self) -> bool:
        """Whether no fault is live and all scheduled faults have started."""
        return all(
            fault.status is FaultStatus.CLEARED
            or (fault.status is FaultStatus.PENDING and fault.spec.starts is None)
            for fault in self._faults.values()
        )

    def is_live(self, fault: str | None) -> bool:
        """Whether a fault is live; true if none is named."""
        return fault is None or self._faults[fault].status is FaultStatus.LIVE

    def cleared_at(self, fault: str) -> int | None:
        """Return the minute in which a fault was cleared; None if it is live or never started."""
        state = self._faults[fault]
        return state.cleared if state.status is FaultStatus.CLEARED else None

    def start(self, fault: str, minute: int) -> None:
        """Start a fault or bring back a cleared one, with its effects from the beginning."""
        state = self._faults[fault]
        state.status = FaultStatus.LIVE
        state.started = minute
        state.easings.clear()
        self._same_until = -math.inf

    def helps(
        self, verb: ActionType, target: str | None, args: FrozenMap, users_hurt: bool
    ) -> bool:
        """Whether the action clears or mitigates something.

        What mitigates a cleared fault still helps while users suffer from its aftermath.
        """
        for fault in self._faults.values():
            if fault.status is FaultStatus.PENDING:
                continue
            if fault.status is FaultStatus.LIVE and any(
                move.matches(verb, target, args) for move in fault.spec.clears
            ):
                return True
            if (fault.status is FaultStatus.LIVE or users_hurt) and any(
                move.matches(verb, target, args) for move in fault.spec.mitigates
            ):
                return True
        return False

    def tempting(self, verb: ActionType, target: str | None, args: FrozenMap) -> Tempting | None:
        """Return the scenario's wrong fix that matches the action, if any."""
        for move in self._incident.tempting:
            if move.matches(verb, target, args):
                return move
        return None

    def cascades(self) -> tuple[str, ...]:
        """Return the faults that a wrong fix would start now."""
        return tuple(
            cascade.starts
            for cascade in self._incident.cascades
            if self.is_live(cascade.while_live)
            and self._faults[cascade.starts].status is FaultStatus.PENDING
        )

    def is_pending(self, fault: str) -> bool:
        """Whether a fault has not started yet."""
        return self._faults[fault].status is FaultStatus.PENDING

    def land(self, verb: ActionType, target: str | None, args: FrozenMap, minute: int) -> None:
        """Let an action clear and mitigate faults."""
        self._same_until = -math.inf
        for fault in self._faults.values():
            if fault.status is not FaultStatus.LIVE:
                continue
            if any(move.matches(verb, target, args) for move in fault.spec.clears):
                fault.status = FaultStatus.CLEARED
                fault.cleared = minute
                continue
            for move in fault.spec.mitigates:
                if move.matches(verb, target, args):
                    until = None if move.minutes is None else minute + move.minutes
                    fault.easings.append((move.remains, until))

    def burden(self, effects: tuple[Effect, ...], minute: int) -> None:
        """Add effects that belong to no fault, from this minute on."""
        self._same_until = -math.inf
        self._burdens.append(_Burden(tuple(self._load(effect) for effect in effects), minute))

    def strain(self, service: int, parameter: Parameter, value: float, minute: int) -> None:
        """Add an effect of work in progress, for one minute."""
        self._same_until = -math.inf
        load = _Load(self._effects, parameter, service, value, Profile.STEP, 1, 0, 1)
        self._burdens.append(_Burden((load,), minute))

    def apply(self, minute: int) -> bool:
        """Start the faults that are due, and set the effects of this minute.

        Most minutes change nothing, and the minute of the next change is known, so they are free.

        Returns:
            Whether any effect differs from the previous minute.
        """
        if minute < self._same_until:
            return False
        before = _values(self._active)
        for load in self._active:
            load.release()
        active: list[_Load] = []
        due: float = math.inf
        for fault in self._faults.values():
            starts = fault.spec.starts
            if fault.status is FaultStatus.PENDING and starts is not None:
                if starts <= minute:
                    self.start(fault.spec.id, minute)
                else:
                    due = min(due, starts)
            if fault.status is FaultStatus.LIVE:
                remains = 1.0
                if fault.easings:
                    remains = fault.remains(minute)
                    due = minute + 1.0
                for load in fault.load:
                    due = min(due, minute + load.add(minute - fault.started, remains, active))
        if self._burdens:
            self._burdens = [
                burden for burden in self._burdens if _lasts(burden, minute - burden.started)
            ]
            for burden in self._burdens:
                for load in burden.load:
                    due = min(due, minute + load.add(minute - burden.started, 1.0, active))
        self._same_until = due
        self._active = active
        return not _are_same(before, _values(active))


def _lasts(burden: _Burden, age: int) -> bool:
    return any(load.minutes is None or age < load.after + load.minutes for load in burden.load)


def _values(loads: list[_Load]) -> list[_Value]:
    return [(load.values, load.service, load.values[load.service]) for load in loads]


def _are_same(before: list[_Value], now: list[_Value]) -> bool:
    """Whether the same lists have the same values; `==` would compare the lists' items too."""
    return len(before) == len(now) and all(
        was[0] is new[0] and was[1:] == new[1:] for was, new in zip(before, now, strict=True)
    )
