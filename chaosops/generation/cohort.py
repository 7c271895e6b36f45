"""Chooses causes that may open alike, and where they may be.

Users notice a cause through the services that they depend on. So a few applications are drawn that
many users need, and a cause is a candidate if it sits at one of them or in what one of them calls.
Twins come first, then the twins of twins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from chaosops.env.models import ActionType, Difficulty, ServiceKind
from chaosops.env.models.topology import Topology
from chaosops.generation.automation import MOST_GUILTY
from chaosops.generation.dice import SeededDice
from chaosops.generation.draft import DraftCast, expressible
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.fitting import Placement, placements
from chaosops.scenarios.reach import reach

_NOTICED: Final = 0.2
"""The share of users below which a service is no place for a cause."""

_MOST_SPOTS: Final = 3
_CANDIDATES: Final = {Difficulty.EASY: 9, Difficulty.MEDIUM: 16, Difficulty.HARD: 18}
_STRANGERS: Final = {Difficulty.EASY: 1, Difficulty.MEDIUM: 4, Difficulty.HARD: 7}
_GUILTY: Final = 3
"""How many causes there are at least of which an agent is guilty, if so many fit."""

_ESCALATED: Final = 2
"""How many causes there are at least that only an escalation ends, if so many fit."""

_ALARM: Final = 0.6


def noticed_services(topology: Topology) -> tuple[str, ...]:
    """Return the applications that many users depend on, in the topology's order."""
    shares = reach(topology)
    return tuple(
        spec.name
        for spec in topology.services
        if spec.kind is ServiceKind.APP and shares[spec.name] >= _NOTICED
    )


def draw_candidates(
    causes: Mapping[str, Cause], topology: Topology, level: Difficulty, dice: SeededDice
) -> tuple[DraftCast, ...]:
    """Draw causes that may be behind one page, each with its spots; empty if none fits.

    Args:
        causes: All causes, by id.
    """
    noticed = noticed_services(topology)
    near = {name: _spots(cause, topology, noticed) for name, cause in causes.items()}
    fitting = [name for name in causes if near[name]]
    anchors = [name for name in fitting if not causes[name].harmless]
    if not anchors:
        return ()
    anchor = dice.of("anchor").pick(anchors)
    faces = _faces(near[anchor], noticed, dice.of("faces"))
    distance = _distances(anchor, causes)
    mixed = dice.of("rank").shuffled(fitting)
    hurting = [name for name in mixed if not causes[name].harmless]
    near_first = sorted(hurting, key=lambda name: distance.get(name, len(causes)))
    hurting = _with_few_agents(hurting, near_first, causes)
    twins = sorted((name for name in hurting if name in distance), key=distance.__getitem__)
    strangers = [name for name in hurting if name not in distance]
    count = _CANDIDATES[level]
    chosen = twins[: count - _STRANGERS[level]]
    chosen += strangers[: count - len(chosen)]
    hurting = [*twins, *strangers]
    chosen += _lacking(chosen, [name for name in hurting if causes[name].agent], _GUILTY)
    chosen += _lacking(chosen, [name for name in hurting if is_escalated(causes[name])], _ESCALATED)
    if dice.of("alarm").chance(_ALARM):
        chosen += [name for name in mixed if causes[name].harmless][:1]
    return tuple(_cast_at(chosen, causes, near, faces, topology, dice.of("spots")))


def is_escalated(cause: Cause) -> bool:
    """Return whether only an escalation ends a cause, so that it takes the Manager."""
    return all(move.action is ActionType.ESCALATE for move in cause.clears)


def _lacking(chosen: Sequence[str], wanted: Sequence[str], least: int) -> list[str]:
    """Return the first of the names wanted that are to be chosen too, so that enough are."""
    missing = least - sum(name in chosen for name in wanted)
    return [name for name in wanted if name not in chosen][: max(0, missing)]


def _with_few_agents(
    names: Sequence[str], near_first: Sequence[str], causes: Mapping[str, Cause]
) -> list[str]:
    """Return the causes without those of more agents than may be guilty, the nearest kept."""
    agents = dict.fromkeys(causes[name].agent for name in near_first if causes[name].agent)
    kept = {None, *list(agents)[:MOST_GUILTY]}
    return [name for name in names if causes[name].agent in kept]


def _cast_at(
    chosen: Sequence[str],
    causes: Mapping[str, Cause],
    near: Mapping[str, Sequence[Placement]],
    faces: Sequence[str],
    topology: Topology,
    dice: SeededDice,
) -> Iterator[DraftCast]:
    for name in chosen:
        cause = causes[name]
        here = [spot for spot in near[name] if {spot.place, spot.caller} & set(faces)]
        spots = expressible(cause, _few(here, faces, dice.of(name)), topology)
        if spots:
            yield DraftCast(cause, spots)


def _faces(spots: Sequence[Placement], noticed: Sequence[str], dice: SeededDice) -> tuple[str, ...]:
    """Return one to three applications at which the failure will show, the anchor's among them."""
    own = [name for name in noticed if any(name in spot for spot in spots)]
    first = dice.pick(own)
    others = [name for name in own if name != first]
    return (first, *dice.some(others, dice.between(1, _MOST_SPOTS - 1)))


def _few(spots: Sequence[Placement], faces: Sequence[str], dice: SeededDice) -> list[Placement]:
    """Return at most one spot for each face, with the same caller for all if possible."""
    by_face: dict[str, list[Placement]] = {}
    for spot in spots:
        face = spot.place if spot.place in faces else str(spot.caller)
        by_face.setdefault(face, []).append(spot)
    callers = [spot.caller for spot in spots if spot.place in faces and spot.caller is not None]
    usual = max(dict.fromkeys(callers), key=callers.count, default=None)
    found = []
    for face in faces:
        mine = by_face.get(face, [])
        preferred = [spot for spot in mine if spot.caller == usual] or mine
        if preferred:
            found.append(dice.of(face).pick(preferred))
    return found


def _spots(cause: Cause, topology: Topology, noticed: Sequence[str]) -> tuple[Placement, ...]:
    return tuple(
        spot
        for spot in placements(cause, topology)
        if spot.place in noticed or spot.caller in noticed
    )


def _distances(anchor: str, causes: Mapping[str, Cause]) -> Mapping[str, int]:
    """Return how many steps from twin to twin lead to each cause, as far as any do."""
    twins: dict[str, set[str]] = {name: set() for name in causes}
    for name, cause in causes.items():
        for twin in cause.twins:
            if twin in twins:
                twins[name].add(twin)
                twins[twin].add(name)
    found = {anchor: 0}
    edge = [anchor]
    while edge:
        edge = sorted({twin for name in edge for twin in twins[name]} - found.keys())
        found |= dict.fromkeys(edge, max(found.values()) + 1)
    return MappingProxyType(found)
