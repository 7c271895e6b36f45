"""Network: probes to a service, between zones, and of what connections to it go by."""

from __future__ import annotations

from typing import Final

from chaosops.env.instruments import identity, monitoring, zonal
from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.scene import Scene

_NEAR_MS: Final = 0.3
_FAR_MS: Final = 1.0


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show a row for each zone and caller that was probed from, and tables of what they met."""
    traits = scene.traits(target)
    node = scene.mesh.nodes[target]
    lost = node.injected_lost
    count = scene.mesh.instances[target].count
    rows: list[tuple[Cell, ...]] = []
    for zone in range(3):
        key = 8_410 + 10 * target + zone
        connect = scene.shaken(_NEAR_MS if zone == 0 else _FAR_MS, 0.3, key)
        loss = 0.05 * scene.chance(key + 1)
        answer = identity.resolved(scene, target, zone, key + 2)
        rows.append(
            (
                f"z{zone + 1}",
                traits.name,
                answer if scene.chance(key + 3) >= lost else "no answer",
                round(scene.shaken(2.5, 0.6, key + 4), 1),
                round(connect, 2),
                round(loss, 2),
                identity.days_left(scene, target, zone % count),
                round(identity.offset_ms(scene, target, zone % count), 1),
            )
        )
    for number in traits.callers[:8]:
        link = scene.mesh.links[number]
        caller = scene.traits(link.traits.caller).name
        rejected = any(
            cause.cast.cause.shows.rejected and cause.cast.link == number
            for cause in scene.live(target)
        )
        key = 8_600 + number
        share = 100.0 * link.broken if rejected else 0.05 * scene.chance(key + 1)
        rows.append(
            (
                caller,
                traits.name,
                identity.resolved(scene, target, number % 3, key),
                round(scene.shaken(2.5, 0.6, key + 4), 1),
                round(scene.shaken(_NEAR_MS, 0.3, key), 2),
                round(share, 2),
                identity.days_left(scene, target, number % count),
                round(identity.offset_ms(scene, target, number % count), 1),
            )
        )
    columns = (
        Column("from"),
        Column("to"),
        Column("resolves to"),
        Column("lookup", "ms"),
        Column("connect", "ms"),
        Column("loss", "%"),
        Column("certificate", "days left"),
        Column("clock offset", "ms"),
    )
    made = Table("table", "probes", columns, tuple(rows), TableKind.PROBES)
    if traits.is_external:
        return (made,)
    return (
        made,
        *monitoring.tables(scene, target),
        zonal.pairs(scene, target),
        *identity.tables(scene, target),
    )
