"""The inside of a queue: its partitions and the group of consumers that reads them."""

from __future__ import annotations

from math import fsum
from typing import Final

from chaosops.env.models.readings import Cell, Chart, ChartKind, Column, Part, Series, Stated, Table
from chaosops.env.models.readings import TableKind as Kind
from chaosops.env.physics.partitions import RETRIES_A_MINUTE, Partitions
from chaosops.env.physics.queueing import backlog_ms, mean_wait_ms
from chaosops.env.samples import ServiceSample
from chaosops.env.scene import Scene

_COMMITS_S: Final = 5.0
"""Consumers commit what they have processed every so many seconds."""

_FIRST: Final = 8_000_000
_SPREAD: Final = 4_000_000
_STABLE: Final = "Stable"
_REBALANCING: Final = "PreparingRebalance"


def tables(scene: Scene, target: int, part: Partitions) -> tuple[Part, ...]:
    """Show a row per partition, per consumer and per service that publishes."""
    return (_partitions(scene, target, part), _consumers(scene, part), _producers(scene, part))


def _producers(scene: Scene, part: Partitions) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for k, number in enumerate(part.callers):
        link = scene.mesh.links[number]
        held = link.broken if link.broken < 1.0 else 1.0
        rows.append(
            (
                scene.traits(link.traits.caller).name,
                round(scene.shaken(link.reaching, 0.03, 8_540 + k), 1),
                round(100.0 * held, 1),
            )
        )
    columns = (Column("producer"), Column("messages", "/s"), Column("gave up", "%"))
    return Table("table", "producers", columns, tuple(rows), Kind.PRODUCERS)


def _partitions(scene: Scene, target: int, part: Partitions) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for k, behind in enumerate(part.lags()):
        lag = behind + _uncommitted(scene, target, k, part.gave[k], scene.minute)
        end = _first_offset(scene, target, k) + int(part.end[k])
        came = scene.shaken(part.came * part.share(k), 0.02, 8_400 + k)
        is_stuck = part.stuck > 0.0 and k == part.hot
        rows.append(
            (
                k,
                end - int(lag),
                end,
                int(lag),
                round(came * (1.0 - part.held[k]), 1),
                round(scene.shaken(part.gave[k], 0.02, 8_430 + k), 1),
                round(came * part.held[k], 1),
                int(RETRIES_A_MINUTE) if is_stuck else 0,
                scene.instance(_consumer(scene, part), _reader(scene, part, k)),
            )
        )
    columns = (
        Column("partition"),
        Column("committed offset"),
        Column("end offset"),
        Column("lag"),
        Column("in", "/s"),
        Column("out", "/s"),
        Column("held back", "/s"),
        Column("errors, last minute"),
        Column("consumer"),
    )
    return Table("table", "partitions", columns, tuple(rows), Kind.PARTITIONS)


def _consumers(scene: Scene, part: Partitions) -> Table:
    """Show the members of the group; one that has no partition reads nothing."""
    consumer = _consumer(scene, part)
    node, instances = scene.mesh.nodes[consumer], scene.mesh.instances[consumer]
    age = _last_rebalance(scene, part)
    waits = mean_wait_ms(node.cpu_ms, node.traits.servers, min(node.busy, 1.0))
    waits = min(waits, node.traits.longest_wait_ms)
    if node.backlog > 0.0:
        waits += backlog_ms(node.backlog, node.capacity)
    state = _STABLE if part.paused <= 0.0 else _REBALANCING
    rows: list[tuple[Cell, ...]] = []
    for i in range(instances.count):
        if not instances.serves(i, scene.minute):
            continue
        mine = [k for k in range(part.count) if _reader(scene, part, k) == i]
        rows.append(
            (
                scene.instance(consumer, i),
                ", ".join(map(str, mine)) or "none",
                round(scene.shaken(fsum(part.gave[k] for k in mine), 0.02, 8_460 + i), 1),
                int(scene.shaken(node.mean_ms, 0.05, 8_480 + i) + 0.5),
                int(scene.shaken(waits, 0.05, 8_500 + i) + 0.5),
                int(scene.shaken(part.usual_ms, 0.05, 8_520 + i, -1) + 0.5),
                _generation(scene, part),
                age,
                state,
            )
        )
    columns = (
        Column("member"),
        Column("partitions"),
        Column("out", "/s"),
        Column("mean time", "ms"),
        Column("waiting for cpu", "ms"),
        Column("a week ago", "ms"),
        Column("generation"),
        Column("last rebalance"),
        Column("group state"),
    )
    name = scene.traits(consumer).name
    stated = tuple(Stated(row, "member", (name,)) for row in range(len(rows)))
    return Table("table", f"consumers: {name}", columns, tuple(rows), Kind.CONSUMERS, stated)


def chart(scene: Scene, target: int, samples: list[ServiceSample], part: Partitions) -> Chart:
    """Chart the lag of each partition."""
    first = scene.history.first
    made = []
    for k in range(part.count):
        values = []
        for n, sample in enumerate(samples):
            waits = _uncommitted(scene, target, k, sample.by_out[k], first + n)
            values.append(sample.by_lag[k] + waits)
        made.append(Series(f"partition {k}", "", tuple(values)))
    return Chart("chart", "lag by partition", first, tuple(made), (), ChartKind.PARTITIONS)


def filled(scene: Scene, place: int, text: str) -> tuple[str, int]:
    """Fill the offset of the message that can't be processed into a log line.

    Returns:
        The text, and the number of the instance that writes it; -1 for a line without an offset.
    """
    part = scene.mesh.part(place, "partitions")
    if "{offset}" not in text or not isinstance(part, Partitions):
        return text, -1
    offset = _first_offset(scene, place, part.hot) + int(part.stuck_at)
    return text.replace("{offset}", str(offset)), _reader(scene, part, part.hot)


def _first_offset(scene: Scene, target: int, k: int) -> int:
    """Return the offset at which a partition's count of messages begins."""
    return _FIRST + int(scene.chance(8_500 + 40 * target + k, -1) * _SPREAD)


def _generation(scene: Scene, part: Partitions) -> int:
    """Return the number of the group's latest generation."""
    return 30 + int(scene.chance(8_900 + part.service, -1) * 60) + part.generation


def _last_rebalance(scene: Scene, part: Partitions) -> str:
    """Return how long ago the group changed: when its youngest member joined, or later."""
    consumer = _consumer(scene, part)
    members = range(scene.mesh.instances[consumer].count)
    known = [start for i in members if (start := scene.started(consumer, i)) is not None]
    if part.generation > 0:
        known.append(part.rebalanced)
    if not known:
        return f"{min(scene.usual_age_h(i) for i in members)} h"
    return f"{max(0, scene.minute - max(known))} min"


def _reader(scene: Scene, part: Partitions, k: int) -> int:
    """Return the number of the instance that reads a partition."""
    instances = scene.mesh.instances[_consumer(scene, part)]
    serving = [i for i in range(instances.count) if instances.serves(i, scene.minute)]
    return serving[k % part.members % len(serving)] if serving else 0


def _consumer(scene: Scene, part: Partitions) -> int:
    return scene.mesh.links[part.link].to


def _uncommitted(scene: Scene, target: int, k: int, out: float, minute: int) -> float:
    """Return how many messages of a partition were processed and not committed yet."""
    return float(int(out * _COMMITS_S * scene.chance(8_600 + 40 * target + k, minute)))
