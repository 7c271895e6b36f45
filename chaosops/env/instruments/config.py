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
    old, new = (f"{int(scene.chance(8_510 + target, -n) * 0xFFFFFF):06x}" for n in (1, 2))
    rows: list[tuple[Cell, ...]] = []
    parse = _parse(scene, target)
    for i in range(instances.count):
        carries = parse is not None and instances.config[i] > 0
        loaded = old if parse is not None and not carries else new
        rows.append((scene.instance(target, i), reviewed, new, loaded, parse if carries else "ok"))
    columns = (
        Column("instance"),
        Column("reviewed"),
        Column("reviewed hash"),
        Column("loaded hash"),
        Column("parse"),
    )
    return (Table("table", "configuration", columns, tuple(rows)),)


def _parse(scene: Scene, target: int) -> str | None:
    """What instances say of a configuration that is rolled out there; None where none is."""
    for cause in scene.live(target):
        words = cause.cast.cause.shows.parse
        if words is not None and cause.cast.place == target:
            return scene.fill(words, cause.cast.onset, 8_520)
    return None
