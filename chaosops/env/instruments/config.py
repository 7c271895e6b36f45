"""Configuration: what each instance has loaded, and what was reviewed."""

from __future__ import annotations

from chaosops.env.models.readings import Cell, Column, Part, Stated, Table, TableKind
from chaosops.env.scene import Scene


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show a row per instance: the configuration it runs, and the reviewed one."""
    traits = scene.traits(target)
    if traits.is_external:
        return ()
    changes = scene.changes(target, -9_999)
    configs = [c for c in changes if c.kind.value in ("config", "flag")]
    instances = scene.mesh.instances[target]
    reviewed = configs[-1].version if configs else f"c{100 + int(scene.chance(8_500, -1) * 80)}"
    old, new = (f"{int(scene.chance(8_510 + target, -n) * 0xFFFFFF):06x}" for n in (1, 2))
    rows: list[tuple[Cell, ...]] = []
    stated: list[Stated] = []
    parse, unknown_key = _parse(scene, target)
    for i in range(instances.count):
        carries = parse is not None and instances.config[i] > 0
        if carries:
            stated.append(Stated(i, "parse", (unknown_key,)))
        loaded = old if parse is not None and not carries else new
        rows.append((scene.instance(target, i), reviewed, new, loaded, parse if carries else "ok"))
    columns = (
        Column("instance"),
        Column("reviewed"),
        Column("reviewed hash"),
        Column("loaded hash"),
        Column("parse"),
    )
    kind = TableKind.CONFIGURATION
    return (Table("table", "configuration", columns, tuple(rows), kind, tuple(stated)),)


def _parse(scene: Scene, target: int) -> tuple[str | None, str]:
    """Return the parse result of a configuration that is rolled out, and the rejected key."""
    for cause in scene.live(target):
        shows = cause.cast.cause.shows
        if shows.parse is not None and cause.cast.place == target:
            return scene.fill(shows.parse, cause.cast.onset, 8_520), shows.unknown_key or ""
    return None, ""
