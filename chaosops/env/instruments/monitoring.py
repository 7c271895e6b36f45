"""What monitoring does itself: checks from outside, and how its figures are collected."""

from __future__ import annotations

from typing import Final

from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.monitor import Monitor
from chaosops.env.scene import Scene

_POINTS: Final = ("frankfurt", "dublin", "stockholm")
_CHECKS: Final = 30
_COUNTED: Final = 600
_FEW: Final = 40
_COLLECTED_S: Final = 15.0
_SECONDS: Final = 60.0
_A_QUARTER: Final = 15


def tables(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show checks of a service by vantage point, and the collection of its figures."""
    part = scene.mesh.part(target, "monitor")
    if not isinstance(part, Monitor):
        return ()
    return (_checks(scene, target, part), _collected(scene, target, part))


def _checks(scene: Scene, target: int, part: Monitor) -> Table:
    node = scene.mesh.nodes[target]
    rows: list[tuple[Cell, ...]] = []
    for k, point in enumerate(_POINTS):
        key = 15_000 + 8 * target + k
        refused = part.checks > 0.0 and k == 0
        failed = 1.0 if refused else 1.0 - node.ok
        lost = int(_CHECKS * failed + scene.chance(key))
        if not refused and failed < 1.0 / _CHECKS:
            lost = 1 if scene.chance(key) < _CHECKS * failed else 0
        answer = "401 token expired" if refused else ("500" if lost else "200")
        took = scene.shaken(node.mean_ms + 12.0 * (k + 1), 0.1, key + 4)
        rows.append(
            (
                point,
                _CHECKS,
                min(lost, _CHECKS),
                answer,
                int(6.0 + 3.0 * scene.chance(key + 5)) if refused else int(took),
            )
        )
    columns = (
        Column("from"),
        Column("checks, last 5 min"),
        Column("failed"),
        Column("worst answer"),
        Column("mean time", "ms"),
    )
    return Table("table", "external checks", columns, tuple(rows), TableKind.CHECKS)


def _collected(scene: Scene, target: int, part: Monitor) -> Table:
    late = int(part.late)
    age = late * _SECONDS + _COLLECTED_S * scene.chance(15_400 + target)
    counted = _FEW if part.counted > 0.0 else _COUNTED
    rows: tuple[tuple[Cell, ...], ...] = (
        (
            "agent",
            round(age, 1),
            min(late, _A_QUARTER),
            int(scene.shaken(float(counted), 0.1, 15_500 + target)),
        ),
    )
    columns = (
        Column("collected by"),
        Column("newest point", "s ago"),
        Column("points missing, last 15 min"),
        Column("requests behind a point"),
    )
    return Table("table", "collection", columns, rows, TableKind.COLLECTED)
