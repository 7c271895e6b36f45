"""Metrics: the signals of a service over the last hour, also by instance, shard or partition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chaosops.env.instruments import queue, zonal
from chaosops.env.models.readings import Chart, ChartKind, Part, Series
from chaosops.env.physics.partitions import Partitions
from chaosops.env.physics.shard import Shards
from chaosops.env.physics.zones import Zones
from chaosops.env.samples import ServiceSample
from chaosops.env.scene import Scene

_MOST_LINES: Final = 8

_SIGNALS: Final[tuple[tuple[str, str, Callable[[ServiceSample], float], int], ...]] = (
    ("requests", "rps", lambda s: s.rps, 0),
    ("errors", "%", lambda s: s.reported * 100.0, 2),
    ("p50", "ms", lambda s: s.p50, 0),
    ("p95", "ms", lambda s: s.p95, 0),
    ("p99", "ms", lambda s: s.p99, 0),
    ("cpu", "%", lambda s: s.busy, 0),
    ("memory", "%", lambda s: s.memory, 1),
    ("disk", "%", lambda s: s.disk, 1),
    ("pool", "%", lambda s: s.pool, 0),
    ("hit rate", "%", lambda s: s.hit, 1),
    ("backlog", "", lambda s: s.backlog, 0),
    ("instances", "", lambda s: s.instances, 0),
)
_DEVICE: Final[tuple[tuple[str, str, Callable[[ServiceSample], float], int], ...]] = (
    ("operations", "/s", lambda s: s.iops, 0),
    ("await", "ms", lambda s: s.await_ms, 1),
    ("queue", "", lambda s: s.disk_queue, 1),
    ("util", "%", lambda s: s.disk_busy, 0),
)
_SESSIONS: Final[tuple[tuple[str, str, Callable[[ServiceSample], float], int], ...]] = (
    ("open", "", lambda s: s.sessions, 0),
    ("active", "", lambda s: s.active, 0),
    ("waiting for locks", "", lambda s: s.waiting, 0),
)


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show charts of a service: its signals, its instances, its volumes, shards or partitions."""
    samples = scene.history.of(target)
    parts: list[Part] = [_chart(scene, target, ChartKind.SIGNALS, _SIGNALS, samples)]
    traits = scene.traits(target)
    if traits.is_external:
        return tuple(parts)
    parts.append(_by_instance(scene, target, samples))
    zones = scene.mesh.part(target, "zones")
    if isinstance(zones, Zones):
        parts.append(zonal.chart(scene, target, samples, zones))
    if traits.has_disk:
        parts.append(_chart(scene, target, ChartKind.DEVICE, _DEVICE, samples))
        if traits.is_database:
            parts.append(_by_volume(scene, target, samples))
    if traits.is_database:
        parts.append(_chart(scene, target, ChartKind.SESSIONS, _SESSIONS, samples))
    shards = scene.mesh.part(target, "shards")
    if isinstance(shards, Shards):
        parts.append(_by_shard(scene, target, samples, shards))
    partitions = scene.mesh.part(target, "partitions")
    if isinstance(partitions, Partitions):
        parts.append(queue.chart(scene, target, samples, partitions))
    return tuple(parts)


def _chart(
    scene: Scene,
    target: int,
    kind: ChartKind,
    signals: tuple[tuple[str, str, Callable[[ServiceSample], float], int], ...],
    samples: list[ServiceSample],
) -> Chart:
    made = []
    gap = (None,) * samples[-1].delay
    samples = samples[: len(samples) - len(gap)]
    for name, unit, read, digits in signals:
        values = [read(sample) for sample in samples]
        if values[-1] < 0.0 and max(values) < 0.0:
            continue
        made.append(Series(name, unit, (*[_round(max(0.0, v), digits) for v in values], *gap)))
    marks = scene.marks(target) if kind is ChartKind.SIGNALS else ()
    return Chart("chart", kind.value, scene.history.first, tuple(made), marks, kind)


def _by_instance(scene: Scene, target: int, samples: list[ServiceSample]) -> Chart:
    """Chart the CPU of each instance."""
    instances = scene.mesh.instances[target]
    first = scene.history.first
    made = []
    for i in range(min(instances.count, _MOST_LINES)):
        started = scene.started(target, i)
        values: list[float | None] = []
        for k, sample in enumerate(samples):
            minute = first + k
            is_up = started is None or started <= minute
            if not is_up or not instances.serves(i, minute):
                values.append(None)
                continue
            busy = sample.by_busy[i] if i < len(sample.by_busy) else sample.busy
            values.append(min(100.0, _round(scene.shaken(busy, 0.08, 70 + i, minute), 0)))
        made.append(Series(scene.instance(target, i), "%", tuple(values)))
    return Chart("chart", "cpu by instance", first, tuple(made), (), ChartKind.INSTANCES)


def _by_volume(scene: Scene, target: int, samples: list[ServiceSample]) -> Chart:
    """Chart the time of an operation on each volume."""
    first = scene.history.first
    made = []
    for k, number in enumerate(scene.traits(target).callers[:_MOST_LINES]):
        values = []
        for n, sample in enumerate(samples):
            ms = sample.by_volume[k] if sample.by_volume else sample.await_ms
            values.append(_round(scene.shaken(ms, 0.15, 60 + k, first + n), 1))
        table = scene.blueprint.links[number].table
        made.append(Series(f"vol-{table}", "ms", tuple(values)))
    return Chart("chart", "await by volume", first, tuple(made), (), ChartKind.VOLUMES)


def _by_shard(scene: Scene, target: int, samples: list[ServiceSample], shards: Shards) -> Chart:
    count = int(shards.count)
    made = []
    for k in range(count):
        values = []
        for n, sample in enumerate(samples):
            minute = scene.history.first + n
            even = sample.busy
            busy = even
            if sample.shard_busy > even + 0.5:
                rest = (even * count - min(sample.shard_busy, 100.0)) / (count - 1)
                busy = min(sample.shard_busy, 99.0) if k == shards.hot else max(rest, 1.0)
            values.append(_round(scene.shaken(busy, 0.05, 90 + k, minute), 0))
        made.append(Series(f"shard {k}", "%", tuple(values)))
    first = scene.history.first
    return Chart("chart", "cpu by shard", first, tuple(made), (), ChartKind.SHARDS)


def _round(value: float, digits: int) -> float:
    return round(value, digits) if digits else float(int(value + 0.5))
