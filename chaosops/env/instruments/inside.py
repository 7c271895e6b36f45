"""What the instances of an application use of each limit."""

from __future__ import annotations

from typing import Final

from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.handles import Handles
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.probes import Probes
from chaosops.env.physics.quota import Quota
from chaosops.env.scene import Scene

_MOST: Final = 12


def tables(scene: Scene, target: int) -> list[Part]:
    """Return the tables of an application: CPU, collection, descriptors, probes, scheduling."""
    made: list[Part] = []
    for part in scene.mesh.parts:
        if part.service != target:
            continue
        if isinstance(part, Quota):
            made.append(_compute(scene, target, part))
        elif isinstance(part, Memory):
            made.append(_collection(scene, target, part))
        elif isinstance(part, Handles):
            made.append(_descriptors(scene, target, part))
        elif isinstance(part, Probes):
            made.append(_probes(scene, target, part))
    made.append(_scheduling(scene, target))
    return made


def _names(scene: Scene, target: int) -> list[tuple[int, str]]:
    instances = scene.mesh.instances[target]
    return [(i, scene.instance(target, i)) for i in range(min(instances.count, _MOST))]


def _compute(scene: Scene, target: int, quota: Quota) -> Table:
    traits = scene.traits(target)
    cores = traits.servers / 2.0
    busy = scene.mesh.nodes[target].busy
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        limit = cores * (1.0 - quota.cut)
        held = 100.0 * quota.throttled + 3.0 * scene.chance(12_000 + i)
        rows.append(
            (
                name,
                round(scene.shaken(busy * limit, 0.08, 70 + i), 2),
                round(limit, 2),
                round(min(held, 100.0), 1),
                int(scene.shaken(held * 5.2, 0.1, 12_020 + i)),
            )
        )
    columns = (
        Column("instance"),
        Column("cpu used", "cores"),
        Column("cpu limit", "cores"),
        Column("periods throttled", "%"),
        Column("throttled", "ms/s"),
    )
    return Table("table", "cgroup cpu", columns, tuple(rows), TableKind.CPU_QUOTA)


def _collection(scene: Scene, target: int, memory: Memory) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        live = memory.floor + memory.live + (0.0 if scene.is_quiet(target) else memory.leaked[i])
        paused = 100.0 * memory.paused + 0.5 + 2.0 * scene.chance(12_100 + i)
        pause = memory.pause_ms if memory.paused > 0.0 else 0.0
        rows.append(
            (
                name,
                round(scene.shaken(min(live, 99.5), 0.01, 12_120 + i), 1),
                round(memory.leaked[i] / 12.0 + 0.2 * scene.chance(12_140 + i) - 0.1, 2)
                if memory.leaked[i] > 1.0
                else round(0.2 * scene.chance(12_140 + i) - 0.1, 2),
                round(paused, 1),
                int(pause + 8 + 30 * scene.chance(12_160 + i)),
            )
        )
    columns = (
        Column("instance"),
        Column("heap after full gc", "%"),
        Column("change a minute", "%"),
        Column("time in gc", "%"),
        Column("longest pause", "ms"),
    )
    return Table("table", "gc", columns, tuple(rows), TableKind.COLLECTION)


def _descriptors(scene: Scene, target: int, handles: Handles) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        if i >= len(handles.open):
            continue
        lost = 0.0 if scene.is_quiet(target) else handles.lost[i]
        used = scene.shaken(handles.open[i] - lost, 0.05, 12_200 + i) + lost
        rows.append(
            (
                name,
                min(int(used), int(handles.limit)),
                int(handles.limit),
                int(min(lost, handles.limit) + 6.0 * scene.chance(12_220 + i)),
            )
        )
    columns = (Column("instance"), Column("open"), Column("limit"), Column("close_wait"))
    return Table("table", "descriptors", columns, tuple(rows), TableKind.DESCRIPTORS)


def _probes(scene: Scene, target: int, probes: Probes) -> Table:
    node = scene.mesh.nodes[target]
    took = node.own_ms + node.wait_ms
    rejects = probes.out > 0.0
    limit = 1_000 if not rejects else max(5, int(took * 1.1))
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        failed = 100.0 * probes.failed * (0.7 + 0.6 * scene.chance(12_300 + i))
        rows.append(
            (
                name,
                "/ready",
                10,
                limit,
                int(scene.shaken(took, 0.2, 12_320 + i) + 0.5),
                round(min(100.0, failed) + 0.02 * scene.chance(12_340 + i), 1),
            )
        )
    columns = (
        Column("instance"),
        Column("path"),
        Column("period", "s"),
        Column("timeout", "ms"),
        Column("answered in", "ms"),
        Column("failed", "%"),
    )
    return Table("table", "readiness", columns, tuple(rows), TableKind.READINESS)


def _scheduling(scene: Scene, target: int) -> Table:
    instances = scene.mesh.instances[target]
    ready = int(scene.mesh.nodes[target].instances + 0.5)
    pending = max((cause.pending(scene.minute) for cause in scene.live(target)), default=0)
    free = 55.0 - 6.0 * scene.chance(12_400)
    said = "exceeded quota: limits.cpu" if pending else "none"
    rows: tuple[tuple[Cell, ...], ...] = (
        (instances.count + pending, ready, pending, round(free, 0), said),
    )
    columns = (
        Column("desired"),
        Column("ready"),
        Column("pending"),
        Column("nodes free", "%"),
        Column("last event"),
    )
    return Table("table", "scheduling", columns, rows, TableKind.SCHEDULING)
