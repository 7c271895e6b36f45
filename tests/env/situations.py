"""Situations for tests: what their seeds draw, and games on them."""

from __future__ import annotations

from functools import cache
from typing import Any

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.living_world import LivingWorld
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    FrozenMap,
    InFlight,
)
from chaosops.env.topology_context import TopologyContext
from chaosops.env.world import World
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.scenario import Scenario
from tests import sampling
from tests.worlds import built_in, situations


@cache
def sources() -> tuple[ScenarioSource, ...]:
    """All situations above the tutorial, in which the seed draws the cause."""
    return situations()


@cache
def lessons() -> tuple[ScenarioSource, ...]:
    """The tutorial's incidents, whose cause and place are fixed."""
    return tuple(source for source in built_in() if source.level is Difficulty.TUTORIAL)


@cache
def seeds_by_cause(source_id: str) -> dict[str, int]:
    """For each cause of a situation, the first seed that draws it."""
    source = next(source for source in sources() if source.id == source_id)
    found: dict[str, int] = {}
    for seed in range(400):
        incident = source.render(seed)
        found.setdefault(incident.drawn.cause.id, seed)
        if len(found) == len(source.drawing.situation.casts):
            return found
    raise AssertionError(f"{source_id} never draws some of its causes")


def sampled_cases() -> list[Any]:
    """The same as parameters: the first cause of each situation of the sample, the others slow."""
    return sampling.sampled_cases(cases())


def cases() -> list[tuple[str, str]]:
    """Every situation with every cause that may be behind it."""
    return [
        (source.id, spec.cause) for source in sources() for spec in source.drawing.situation.casts
    ]


def harmful_cases() -> list[tuple[str, str]]:
    """Those in which users are hurt until somebody acts."""
    harmless = {
        (source.id, cause.id)
        for source in sources()
        for cause in source.drawing.causes.values()
        if cause.harmless
    }
    return [case for case in cases() if case not in harmless]


@cache
def scenario(source_id: str, cause: str) -> Scenario:
    """A situation with a seed that draws that cause."""
    source = next(source for source in sources() if source.id == source_id)
    return Scenario.of(source, seeds_by_cause(source_id)[cause])


@cache
def _contexts() -> dict[str, TopologyContext]:
    return {}


def world(made: Scenario) -> LivingWorld:
    """The world of a scenario at the page; worlds on one topology share what is solved."""
    contexts = _contexts()
    contexts[made.topology_id] = TopologyContext.of(made, contexts.get(made.topology_id))
    return LivingWorld(made, contexts[made.topology_id])


def in_flight(
    made: World, verb: ActionType, target: str, *, lands_in: Any = 1, **args: Any
) -> InFlight:
    """An action that is put in flight in a world."""
    lands = made.minute + lands_in
    item = InFlight(AgentRole.SRE, verb, target, FrozenMap(args), made.minute, lands)
    made.in_flight.append(item)
    return item


def left_alone(made: Scenario, env: ChaosOpsEnvironment | None = None) -> list[ChaosOpsObservation]:
    """Every observation of a game in which all pass, the opening first."""
    env = env or ChaosOpsEnvironment()
    seen = [env.reset(made)]
    while not seen[-1].done:
        seen.append(env.step(ChaosOpsAction(seen[-1].turn_role, ActionType.NOOP)))
    return seen
