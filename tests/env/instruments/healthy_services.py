"""Services that nothing is wrong with, and what instruments show of them for an hour.

They are taken from situations whose seed drew an alarm without an outage. The service that the
alarm is about, those at which users come in (which have the short dips), and decoys are left out,
as is what a request of an agent broke meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, ServiceKind, Source
from chaosops.env.models.readings import Reading
from chaosops.env.topology_context import TopologyContext
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.scenario import Scenario
from tests.env.situations import sources

_SEEDS_TRIED: Final = 400
_EVERY: Final = 12
"""Minutes from one look to the next: a log view goes back as far."""

_LOOKS: Final = 5


class Look(NamedTuple):
    """What the instruments show of a service at one moment."""

    metrics: Reading
    logs: Reading
    runtime: Reading
    network: Reading


class Hour(NamedTuple):
    """A healthy service, with looks at it over an hour, the first at the page."""

    topology: str
    service: str
    kind: ServiceKind
    looks: tuple[Look, ...]

    @property
    def first(self) -> Look:
        """The look at the page, whose charts have the hour before."""
        return self.looks[0]


class FleetHour(NamedTuple):
    """An hour of a fleet's automation, and what was changed before it.

    Attributes:
        agents: What the instruments show of each agent at the end of the hour.
        changes: What was changed at each service, at the page.
        until: The last minute of the hour.
    """

    topology: str
    agents: tuple[Reading, ...]
    changes: tuple[Reading, ...]
    until: int


class Population(NamedTuple):
    """Healthy services, and the fleets that they are of."""

    hours: tuple[Hour, ...]
    fleets: tuple[FleetHour, ...]

    @property
    def topologies(self) -> dict[str, int]:
        """How many services there are of each topology."""
        names = sorted(hour.topology for hour in self.hours)
        return {name: names.count(name) for name in dict.fromkeys(names)}


def population(situations: Iterable[ScenarioSource], seeds: int) -> Population:
    """Watch the healthy services of situations, each at its first seeds with a harmless cause."""
    hours: list[Hour] = []
    fleets: list[FleetHour] = []
    contexts: dict[str, TopologyContext] = {}
    for source in situations:
        for made in _harmless(source, seeds):
            known = contexts.get(made.topology_id)
            contexts[made.topology_id] = context = TopologyContext.of(made, known)
            _watch(LivingWorld(made, context), hours, fleets)
    return Population(tuple(hours), tuple(fleets))


def quiet_situations() -> tuple[ScenarioSource, ...]:
    """Every situation that may be an alarm without an outage, by topology."""
    found = [
        source
        for source in sources()
        if any(
            source.drawing.causes[cast.cause].harmless for cast in source.drawing.situation.casts
        )
    ]
    return tuple(sorted(found, key=lambda source: (source.topology.id, source.id)))


def one_of_each_topology() -> tuple[ScenarioSource, ...]:
    """The first of these of each topology."""
    return tuple({source.topology.id: source for source in reversed(quiet_situations())}.values())


def _harmless(source: ScenarioSource, count: int) -> Iterator[Scenario]:
    """Yield a situation at the first seeds that draw a harmless cause."""
    for seed in range(_SEEDS_TRIED):
        if count and source.render(seed).drawn.cause.harmless:
            yield Scenario.of(source, seed)
            count -= 1
    assert not count, f"{source.id} is harmless in too few of {_SEEDS_TRIED} seeds"


def _watch(made: LivingWorld, hours: list[Hour], fleets: list[FleetHour]) -> None:
    """Let an hour pass in which nobody acts, and look at each healthy service now and then."""
    drawn = made.scenario.incident.drawn
    changes = tuple(_look(made, Source.CHANGES, name) for name in made.context.blueprint.index)
    odd = {drawn.place, *(decoy.at for decoy in drawn.decoys)}
    odd |= {entry.service for entry in made.topology.entries}
    seen: dict[str, list[Look]] = {}
    for look in range(_LOOKS):
        for service in made.topology.services:
            if service.kind is not ServiceKind.EXTERNAL and service.name not in odd:
                seen.setdefault(service.name, []).append(look_at(made, service.name))
        for _minute in range(_EVERY if look < _LOOKS - 1 else 0):
            made.advance()
            odd |= {_name(made, one.service) for one in made.world.side_effects}
    kinds = {service.name: service.kind for service in made.topology.services}
    for name, looks in seen.items():
        if name not in odd:
            hours.append(Hour(made.topology.id, name, kinds[name], tuple(looks)))
    agents = tuple(_look(made, Source.AUTOMATION, name) for name in made.automation.agents)
    fleets.append(FleetHour(made.topology.id, agents, changes, made.minute))


def look_at(made: LivingWorld, name: str) -> Look:
    """Take all looks at a service that it has figures of."""
    return Look(
        _look(made, Source.METRICS, name),
        _look(made, Source.LOGS, name),
        _look(made, Source.RUNTIME, name),
        _look(made, Source.NETWORK, name),
    )


def _look(made: LivingWorld, source: Source, target: str) -> Reading:
    reading = made.look(AgentRole.SRE, source, target).reading
    assert reading is not None
    return reading


def _name(made: LivingWorld, service: int) -> str:
    return made.context.blueprint.services[service].name
