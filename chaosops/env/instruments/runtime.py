"""Runtime: the internals of a service: instances, pools, sessions, statements, shards, queues."""

from __future__ import annotations

from math import exp, fsum
from typing import Final

from chaosops.env.instruments import data, database, inside, leaks, queue, zonal
from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.cache import Cache
from chaosops.env.physics.component import Component
from chaosops.env.physics.disk import Disk
from chaosops.env.physics.invalidations import Invalidations
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.objects import Objects
from chaosops.env.physics.partitions import Partitions
from chaosops.env.physics.pool import Pool
from chaosops.env.physics.ports import Ports
from chaosops.env.physics.sessions import Sessions
from chaosops.env.physics.shard import Shards
from chaosops.env.physics.zones import Zones
from chaosops.env.samples import SHOWS, volumes
from chaosops.env.scene import Scene

_MOST_ROWS: Final = 24
_APPS: Final = ("report-export", "billing-sync", "backup", "metabase")


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show a service's internals as tables; a service run by a third party has none."""
    traits = scene.traits(target)
    if traits.is_external:
        return ()
    parts: list[Part] = [_instances(scene, target)]
    for part in scene.mesh.parts:
        if part.service != target:
            continue
        if isinstance(part, Pool):
            parts.append(_pool(scene, target, part))
        elif isinstance(part, Sessions):
            parts += database.tables(scene, target, part)
            parts += data.database_tables(scene, target)
        elif isinstance(part, Shards):
            parts.append(_shards(scene, target, part))
        elif isinstance(part, Partitions):
            parts += queue.tables(scene, target, part)
        elif isinstance(part, Zones):
            parts.append(zonal.routes(scene, target, part))
            parts.append(zonal.hosts(scene, target, part))
        elif isinstance(part, Ports):
            parts.append(zonal.ports(scene, target, part))
        elif isinstance(part, Cache):
            parts.append(_nodes(scene, target, part))
        elif isinstance(part, Invalidations):
            parts += data.cache_tables(scene, part)
        elif isinstance(part, Objects):
            parts.append(data.objects(scene, target, part))
        elif isinstance(part, Disk):
            parts.append(_device(scene, target, part))
    if traits.is_app:
        parts += inside.tables(scene, target)
    return tuple(parts)


def _instances(scene: Scene, target: int) -> Table:
    instances = scene.mesh.instances[target]
    memory = scene.mesh.part(target, "memory")
    node = scene.mesh.nodes[target]
    failing = scene.failing_of(target)
    seen = scene.history.of(target)[-1].memory
    seen = node.traits.memory if seen < 0.0 else seen
    rows: list[tuple[Cell, ...]] = []
    for i in range(min(instances.count, _MOST_ROWS)):
        ready = scene.is_ready(target, i)
        background = 0.0003 * (0.3 + scene.chance(12_900 + i))
        serves = instances.serves(i, scene.minute)
        used = seen + (SHOWS if node.traits.is_app else 1.0) * _above_mean(memory, i)
        started = scene.started(target, i)
        age = f"{scene.usual_age_h(i)} h"
        if started is not None:
            age = f"{max(0, scene.minute - started)} min"
        rows.append(
            (
                scene.instance(target, i),
                f"z{instances.zone[i] + 1}",
                scene.build(target, i),
                age,
                "yes" if ready else "no",
                _percent(scene.shaken(scene.busy_of(target, i) * 100.0, 0.08, 70 + i))
                if serves
                else 0,
                round(min(100.0, scene.shaken(used, 0.006, 7_100 + i)), 1),
                instances.kills[i],
                round(min(1.0, failing[i] + background) * 100.0, 1) if serves else 0.0,
            )
        )
    columns = (
        Column("instance"),
        Column("zone"),
        Column("build"),
        Column("age"),
        Column("ready"),
        Column("cpu", "%"),
        Column("memory", "%"),
        Column("restarts"),
        Column("errors, last minute", "%"),
    )
    return Table("table", "instances", columns, tuple(rows), TableKind.INSTANCES)


def _above_mean(memory: Component | None, i: int) -> float:
    """Return by how much an instance's memory is above the mean of all, in percent."""
    if not isinstance(memory, Memory) or i >= len(memory.leaked):
        return 0.0
    return memory.leaked[i] - fsum(memory.leaked) / len(memory.leaked)


def _percent(value: float) -> int:
    return min(100, int(value + 0.5))


