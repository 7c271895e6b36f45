"""Casting: put a cause in a place, and solve how strong it has to be.

The share of requests that should fail at each minute is given (`Curve`). How strong a lock or a
leak that takes in this place is found by bisection: the fleet is simulated from the page on
forks of one world, without noise, until the magnitude fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Final, NamedTuple

from chaosops.env.causes import Cast, CurvePoint, LiveCause, magnitude_at
from chaosops.env.controllers.base import Controller
from chaosops.env.injection import part_number
from chaosops.env.models import Difficulty, InFlight
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.registry import new_mesh
from chaosops.env.world import World
from chaosops.errors import ChaosOpsError
from chaosops.scenarios.cause import Cause

NOISELESS: Final = -1
_SETTLE: Final = 8
_LANDED_BEFORE: Final = 16
ONSET: Final = -8
HARD_AT: Final = 38
_HELD: Final = 5
_NEAR: Final = 0.03
_SEARCHES: Final = 60
_FIRST: Final = 1e-3
_MOST: Final = 1e5
_DIGITS: Final = 4
_LEAST: Final = 0.5
_LARGEST: Final = 1.75


class CastingError(ChaosOpsError):
    """A cause cannot be cast as requested."""


class UnreachedShareError(CastingError):
    """A cause cannot make the requested share of the requests fail.

    Attributes:
        got: The share that fails instead.
        jumps: Whether the share jumps there, past the requested one.
    """

    def __init__(self, message: str, got: float = 0.0, *, jumps: bool = False) -> None:
        super().__init__(message)
        self.got = got
        self.jumps = jumps


class Curve(NamedTuple):
    """The share of user requests that should fail at each minute if nobody acts."""

    points: tuple[tuple[int, float], ...]

    @property
    def end(self) -> int:
        """The last minute for which a share is given."""
        return max(minute for minute, _share in self.points)


CURVES: Final = {
    Difficulty.TUTORIAL: Curve(((0, 0.04), (12, 0.06), (24, 0.09))),
    Difficulty.EASY: Curve(((0, 0.03), (10, 0.055), (20, 0.085), (30, 0.11))),
    Difficulty.MEDIUM: Curve(((0, 0.022), (10, 0.046), (18, 0.07), (28, 0.095))),
    Difficulty.HARD: Curve(((0, 0.018), (10, 0.04), (18, 0.065), (30, 0.095))),
}
"""The curve of each level."""


def outage_of(curve: Curve, minutes: int) -> float:
    """Return the failed shares of the minutes from the page on that a curve asks for."""
    points = tuple(CurvePoint(minute, share) for minute, share in curve.points)
    return fsum(magnitude_at(points, minute) for minute in range(minutes + 1))


def settled(blueprint: Blueprint, level: float = 1.0) -> Mesh:
    """Return a fleet on an ordinary day, after its first minutes."""
    mesh = new_mesh(blueprint)
    for _minute in range(_SETTLE):
        mesh.reset_parameters()
        mesh.advance(level)
    return mesh


def cast(
    cause: Cause,
    place: int,
    caller: int,
    mesh: Mesh,
    curve: Curve,
    *,
    onset: int = ONSET,
    hard_at: int = HARD_AT,
    level: float = 1.0,
    controllers: Sequence[Controller] = (),
) -> Cast:
    """Put a cause in a place, as strong as the curve requires.

    Args:
        place, caller: Numbers of services; `caller` is -1 if the cause has none.
        mesh: The fleet on an ordinary day (`settled`).
        onset: The minute it begins in, before 0.
        hard_at: The minute of its hard step.
        controllers: The automation that acts there, as it is before the onset.

    Raises:
        CastingError: The cause can't make that many requests fail there.
    """
    bare = bare_cast(cause, place, caller, mesh)._replace(onset=onset, hard_at=hard_at)
    try:
        live = LiveCause.of(bare, mesh)
    except ValueError as error:
        raise CastingError(f"{cause.id}: {error}") from None
    if cause.harmless:
        strength = _strength_of_spells(live, mesh, curve, level, controllers)
        return bare._replace(points=(CurvePoint(onset, strength),))
    made = bare._replace(points=_solve(live, mesh, curve, level, controllers))
    _verify(made, mesh, curve, level, controllers)
    return made._replace(hard_rate=hard_rate(made, mesh))


def bare_cast(cause: Cause, place: int, caller: int, mesh: Mesh) -> Cast:
    """Return a cause in a place, with no magnitude yet."""
    blueprint = mesh.blueprint
    entry = next(s.number for s in blueprint.services if s.entry_rps > 0.0)
    link = -1 if caller < 0 else blueprint.link_between(caller, place)
    pools = [n for n in blueprint.services[place].links if blueprint.links[n].pool_size > 0.0]
    store = blueprint.links[pools[0]].to if pools else -1
    handing = [n for n in blueprint.services[place].links if not blueprint.links[n].waits]
    is_queue = blueprint.services[place].is_queue
    consumer = blueprint.links[handing[0]].to if is_queue and handing else -1
    bare = Cast(cause, place, caller, entry, link, ONSET, (), HARD_AT, 0.0, store)
    asked = [blueprint.links[n].behind for n in blueprint.services[place].callers]
    return bare._replace(consumer=consumer, cache=max(asked, default=-1))


def _verify(
    made: Cast, mesh: Mesh, curve: Curve, level: float, controllers: Sequence[Controller]
) -> None:
    """Check that the solution holds when it is simulated in one go.

    Raises:
        CastingError: It doesn't: the place is too close to a tipping point.
    """
    failed, _world = left_alone(made, mesh, curve.end, level=level, controllers=controllers)
    for minute, wanted in curve.points:
        got = failed[minute]
        if not _LEAST * wanted <= got <= _LARGEST * wanted:
            name = mesh.blueprint.services[made.place].name
            raise UnreachedShareError(
                f"{made.cause.id}: at {name}, minute {minute}, {wanted:.1%} of requests should "
                f"fail, and {got:.1%} do; it jumps there: choose another place",
                got,
                jumps=True,
            )


def hard_rate(made: Cast, mesh: Mesh) -> float:
    """Return what to inject each minute so that the hard step comes when it should."""
    hard = made.cause.course.hard
    if hard is None:
        return 0.0
    number = part_number(mesh, made.service(hard.at), hard.part)
    return _rounded((100.0 - mesh.parts[number].fullness()) / made.hard_at)


def after_action(mesh: Mesh, item: InFlight, level: float) -> Mesh:
    """Return the fleet as it is on an ordinary day once an action has landed, and has settled."""
    world = World(mesh.copy(), [], NOISELESS, level, ONSET - _LANDED_BEFORE)
    world.in_flight.append(item._replace(lands=world.minute + 1))
    world.failing(_LANDED_BEFORE - 1)
    return world.mesh


def moved(made: Cast, mesh: Mesh, *, onset: int, hard_at: int) -> Cast:
    """Return the cast with another onset and another minute of the hard step."""
    points = (made.points[0]._replace(minute=onset), *made.points[1:])
    other = made._replace(onset=onset, points=points, hard_at=hard_at)
    return other._replace(hard_rate=hard_rate(other, mesh))


def _solve(
    live: LiveCause, mesh: Mesh, curve: Curve, level: float, controllers: Sequence[Controller]
) -> tuple[CurvePoint, ...]:
    world = World(mesh.copy(), [live], NOISELESS, level, live.cast.onset - 1)
    world.controllers = [controller.copy() for controller in controllers]
    points: tuple[CurvePoint, ...] = (CurvePoint(live.cast.onset, 0.0),)
    for minute, wanted in curve.points:
        found = _search(world, points, minute, wanted)
        points = (*points, CurvePoint(minute - _HELD, found), CurvePoint(minute, found))
        _set(world, points)
        world.failing(minute - world.minute)
    return points


def _strength_of_spells(
    live: LiveCause, mesh: Mesh, curve: Curve, level: float, controllers: Sequence[Controller]
) -> float:
    """Return the magnitude with which a spell at the page fails as many as an outage would."""
    if not any(effect.drive for effect in live.cast.cause.effects):
        return 1.0
    world = World(mesh.copy(), [live], NOISELESS, level, live.cast.onset - 1)
    world.controllers = [controller.copy() for controller in controllers]
    return _search(world, (), 1, curve.points[0][1])


def _set(world: World, points: tuple[CurvePoint, ...]) -> None:
    for cause in world.causes:
        cause.cast = cause.cast._replace(points=points)


def _search(world: World, points: tuple[CurvePoint, ...], minute: int, wanted: float) -> float:
    """Find the magnitude at a minute with which the wanted share of requests fails."""

    def fails(magnitude: float) -> float:
        trial = world.fork()
        _set(trial, (*points, CurvePoint(minute - _HELD, magnitude), CurvePoint(minute, magnitude)))
        trial.failing(minute - trial.minute - 2)
        return trial.failing(2) / 2.0

    low, high = 0.0, magnitude_at(points, minute) or _FIRST
    most = 0.0
    while fails(high) < wanted:
        low, high = high, high * 2.0
        if high > _MOST:
            most = fails(_MOST)
            cause = world.causes[0].cast.cause.id
            raise UnreachedShareError(
                f"{cause}: at minute {minute} {wanted:.1%} of requests should fail, and at most "
                f"{most:.1%} can; choose another place, or a gentler course",
                most,
                jumps=False,
            )
    for _step in range(_SEARCHES):
        middle = (low + high) / 2.0
        got = fails(middle)
        if abs(got - wanted) <= _NEAR * wanted:
            return _rounded(middle)
        if got < wanted:
            low = middle
        else:
            high = middle
        if high - low <= 1e-6 * high:
            break
    return _rounded((low + high) / 2.0)


def _rounded(value: float) -> float:
    """Round to a few digits, so that the last bit of a function makes no difference."""
    return float(f"{value:.{_DIGITS}g}")


def left_alone(
    cast_: Cast,
    mesh: Mesh,
    minutes: int,
    *,
    followers: Sequence[Cast] = (),
    seed: int = NOISELESS,
    level: float = 1.0,
    controllers: Sequence[Controller] = (),
) -> tuple[list[float], World]:
    """Return the failed share of each minute from the page on if nobody acts, and that world."""
    causes = [LiveCause.of(made, mesh) for made in (cast_, *followers)]
    world = World(mesh.copy(), causes, seed, level, cast_.onset - 1)
    world.controllers = [controller.copy() for controller in controllers]
    world.failing(-world.minute - 1)
    failed = []
    for _minute in range(minutes + 1):
        world.advance()
        failed.append(1.0 - world.users_ok)
    return failed, world
