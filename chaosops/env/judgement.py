"""Judges what an action did when it lands: ten minutes with it against ten without.

Both are played on forks of the world in which everybody passes. The ten minutes with an action are
what comes next, so the ten without a later one have often been played already.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from chaosops.env.causes import NEVER
from chaosops.env.controllers.acts import ControllerAct
from chaosops.env.models import InFlight
from chaosops.env.world import World

_MINUTES: Final = 10
_LEAST_RELIEF: Final = 0.02
_LEAST_CHANGE: Final = 0.01


class LandingEffect:
    """The effect of a landing, measured on two forks.

    Attributes:
        cleared: Whether it cleared one of the causes, or prevented one.
        eased: Whether it eased one of several causes, which the others may hide.
        without, with_it: Failed requests over ten minutes, in minutes of full outage.
    """

    __slots__ = ("cleared", "eased", "with_it", "without")

    def __init__(self, cleared: bool, eased: bool, without: float, with_it: float) -> None:
        self.cleared = cleared
        self.eased = eased
        self.without = without
        self.with_it = with_it

    @property
    def is_wrong(self) -> bool:
        """Whether it cleared and eased nothing, and failures fell by less than two percent."""
        return not (self.cleared or self.eased) and self.with_it > most_that_helps(self.without)


class Outlook:
    """The minutes that come if everybody passes, played as far as they are asked for.

    Attributes:
        first: The first of them.
        in_flight: The actions that are in flight before it.
        paused: The agents that are paused.
    """

    __slots__ = ("_eased", "_failed", "_live", "_world", "first", "in_flight", "paused")

    def __init__(self, world: World, without: InFlight | None = None) -> None:
        """Begin at the next minute of a world, without an action that is in flight."""
        self._world = world.fork()
        if without is not None:
            self._world.in_flight = _others(world.in_flight, without)
        self.first = world.minute + 1
        self.in_flight = self._world.in_flight.copy()
        self.paused = world.paused
        self._failed: list[float] = []
        self._live: list[list[bool]] = []
        self._eased: list[list[bool]] = []

    def fits(self, world: World, in_flight: list[InFlight]) -> bool:
        """Whether the minutes after a world's are among these if that is all that is in flight."""
        if world.minute + 1 < self.first or world.paused != self.paused:
            return False
        mine = [item for item in self.in_flight if item.lands > world.minute]
        if len(mine) != len(in_flight):
            return False
        return all(mine[k] is in_flight[k] for k in range(len(mine)))

    def has(self, landing: list[InFlight]) -> bool:
        """Whether it was played with all of these actions."""
        return all(any(mine is item for mine in self.in_flight) for item in landing)

    def failed(self, minute: int) -> float:
        """Return the share of user requests that fail in a minute."""
        self._play(minute)
        return self._failed[minute - self.first]

    def live(self, minute: int) -> list[bool]:
        """Return which causes are live in a minute, or may still begin."""
        self._play(minute)
        return self._live[minute - self.first]

    def eased(self, minute: int) -> list[bool]:
        """Return which causes are eased in a minute; empty if there is only one."""
        self._play(minute)
        return self._eased[minute - self.first]

    def returning(self, minute: int) -> list[bool]:
        """Return which causes come back by themselves after the minute that was played last."""
        self._play(minute)
        world = self._world
        return [cause.returns < NEVER or cause.is_kept_up(world.paused) for cause in world.causes]

    def total(self, minute: int) -> float:
        """Return what fails in ten minutes from that one on, in minutes of full outage."""
        later = 0.0
        for k in range(1, _MINUTES):
            later += self.failed(minute + k)
        return self.failed(minute) + later

    def exceeds(self, minute: int, most: float) -> bool:
        """Whether more fails in these ten minutes; no more of them are played than that takes."""
        first = self.failed(minute)
        later = 0.0
        for k in range(1, _MINUTES):
            if first + later > most:
                return True
            later += self.failed(minute + k)
        return first + later > most

    def _play(self, minute: int) -> None:
        world = self._world
        while world.minute < minute:
            world.advance()
            self._failed.append(1.0 - world.users_ok)
            at = world.minute
            causes = world.causes
            self._live.append([cause.is_live(at) or cause.is_ahead(at) for cause in causes])
            several = causes if len(causes) > 1 else []
            self._eased.append([cause.is_live(at) and at < cause.eased_until for cause in several])


