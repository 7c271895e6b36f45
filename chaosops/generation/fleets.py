"""Chooses the fleet of a situation: a built-in topology, or a generated one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from chaosops.env.models.topology import Topology
from chaosops.generation.dice import SeededDice
from chaosops.generation.draft import Fleet
from chaosops.generation.errors import GenerationError
from chaosops.generation.fleet_maker import make_fleet
from chaosops.generation.spec import MOST, SituationSpec
from chaosops.generation.wording import phrasebook
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import topology_files
from chaosops.scenarios.problems import instead, shown

_MADE: Final = 0.5
_FEWEST_DRAWN: Final = 10
"""Smaller fleets have few places for causes, and are made only if they are asked for."""


def fleet_of(spec: SituationSpec) -> Fleet:
    """Return the fleet of a spec; drawn from its seed if it names neither topology nor size.

    Raises:
        GenerationError: There is no such topology.
    """
    name = fleet_id(spec)
    services = _services_of(spec)
    if services is not None:
        return make_fleet(name, services, spec.seed)
    known = builtin_topologies()
    if name not in known:
        raise GenerationError(f'no topology "{shown(name)}"; {instead(name, sorted(known))}')
    topology = FileReader(()).topology(known[name]).topology
    if topology is None:
        raise GenerationError(f"the topology {name} is broken: install chaosops again")
    return _built_in(topology.in_situations())


def fleet_id(spec: SituationSpec) -> str:
    """Return the id of the topology of a spec, whose seed draws it if the spec doesn't name it."""
    if spec.topology is not None:
        return spec.topology
    services = _services_of(spec)
    if services is not None:
        return f"fleet-{services}-{spec.seed}"
    return SeededDice(spec.seed, "topology").pick(sorted(builtin_topologies()))


def _services_of(spec: SituationSpec) -> int | None:
    """Return the size of the fleet of a spec; None if its topology is built in."""
    if spec.services is not None or spec.topology is not None:
        return spec.services
    dice = SeededDice(spec.seed, "fleet or built-in topology")
    return dice.between(_FEWEST_DRAWN, MOST) if dice.chance(_MADE) else None


def builtin_topologies() -> Mapping[str, Path]:
    """Return the files of the built-in topologies by id."""
    return {path.stem: path for path in topology_files(())}


def _built_in(topology: Topology) -> Fleet:
    words = phrasebook().products[topology.id]
    return Fleet(topology, None, words.product, words.things)
