"""Which components a service has: one line per component, by the service's traits.

To add a component, write its file and add its line to `components_of`.
"""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.cache import Cache
from chaosops.env.physics.certificate import Certificate
from chaosops.env.physics.clock import Clock
from chaosops.env.physics.component import Component
from chaosops.env.physics.disk import Disk
from chaosops.env.physics.handles import Handles
from chaosops.env.physics.intake import Intake
from chaosops.env.physics.invalidations import Invalidations
from chaosops.env.physics.locks import Locks
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.monitor import Monitor
from chaosops.env.physics.names import Names
from chaosops.env.physics.objects import Objects
from chaosops.env.physics.partitions import Partitions
from chaosops.env.physics.people import People
from chaosops.env.physics.plans import Plans
from chaosops.env.physics.pool import Pool
from chaosops.env.physics.ports import Ports
from chaosops.env.physics.probes import Probes
from chaosops.env.physics.quota import Quota
from chaosops.env.physics.replication import Replication
from chaosops.env.physics.sequences import IdSequences
from chaosops.env.physics.sessions import Sessions
from chaosops.env.physics.shard import Shards
from chaosops.env.physics.threads import Threads
from chaosops.env.physics.zones import Zones


def components_of(blueprint: Blueprint, service: int) -> Iterator[Component]:
    """Yield the components of a service, in the order in which they are called."""
    traits = blueprint.services[service]
    if traits.entry_rps > 0.0:
        yield People(service)
    if not traits.is_external:
        yield Memory(service, traits.memory, traits.memory_gb * 1024.0, traits.replicas)
    if traits.is_app:
        yield Quota(service)
        yield Handles(service, traits.replicas)
        yield Threads(service)
        yield Probes(service)
        yield Objects(service)
    if traits.is_app and traits.zones > 1 and traits.replicas > 1:
        yield Zones(service, traits.zones)
        yield Intake(service)
    if traits.is_app and traits.callers:
        yield Names(service, traits.dns_ttl, traits.callers)
        yield Certificate(service, traits.replicas, traits.callers)
        yield Clock(service, traits.replicas, traits.callers)
    if traits.is_cache:
        behind = tuple(link.number for link in blueprint.links if link.behind == service)
        yield Cache(service, traits.hit_rate, behind)
        yield Invalidations(service, traits.callers)
    for number in traits.links:
        link = blueprint.links[number]
        if link.pool_size > 0.0:
            yield Pool(service, number, link.pool_size, traits.replicas)
    for number in traits.links:
        if blueprint.services[blueprint.links[number].to].is_external:
            yield Ports(service, number)
            break
    if traits.is_database:
        yield Locks(service, traits.callers)
        yield Plans(service, traits.callers)
        yield Sessions(service, traits.sessions)
        yield Replication(service, traits.callers)
        yield IdSequences(service, traits.callers)
    if traits.has_disk:
        callers = traits.callers if traits.is_database else ()
        yield Disk(service, traits.disk, traits.disk_gb, traits.usual_rps, callers)
    if traits.shards > 1.0:
        handing = [number for number in traits.links if not blueprint.links[number].waits]
        if traits.is_queue and handing:
            yield Partitions(service, int(traits.shards), handing[0], traits.callers)
        else:
            yield Shards(service, traits.shards, traits.callers)
    if not traits.is_external:
        yield Monitor(service)


def new_mesh(blueprint: Blueprint) -> Mesh:
    """Return a fleet in which nothing has happened yet."""
    parts = [
        part
        for service in range(len(blueprint.services))
        for part in components_of(blueprint, service)
    ]
    return Mesh(blueprint, parts)
