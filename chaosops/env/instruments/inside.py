"""What the instances of an application use of each limit."""

from __future__ import annotations

from math import exp, log
from typing import Final

from chaosops.env.instruments import intake
from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.handles import Handles
from chaosops.env.physics.intake import Intake
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.probes import Probes
from chaosops.env.physics.queueing import mean_wait_ms
from chaosops.env.physics.quota import Quota
from chaosops.env.physics.threads import Threads
from chaosops.env.scene import Scene
from chaosops.scenarios.changes import SettingName

_MOST: Final = 12
_PROBE_TIMEOUT_MS: Final = 1_000.0
_MOST_FAILED: Final = 0.9
_AT_REST: Final = 0.004
_PEERS: Final = 24.0


def tables(scene: Scene, target: int) -> list[Part]:
    """Return the tables of an application: its limits, and what comes in."""
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
        elif isinstance(part, Threads):
            made.append(_threads(scene, target, part))
        elif isinstance(part, Probes):
            made.append(_probes(scene, target, part))
        elif isinstance(part, Intake):
            made += intake.tables(scene, target, part)
    made.append(_scheduling(scene, target))
    return made


def _names(scene: Scene, target: int) -> list[tuple[int, str]]:
    instances = scene.mesh.instances[target]
    return [(i, scene.instance(target, i)) for i in range(min(instances.count, _MOST))]


def _compute(scene: Scene, target: int, quota: Quota) -> Table:
    cut = scene.setting(target, SettingName.CPU_LIMIT_MILLI)
    limit = None if cut is None else cut / 1000.0 * quota.raised
    cores = limit if limit is not None and quota.cut > 0.0 else scene.traits(target).cores
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        busy = _AT_REST if scene.is_ejected(target, i) else scene.busy_of(target, i)
        used = scene.shaken(busy * cores, 0.08, 70 + i)
        held = 0.0
        if limit is not None:
            used = min(used, limit)
            held = min(100.0, 100.0 * quota.throttled + 3.0 * scene.chance(12_000 + i))
        rows.append(
            (
                name,
                round(used, 2),
                "none" if limit is None else round(limit, 2),
                round(held, 1),
                int(scene.shaken(held * 5.2, 0.1, 12_020 + i)),
            )
        )
    columns = (
        Column("instance"),
        Column("cpu used", "cores"),
        Column("cpu limit", "cores"),
        Column("periods throttled", "%"),
        Column("time throttled", "ms/s"),
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
        Column("change per minute", "points"),
        Column("time in gc", "%"),
        Column("longest pause", "ms"),
    )
    return Table("table", "gc", columns, tuple(rows), TableKind.COLLECTION)


def _descriptors(scene: Scene, target: int, handles: Handles) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        if i >= handles.count:
            continue
        lost = 0.0 if scene.is_quiet(target) else handles.lost_of(i)
        used = scene.shaken(handles.open_of(i) - lost, 0.05, 12_200 + i) + lost
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


def _threads(scene: Scene, target: int, threads: Threads) -> Table:
    kept = 0.0 if scene.is_quiet(target) else threads.keeping
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        own = scene.shaken(threads.used - min(threads.keeping, threads.used), 0.04, 12_240 + i)
        peers = scene.shaken(_PEERS, 0.1, 12_260 + i) + kept
        used = min(int(max(own, _PEERS + 40.0) + kept), int(threads.limit))
        rows.append((name, used, int(threads.limit), min(int(peers), used)))
    columns = (Column("instance"), Column("threads"), Column("limit"), Column("for peers"))
    return Table("table", "threads", columns, tuple(rows), TableKind.THREADS)


def _probes(scene: Scene, target: int, probes: Probes) -> Table:
    timeout = scene.setting(target, SettingName.PROBE_TIMEOUT_MS) or _PROBE_TIMEOUT_MS
    rows: list[tuple[Cell, ...]] = []
    for i, name in _names(scene, target):
        took, failed = _probe(scene, target, i, timeout)
        if scene.is_ejected(target, i):
            took, failed = scene.mesh.nodes[target].cpu_ms, 0.0
        elif probes.failed > 0.0:
            failed = min(_MOST_FAILED, probes.failed * (0.85 + 0.3 * scene.chance(12_300 + i)))
            took = _mean_answer(timeout, failed)
        rows.append(
            (
                name,
                "/ready",
                10,
                int(timeout),
                int(scene.shaken(took, 0.05, 12_320 + i) + 0.5),
                round(100.0 * failed, 1),
            )
        )
    columns = (
        Column("instance"),
        Column("path"),
        Column("period", "s"),
        Column("timeout", "ms"),
        Column("mean answer", "ms"),
        Column("failed", "%"),
    )
    return Table("table", "readiness", columns, tuple(rows), TableKind.READINESS)


def _probe(scene: Scene, target: int, i: int, timeout: float) -> tuple[float, float]:
    """Return the mean time of an instance's answers, and the share that comes too late or never.

    A probe is answered by the instance alone, whatever it calls.
    """
    node = scene.mesh.nodes[target]
    traits = node.traits
    wait = mean_wait_ms(node.cpu_ms, traits.servers, min(node.busy, 1.0))
    wait = min(wait, traits.longest_wait_ms) + node.extra_wait_ms
    failed = 1.0 if node.own_ms >= timeout else 0.0
    if not failed and wait > 0.0:
        failed = exp((node.own_ms - timeout) / wait)
    took = node.own_ms + wait
    memory = scene.mesh.part(target, "memory")
    if isinstance(memory, Memory) and memory.paused > 0.0 and memory.pause_ms > 0.0:
        failed = max(failed, memory.paused * exp(-timeout / memory.pause_ms))
        took += memory.paused * memory.pause_ms
    handles = scene.mesh.part(target, "handles")
    if isinstance(handles, Handles):
        failed = max(failed, handles.refuses(i))
    return took, failed


def _mean_answer(timeout: float, failed: float) -> float:
    """Return the mean of answers of which that share takes longer than a timeout.

    Half of the timeout is fixed, the rest an exponential wait.
    """
    return 0.5 * timeout * (1.0 - 1.0 / log(failed))


def _scheduling(scene: Scene, target: int) -> Table:
    instances = scene.mesh.instances[target]
    ready = sum(scene.is_ready(target, i) for i in range(instances.count))
    pending = instances.pending
    free = 55.0 - 6.0 * scene.chance(12_400)
    said = "none"
    if pending:
        cores = scene.traits(target).cores
        limited = scene.setting(target, SettingName.CPU_QUOTA_CORES) or instances.count * cores
        said = f"exceeded quota: requests.cpu={cores:g}, used {limited:g}, limited {limited:g}"
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
