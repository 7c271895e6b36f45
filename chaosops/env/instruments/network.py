"""Network: probes to a service from every zone, and between the hosts of each two zones."""

from __future__ import annotations

from typing import Final

from chaosops.env.instruments import zonal
from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.scene import Scene

_NEAR_MS: Final = 0.3
_FAR_MS: Final = 1.0


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show a row for each zone and caller that was probed from, and one for each pair of zones."""
    traits = scene.traits(target)
    node = scene.mesh.nodes[target]
    lost = node.injected_lost
    days = 30 + int(scene.chance(8_400 + target, -1) * 59)
    rows: list[tuple[Cell, ...]] = []
    for zone in range(3):
        key = 8_410 + 10 * target + zone
        connect = scene.shaken(_NEAR_MS if zone == 0 else _FAR_MS, 0.3, key)
        loss = 0.05 * scene.chance(key + 1)
        answer = f"10.{20 + target}.{zone}.{10 + int(scene.chance(key + 2) * 200)}"
        rows.append(
            (
                f"z{zone + 1}",
                traits.name,
                answer if scene.chance(key + 3) >= lost else "no answer",
                round(scene.shaken(2.5, 0.6, key + 4), 1),
                round(connect, 2),
                round(loss, 2),
                days,
                round(scene.shaken(0.0, 1.0, key + 5) + 2.0 * scene.chance(key + 6) - 1.0, 1),
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
                f"10.{20 + target}.1.{10 + int(scene.chance(key) * 200)}",
                round(scene.shaken(2.5, 0.6, key + 4), 1),
                round(scene.shaken(_NEAR_MS, 0.3, key), 2),
                round(share, 2),
                days,
                round(2.0 * scene.chance(key + 6) - 1.0, 1),
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
    return (made,) if traits.is_external else (made, zonal.pairs(scene, target))
