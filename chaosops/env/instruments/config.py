"""Configuration: what each instance has loaded, beside what was reviewed."""

from __future__ import annotations

from chaosops.env.models.readings import Cell, Column, Part, Table
from chaosops.env.scene import Scene


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """A row an instance: the build and the configuration that it runs, and the reviewed ones."""
    traits = scene.traits(target)
    if traits.is_external:
        return ()
    changes = scene.changes(target, -9_999)
    configs = [c for c in changes if c.kind.value in ("config", "flag")]
    instances = scene.mesh.instances[target]
    reviewed = configs[-1].version if configs else f"c{100 + int(scene.chance(8_500, -1) * 80)}"
    rows: list[tuple[Cell, ...]] = []
    for i in range(instances.count):
        digest = int(scene.chance(8_510 + target, len(configs)) * 0xFFFFFF)
        rows.append((scene.instance(target, i), reviewed, f"{digest:06x}", f"{digest:06x}", "ok"))
    columns = (
        Column("instance"),
        Column("reviewed"),
        Column("reviewed hash"),
        Column("loaded hash"),
        Column("parse"),
    )
    return (Table("table", "configuration", columns, tuple(rows)),)
