"""Tries files on the simulator, for what only a simulation shows.

A topology that can't carry its own load, a cause whose effects no component has, a decoy that
users notice, a place where a cause can't be made as strong as its level requires.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from chaosops.env.casting import CURVES, ONSET, CastingError, bare_cast, cast, settled
from chaosops.env.causes import Cast
from chaosops.env.controllers.base import Controller
from chaosops.env.controllers.registry import new_controllers
from chaosops.env.decoy_trials import MOST_NOTICED, noticed_share
from chaosops.env.followers import follower_cast
from chaosops.env.injection import NoParameter, NoPart, target_number
from chaosops.env.models.topology import Topology
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.cause import Cause, CauseEffect, HardStep
from chaosops.scenarios.drawing import Drawing, stream
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.fitting import Placement, placements
from chaosops.scenarios.folders import is_cause, is_topology, topology_files
from chaosops.scenarios.following import in_order, spots_after
from chaosops.scenarios.problems import FieldPath, Problem, Wrong, listed
from chaosops.scenarios.rendering import placed
from chaosops.scenarios.situation import Decoy
from chaosops.scenarios.yaml_source import read_document

_FULL: Final = 0.95
"""A service that is this busy on an ordinary day has no room for the day's swings."""

_ROOMY: Final = 0.6
"""How busy a service with room for them is."""


def try_file(path: Path, folders: Sequence[Path] = ()) -> list[Problem]:
    """Return what is wrong with a sound file once it is simulated, in the order of its lines.

    Args:
        folders: Where to look for topologies and causes, besides the built-in set.
    """
    reader = FileReader(folders)
    wrong: list[Wrong] = []
    if is_cause(path):
        cause = reader.cause(path).cause
        every = [reader.topology(at).topology for at in topology_files(folders)]
        wrong += (
            ()
            if cause is None
            else try_cause(cause, [each.in_situations() for each in every if each])
        )
    elif not is_topology(path):
        source, _problems = reader.incident(path, None)
        if source is not None:
            wrong += try_situation(source.drawing)
    problems = placed(read_document(path), wrong)
    return sorted(problems, key=lambda problem: problem.line)


def try_topology(topology: Topology) -> Iterator[str]:
    """Yield why a topology can't carry its own load on an ordinary day, and the cure."""
    mesh = settled(Blueprint(topology))
    busy = [node for node in mesh.nodes if node.busy >= _FULL]
    for node in busy:
        spec = topology.services[node.number]
        serve = "replica serves" if spec.replicas == 1 else "replicas serve"
        needed = math.ceil(node.offered / (_ROOMY * spec.rps_per_replica))
        yield (
            f"{spec.name} cannot carry its own load: {node.offered:,.0f} requests a second arrive "
            f"on an ordinary day, and {spec.replicas} {serve} "
            f"{spec.replicas * spec.rps_per_replica:,.0f}; use {needed} replicas, or raise "
            "rps_per_replica"
        )
    if not busy and mesh.users_ok < topology.slo:
        yield (
            f"on an ordinary day {mesh.users_ok:.2%} of requests succeed, which misses the SLO of "
            f"{topology.slo:.2%}; lower it, or raise the timeouts of the calls"
        )


def try_cause(cause: Cause, topologies: Iterable[Topology]) -> Iterator[Wrong]:
    """Yield the effects of a cause that no component can take.

    Args:
        topologies: Those in which it may be placed.
    """
    every = list(topologies)
    spot = next(((each, found) for each in every for found in placements(cause, each)), None)
    if spot is None:
        names = listed(topology.id for topology in every)
        yield Wrong(("place",), f"it fits no service of {names}; allow more kinds or fewer traits")
        return
    topology, placement = spot
    mesh = settled(Blueprint(topology))
    bare = _cast_at(cause, placement, mesh)
    for k, effect in enumerate(cause.effects):
        yield from _try_target(("effects", k), effect, bare, mesh)
    if cause.course.hard is not None:
        yield from _try_target(("course", "hard"), cause.course.hard, bare, mesh)


def _try_target(
    path: FieldPath, effect: CauseEffect | HardStep, bare: Cast, mesh: Mesh
) -> Iterator[Wrong]:
    service = bare.service(effect.at)
    if service < 0:
        words = f"nothing there is its {effect.at.value}; choose another part of the cast"
        yield Wrong((*path, "at"), words)
        return
    yield from _try_parameter(path, mesh, service, effect)


def _try_parameter(
    path: FieldPath, mesh: Mesh, service: int, injected: CauseEffect | HardStep | Decoy
) -> Iterator[Wrong]:
    try:
        target_number(mesh, service, injected.part, injected.parameter)
    except NoPart as error:
        yield Wrong((*path, "part"), str(error))
    except NoParameter as error:
        yield Wrong((*path, "parameter"), str(error))