def _pool(scene: Scene, target: int, pool: Pool) -> Table:
    instances = scene.mesh.instances[target]
    node = scene.mesh.nodes[target]
    link = scene.mesh.links[pool.link]
    serving = max(1.0, node.instances)
    busy = link.rate / serving * (pool.hold_ms + node.cpu_ms) / 1000.0
    total = int(pool.size + 0.5)
    rows: list[tuple[Cell, ...]] = []
    for i in range(min(len(pool.leaked), _MOST_ROWS)):
        if i >= instances.count or not instances.serves(i, scene.minute):
            continue
        lost = 0.0 if scene.is_quiet(target) else pool.leaked[i]
        active = min(float(total), scene.shaken(busy, 0.2, 7_300 + i) + lost)
        waiting = link.rate / serving * pool.starved[i] * link.acquire_ms / 1000.0
        longest = min(4.0 * (pool.hold_ms + node.cpu_ms), link.traits.timeout_ms)
        held = [*leaks.ages_s(scene, pool, i), scene.shaken(0.8 * longest, 0.2, 7_320 + i) / 1000.0]
        rows.append(
            (
                scene.instance(target, i),
                total,
                int(active + 0.5),
                max(0, total - int(active + 0.5)),
                int(waiting + 0.5),
                round(held[0], 1),
            )
        )
    columns = (
        Column("instance"),
        Column("total"),
        Column("active"),
        Column("idle"),
        Column("waiting"),
        Column("longest held", "s"),
    )
    name = scene.traits(link.to).name
    return Table("table", f"pool to {name}", columns, tuple(rows), TableKind.POOL)


def _shards(scene: Scene, target: int, shards: Shards) -> Table:
    node = scene.mesh.nodes[target]
    count = int(shards.count)
    rows: list[tuple[Cell, ...]] = []
    for k in range(count):
        share = shards.share() if k == shards.hot else (1.0 - shards.share()) / (count - 1)
        busy = min(99.0, share * count * node.busy * 100.0)
        throttled = shards.failing * node.served if k == shards.hot else 0.0
        rows.append(
            (
                f"shard {k}",
                round(scene.shaken(share * node.served, 0.05, 8_100 + k), 1),
                int(scene.shaken(busy, 0.05, 90 + k) + 0.5),
                round(throttled, 1),
                int(scene.shaken(31.0 + 2.0 * k, 0.02, 8_120 + k, -1)),
            )
        )
    columns = (
        Column("shard"),
        Column("requests", "/s"),
        Column("cpu", "%"),
        Column("throttled", "/s"),
        Column("keys", "million"),
    )
    return Table("table", "shards", columns, tuple(rows), TableKind.SHARDS)


def _nodes(scene: Scene, target: int, cache: Cache) -> Table:
    instances = scene.mesh.instances[target]
    kept = cache.warmth * (1.0 - cache.injected_forgets)
    rows: list[tuple[Cell, ...]] = []
    for i in range(instances.count):
        rows.append(
            (
                scene.instance(target, i),
                round(scene.shaken(cache.hit * 100.0, 0.006, 8_200 + i), 1),
                int(scene.shaken(820.0 * max(kept, 0.02), 0.04, 8_220 + i)),
                int(scene.shaken(40.0, 0.3, 8_240 + i)),
            )
        )
    columns = (
        Column("node"),
        Column("hits", "%"),
        Column("keys", "thousand"),
        Column("evicted", "/s"),
    )
    return Table("table", "cache nodes", columns, tuple(rows), TableKind.CACHE_NODES)


def _device(scene: Scene, target: int, disk: Disk) -> Table:
    """Show a row per volume; each table of a database has its own, as each application instance."""
    rows: list[tuple[Cell, ...]] = []
    for k, volume in enumerate(volumes(scene.mesh, disk)):
        iops = scene.shaken(volume.iops, 0.05, 8_300 + k)
        wait = scene.shaken(volume.await_ms, 0.1, 8_320 + k)
        queue = iops * wait / 1000.0
        rows.append(
            (
                volume.name,
                round(min(100.0, scene.shaken(disk.used_on_volume(k), 0.004, 8_290 + k)), 1),
                int(iops),
                round(wait, 1),
                round(queue, 1),
                int(100.0 * (1.0 - exp(-queue / volume.stripes)) + 0.5),
            )
        )
    columns = (
        Column("volume"),
        Column("used", "%"),
        Column("operations", "/s"),
        Column("await", "ms"),
        Column("queue"),
        Column("util", "%"),
    )
    return Table("table", "device", columns, tuple(rows), TableKind.DEVICE)
