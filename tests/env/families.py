"""Worlds of a cause among its family, whatever the built-in situations cast."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from chaosops.env.casting import CastingError
from chaosops.env.living_world import LivingWorld
from chaosops.env.models.topology import Topology
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_files import read_cause
from chaosops.scenarios.drawing import Drawing
from chaosops.scenarios.fitting import placements
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.scenario import Scenario
from chaosops.scenarios.situation import Situation
from tests.env.situations import world
from tests.worlds import built_in


def living(family: str, name: str) -> LivingWorld:
    """The world at the page of a situation of a family of causes, where `name` was drawn."""
    causes = _of_family(family)
    fitting = {
        topology.id: topology
        for topology in _fleets()
        if all(any(placements(cause, topology)) for cause in causes.values())
    }
    topology = fitting.get("shop") or next(iter(fitting.values()))
    agents = [
        {"name": agent, "duty": "its own", "policy": "by its limits", "standing": {"kind": agent}}
        for agent in sorted({cause.agent for cause in causes.values() if cause.agent})
    ]
    situation = Situation.model_validate(
        {
            "id": f"some-{family}",
            "stream_key": f"some-{family}-1",
            "title": "Users are turned away",
            "level": "easy",
            "topology": topology.id,
            "page": next(iter(topology.pages)),
            "max_steps": 10,
            "par": 24,
            "casts": [{"cause": key} for key in causes],
            "automation": [{"name": "bot", "duty": "none", "policy": "does nothing"}, *agents],
            "hints": {"nudge": "Look.", "direction": "Compare."},
            "misleading": "Nothing.",
        }
    )
    draws = Drawing(situation, topology, causes)
    hashes = ("0" * 64,) * 3
    path = Path(f"{situation.id}.yaml")
    head = path, situation.id, *hashes, situation.title, situation.level
    source = ScenarioSource(*head, topology, draws)
    for seed in range(200):
        incident = source.render(seed)
        if incident.drawn.cause.id == name:
            try:
                return world(Scenario.of(source, seed))
            except CastingError:
                continue  # users notice nothing of it there
    raise AssertionError(name)


@cache
def _of_family(family: str) -> dict[str, Cause]:
    """The built-in causes of a family by id, whether a situation casts them or not."""
    files = cause_files(())
    found = {}
    for name in sorted(key for key, path in files.items() if path.parent.name == family):
        cause = read_cause(files[name], files).cause
        assert cause is not None, name
        found[name] = cause
    return found


@cache
def _fleets() -> tuple[Topology, ...]:
    """The fleets on which every cause that fits is strong enough."""
    by_id = {source.topology.id: source.topology for source in built_in()}
    return tuple(by_id[name].in_situations() for name in ("shop", "pipeline"))