def try_situation(drawing: Drawing) -> Iterator[Wrong]:
    """Yield decoys that users notice, and causes that can't be made strong enough at a place."""
    situation, topology = drawing.situation, drawing.topology
    for problem in try_topology(topology):
        yield Wrong(("topology",), f"{topology.id}: {problem}")
        return
    mesh = settled(Blueprint(topology))
    for i, decoy in enumerate(situation.decoys):
        yield from _try_decoy(("decoys", i), mesh, decoy, situation.traffic)
    for i in range(len(situation.casts)):
        yield from _try_cast(drawing, i, mesh)


def _try_decoy(path: FieldPath, mesh: Mesh, decoy: Decoy, traffic: float) -> Iterator[Wrong]:
    """Yield why a decoy can't be injected, or that users notice it."""
    wrong = list(_try_parameter(path, mesh, mesh.blueprint.index[decoy.at], decoy))
    yield from wrong
    share = 0.0 if wrong else noticed_share(decoy, mesh, traffic)
    if share > MOST_NOTICED:
        yield Wrong(
            (*path, "value"),
            f"{share:.1%} of user requests fail by it at {decoy.at}, though nothing else is wrong, "
            f"and a decoy may make {MOST_NOTICED:.1%} of them fail; lower it, or choose a service "
            "that all its callers can do without",
        )


def _try_cast(drawing: Drawing, i: int, mesh: Mesh) -> Iterator[Wrong]:
    """Yield the first place at which a cast isn't strong enough, and where it is instead."""
    situation, spec = drawing.situation, drawing.situation.casts[i]
    cause = drawing.causes[spec.cause]
    strong: list[str] = []
    failed: list[tuple[Placement, CastingError]] = []
    weak: Wrong | None = None
    for spot in drawing.spots[spec.cause]:
        dice = stream(situation.stream_key, 0, "trial")
        agents = new_controllers(drawing.controllers(cause, spot, ONSET, "r1", dice), mesh)
        error = _casting_error(drawing, cause, spot, mesh, agents)
        if error is not None:
            failed.append((spot, error))
            continue
        strong.append(spot.place if spot.caller is None else f"{spot.place} for {spot.caller}")
        if not failed and weak is None:
            weak = next(_weak_followers(drawing, i, spot, mesh, agents), None)
    if failed:
        spot, error = failed[0]
        cure = f"of those that it names, {listed(strong)} will do" if strong else "none will do"
        if cause.agent is None and _casting_error(drawing, cause, spot, mesh, ()) is None:
            cure += "; without the agents there it would, so look at what their 'standing' adds"
        yield Wrong(("casts", i, "cause"), f"{error} ({cure})")
    elif weak is not None:
        yield weak


def _casting_error(
    drawing: Drawing, cause: Cause, spot: Placement, mesh: Mesh, agents: Sequence[Controller]
) -> CastingError | None:
    """Return why a cause can't be made as strong as the level requires; None if it can."""
    bare = _cast_at(cause, spot, mesh)
    try:
        cast(
            cause,
            bare.place,
            bare.caller,
            mesh,
            CURVES[drawing.situation.level],
            level=drawing.situation.traffic,
            controllers=agents,
        )
    except CastingError as error:
        return error
    return None


def _weak_followers(
    drawing: Drawing, i: int, spot: Placement, mesh: Mesh, agents: Sequence[Controller]
) -> Iterator[Wrong]:
    """Yield the followers that can't be made strong enough where one of them may sit."""
    situation, spec = drawing.situation, drawing.situation.casts[i]
    chain = {spec.cause: [spot]}
    for each in in_order(spec.follows, spec.cause):
        leader, cause = each.of or spec.cause, drawing.causes[each.cause]
        pairs = [
            (there, here)
            for there in chain[leader]
            for here in spots_after(each, cause, there, drawing.topology)
        ]
        chain[each.cause] = [here for _there, here in pairs]
        for there, here in pairs:
            led = _cast_at(drawing.causes[leader], there, mesh)
            bare = _cast_at(cause, here, mesh)
            try:
                follower_cast(
                    each,
                    cause,
                    bare.place,
                    bare.caller,
                    led,
                    mesh,
                    CURVES[situation.level],
                    level=situation.traffic,
                    controllers=agents,
                )
            except CastingError as error:
                where = ("casts", i, "follows", spec.follows.index(each), "cause")
                yield Wrong(where, f"after {leader} at {there.place}: {error}")


def _cast_at(cause: Cause, spot: Placement, mesh: Mesh) -> Cast:
    index = mesh.blueprint.index
    caller = -1 if spot.caller is None else index[spot.caller]
    return bare_cast(cause, index[spot.place], caller, mesh)
