"""Tries a cause on the simulator at every place that it fits: how strong it gets, and what helps.

Whoever writes a cause says what clears it, what eases it and what only tempts. Here each of these
actions lands on a fork of the fleet, and is judged as in a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from chaosops.env.casting import (
    CURVES,
    CastingError,
    Curve,
    UnreachedShareError,
    cast,
    left_alone,
    settled,
)
from chaosops.env.causes import Cast
from chaosops.env.judgement import LandingEffect, judge
from chaosops.env.models import AgentRole, Difficulty, FrozenMap, InFlight
from chaosops.env.models.topology import Topology
from chaosops.env.models.verbs import LANDING, services_for
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.mesh import Mesh
from chaosops.env.world import World
from chaosops.scenarios.cause import Cause, CauseMove
from chaosops.scenarios.fitting import Placement, placements
from chaosops.scenarios.problems import FieldPath, Wrong
from chaosops.scenarios.schema import Bound

SHARES: Final = (0.05, 0.15, 0.4)
"""The shares of failed requests that a cause is made strong enough for."""

_MINUTE: Final = 10
_NOTHING: Final = 0.001


class Strength(NamedTuple):
    """Whether a cause can make a share of the requests fail.

    Attributes:
        most: The share that fails instead if it can't: at most, or because it jumps there.
        jumps: Whether it jumps past that share, since the place is close to a tipping point.
    """

    share: float
    reached: bool
    most: float = 0.0
    jumps: bool = False

    @property
    def is_unnoticed(self) -> bool:
        """Whether no user notices the cause there."""
        return not self.reached and self.most < _NOTHING


class MoveTrial(NamedTuple):
    """What an action did.

    Attributes:
        field: Where the cause's file lists it.
        action: The action, with its target.
        relief: By how much of the failed requests it lowered the next ten minutes'; below 0 if it
            made them worse.
        problem: Why it doesn't do what the file says, and the cure; empty if it does.
    """

    field: FieldPath
    action: str
    relief: float
    problem: str


class PlaceTrial(NamedTuple):
    """A cause at one place.

    Attributes:
        strengths: One for each of `SHARES`; empty for a harmless cause, which has only spells.
        moves: What clears, eases and tempts; empty where the cause can't be made strong enough.
    """

    topology: str
    place: str
    caller: str | None
    strengths: tuple[Strength, ...]
    moves: tuple[MoveTrial, ...]

    @property
    def hurts(self) -> bool:
        """Whether users notice it there at all."""
        return not all(each.is_unnoticed for each in self.strengths)

    @property
    def where(self) -> str:
        """The place in words."""
        calls = f" (caller {self.caller})" if self.caller else ""
        return f"{self.place}{calls} in {self.topology}"


def fitting(cause: Cause, topologies: Iterable[Topology]) -> list[tuple[Topology, Placement]]:
    """Return every place of a cause."""
    return [(each, spot) for each in topologies for spot in placements(cause, each)]


def try_places(cause: Cause, spots: Sequence[tuple[Topology, Placement]]) -> Iterator[PlaceTrial]:
    """Try a cause, one place after another."""
    fleets: dict[str, Mesh] = {}
    for topology, spot in spots:
        if topology.id not in fleets:
            fleets[topology.id] = settled(Blueprint(topology))
        yield _try_place(cause, topology, spot, fleets[topology.id])


def problems_of(cause: Cause, trials: Sequence[PlaceTrial]) -> Iterator[Wrong]:
    """Yield what an author has to change, each once, with the places where it shows."""
    least = [trial.strengths[0] for trial in trials if trial.strengths]
    if least and not any(each.reached for each in least):
        yield Wrong(("effects",), _why_too_few(least))
    found: dict[tuple[FieldPath, str], list[str]] = {}
    for trial in trials:
        for move in trial.moves:
            if move.problem:
                found.setdefault((move.field, move.problem), []).append(trial.where)
    for (field, problem), places in found.items():
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        yield Wrong(field, f"at {places[0]}{more}: {problem}")


def _why_too_few(strengths: Sequence[Strength]) -> str:
    """Explain why a cause reaches the least share nowhere, and the cure."""
    told = f"it can't make {SHARES[0]:.0%} of requests fail at any place"
    if any(each.jumps for each in strengths):
        least = min(each.most for each in strengths if each.jumps)
        return (
            f"{told}: it jumps to {least:.0%} or more, as delays do once they exceed a timeout; "
            "drive a parameter that is a share of the requests"
        )
    most = max(each.most for each in strengths)
    return f"{told}, at most {most:.1%}: raise 'most' or 'weight', or drive another parameter"


def _try_place(cause: Cause, topology: Topology, spot: Placement, mesh: Mesh) -> PlaceTrial:
    index = mesh.blueprint.index
    place, caller = index[spot.place], -1 if spot.caller is None else index[spot.caller]
    made: list[Cast] = []
    strengths = []
    for share in () if cause.harmless else SHARES:
        try:
            made.append(cast(cause, place, caller, mesh, Curve(((_MINUTE, share),))))
            strengths.append(Strength(share, True))
        except UnreachedShareError as error:
            strengths.append(Strength(share, False, error.got, error.jumps))
    usual: Cast | None = made[0] if made else None
    with suppress(CastingError):
        usual = cast(cause, place, caller, mesh, CURVES[Difficulty.MEDIUM])
    moves = () if usual is None else tuple(_try_moves(usual, topology, mesh))
    return PlaceTrial(topology.id, spot.place, spot.caller, tuple(strengths), moves)


def _try_moves(made: Cast, topology: Topology, mesh: Mesh) -> Iterator[MoveTrial]:
    cause = made.cause
    page = left_alone(made, mesh, 0)[1]
    page.paused = frozenset() if cause.agent is None else frozenset({cause.agent})
    for key, moves in (("clears", cause.clears), ("eases", cause.eases), ("tempts", cause.tempts)):
        for i, move in enumerate(moves):
            yield _try_move((key, i), move, made, page.fork(), topology)


def _try_move(
    path: FieldPath, move: CauseMove, made: Cast, world: World, topology: Topology
) -> MoveTrial:
    number = made.service(move.at)
    if number < 0:
        problem = f"nothing there is its {move.at.value}; take the action on another part"
        return MoveTrial((*path, "at"), move.action.words, 0.0, problem)
    target = world.mesh.blueprint.services[number].name
    words = f"{move.action.words} {target}"
    if move.action not in LANDING or target not in services_for(move.action, topology):
        problem = f"'{move.action.value}' does not work on {target}; choose another action or part"
        return MoveTrial((*path, "action"), words, 0.0, problem)
    args = FrozenMap({name: _least(value) for name, value in move.args.items()})
    item = InFlight(AgentRole.SRE, move.action, target, args, world.minute, world.minute + 1)
    world.in_flight.append(item)
    effect = judge(world, item)
    relief = 1.0 - effect.with_it / effect.without if effect.without else 0.0
    return MoveTrial(path, words, relief, _problem(str(path[0]), move, effect))


def _problem(key: str, move: CauseMove, effect: LandingEffect) -> str:
    """Explain in what an action isn't what the file says; empty if it is."""
    if key == "clears":
        if not effect.cleared and move.returns is None:
            return "it doesn't clear the cause; an entry before it matches first, so reorder them"
        return ""
    if key == "eases":
        if effect.is_wrong:
            return "no fewer requests fail with it; lower 'remains', or remove it"
        return ""
    if effect.cleared:
        return "it clears the cause, so it is right; narrow its 'args', or remove it here"
    if not effect.is_wrong:
        return "fewer requests fail with it, so it is right; move it to 'eases', or remove it"
    return ""


def _least(value: int | str | Bound) -> object:
    """Return the least that an argument asks for."""
    if not isinstance(value, Bound):
        return value
    return value.at_most if value.at_least is None else value.at_least