class Judge:
    """Judges the landings of an episode.

    Attributes:
        outlook: What comes next if everybody passes, as far as the last judgement tells.
    """

    __slots__ = ("outlook",)

    def __init__(self) -> None:
        self.outlook: Outlook | None = None

    def is_wrong(self, world: World, item: InFlight) -> bool:
        """Return `judge(world, item).is_wrong`, from no more minutes than that takes."""
        minute = world.minute + 1
        without = self.outlook
        others = _others(world.in_flight, item)
        if without is None or not without.fits(world, others):
            without = Outlook(world, item)
        with_it = self.outlook = Outlook(world)
        if _clears(without, with_it, minute) or _eases(without, with_it, minute):
            return False
        return with_it.exceeds(minute, most_that_helps(without.total(minute)))

    def take_in(self, landing: list[InFlight]) -> None:
        """Forget what comes next if it was played without an action that lands now."""
        outlook = self.outlook
        if outlook is not None and not outlook.has(landing):
            self.outlook = None


def judge(world: World, item: InFlight) -> LandingEffect:
    """Compare ten minutes with an action and without it if everyone passes.

    Args:
        world: The world in the minute before the action lands.
    """
    minute = world.minute + 1
    without, with_it = Outlook(world, item), Outlook(world)
    cleared, eased = _clears(without, with_it, minute), _eases(without, with_it, minute)
    return LandingEffect(cleared, eased, without.total(minute), with_it.total(minute))


class ActVerdict(IntEnum):
    """What an act of the automation does to users, compared with leaving it undone."""

    NEITHER = 0
    HELPS = 1
    HARMS = 2


def judge_request(world: World, request: ControllerAct) -> ActVerdict:
    """Compare ten minutes in which an open request is granted with ten in which it is denied.

    It helps where it clears a cause, or where failed requests fall by two percent; it harms where
    they rise by as much.
    """
    granted, denied = world.fork(), world.fork()
    granted.requests.grant(request)
    denied.requests.deny(request)
    with_it, without = granted.failing(_MINUTES), denied.failing(_MINUTES)
    minute = world.minute + _MINUTES
    for k in range(len(world.causes)):
        if denied.causes[k].is_live(minute) and not granted.causes[k].is_live(minute):
            return ActVerdict.HELPS
    change = with_it - without
    least = max(_LEAST_CHANGE, _LEAST_RELIEF * without)
    if change >= least:
        return ActVerdict.HARMS
    return ActVerdict.HELPS if change <= -least else ActVerdict.NEITHER


def most_that_helps(without: float) -> float:
    """Return the most that may fail with an action which helps, given what fails without it."""
    return without * (1.0 - _LEAST_RELIEF)


def _others(in_flight: list[InFlight], item: InFlight) -> list[InFlight]:
    return [other for other in in_flight if other is not item]


def _clears(without: Outlook, with_it: Outlook, minute: int) -> bool:
    """Return whether an action that lands in a minute clears a cause for good."""
    before, after = without.live(minute), with_it.live(minute)
    returning = with_it.returning(minute)
    return any(before[k] and not after[k] and not returning[k] for k in range(len(before)))


def _eases(without: Outlook, with_it: Outlook, minute: int) -> bool:
    """Return whether an action that lands in a minute eases one of several causes."""
    before, after = without.eased(minute), with_it.eased(minute)
    return any(after[k] and not before[k] for k in range(len(before)))
