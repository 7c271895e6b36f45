"""Which instances of a service fail, and in which zones."""

from __future__ import annotations

from chaosops.env.physics.handles import Handles
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.pool import Pool
from chaosops.env.physics.threads import Threads
from chaosops.env.physics.zones import Zones


def failing_of(mesh: Mesh, service: int, minute: int) -> list[float]:
    """Return the share of its requests that each instance failed in the last minute.

    What an instance's own state makes it fail comes first; what is left of the failures of
    the service is spread over all.
    """
    instances = mesh.instances[service]
    n = instances.count
    serving = 0
    total = 0.0
    own: list[float] = []
    for i in range(n):
        share = 0.0
        if instances.serves(i, minute):
            serving += 1
            share = _own_failures(mesh, service, i)
        own.append(share)
        total += share
    mean = total / serving if serving else 0.0
    fails = _reached_and_failed(mesh, service)
    scale = 1.0 if mean <= fails else fails / mean
    kept = 1.0 - mean * scale
    rest = 1.0 - (1.0 - fails) / (kept if kept > 1e-9 else 1e-9)
    rest = min(1.0, max(0.0, rest))
    return [
        1.0 - (1.0 - scale * own[i]) * (1.0 - rest) if instances.serves(i, minute) else 0.0
        for i in range(n)
    ]


def failing_by_zone(mesh: Mesh, service: int, minute: int, zones: int) -> tuple[float, ...]:
    """Return the share of its requests that each zone fails; -1 for one without instances."""
    instances = mesh.instances[service]
    failing = failing_of(mesh, service, minute)
    made: list[float] = []
    for zone in range(zones):
        count = 0
        total = 0.0
        for i in range(instances.count):
            if instances.zone[i] == zone and instances.serves(i, minute):
                count += 1
                total += failing[i]
        made.append(total / count if count else -1.0)
    return tuple(made)


def _reached_and_failed(mesh: Mesh, service: int) -> float:
    """Return the share of the requests to its instances that a service failed."""
    ok = mesh.nodes[service].ok
    zones = mesh.part(service, "zones")
    if isinstance(zones, Zones) and 0.0 < zones.astray < 1.0:
        ok = min(1.0, ok / (1.0 - zones.astray))
    return 1.0 - ok


def _own_failures(mesh: Mesh, service: int, i: int) -> float:
    """Return the share of requests that an instance fails because of its own state."""
    instances = mesh.instances[service]
    passes = 1.0 - (instances.injected_errors if instances.carries(i) else 0.0)
    zones = mesh.part(service, "zones")
    if isinstance(zones, Zones) and instances.zone[i] == zones.hot:
        passes *= 1.0 - zones.failing
    handles = mesh.part(service, "handles")
    if isinstance(handles, Handles):
        passes *= 1.0 - handles.refuses(i)
    threads = mesh.part(service, "threads")
    if isinstance(threads, Threads):
        passes *= 1.0 - threads.refusing
    pool = mesh.part(service, "pool")
    if isinstance(pool, Pool) and i < len(pool.starved):
        link = mesh.links[pool.link]
        if link.traits.required:
            calls = link.traits.per_request * link.passes
            passes *= 1.0 - min(1.0, calls) * pool.starved[i]
    return 1.0 - passes
