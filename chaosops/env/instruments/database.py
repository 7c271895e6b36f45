"""The internals of a database: its sessions, who waits for whom, and its statements."""

from __future__ import annotations

from typing import Final

from chaosops.env.causes import LiveCause
from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.disk import Disk
from chaosops.env.physics.locks import Locks
from chaosops.env.physics.plans import PAGES, Plans
from chaosops.env.physics.pool import Pool
from chaosops.env.physics.sessions import Sessions
from chaosops.env.scene import Scene

_MOST_ROWS: Final = 24
_APPS: Final = ("report-export", "billing-sync", "backup", "metabase")


def tables(scene: Scene, target: int, sessions: Sessions) -> list[Part]:
    """Return the tables of a database: sessions by state, single sessions, and statements."""
    return [
        _states(scene, target, sessions),
        _sessions(scene, target, sessions),
        _statements(scene, target),
    ]


def minutes_since_onset(scene: Scene, target: int) -> float:
    """Return for how many minutes the causes at a place have been live."""
    return max(
        (float(scene.minute - cause.cast.onset) for cause in scene.live(target)), default=0.0
    )


def _states(scene: Scene, target: int, sessions: Sessions) -> Table:
    waiting = 0.0 if scene.is_quiet(target) else sessions.waiting
    active = max(1.0, scene.shaken(sessions.active, 0.15, 7_400))
    idle = max(0.0, sessions.open - sessions.waiting - active)
    leaked = _leaked(scene, target)
    rows: list[tuple[Cell, ...]] = [
        ("idle", "Client/ClientRead", int(max(0.0, idle - leaked) + 0.5)),
        ("active", "none", int(active + 0.5)),
        ("idle in transaction", "Client/ClientRead", int(leaked + 0.5) + _stray(scene)),
    ]
    for wait, count in _waits(scene, target, waiting):
        rows.append(("active", wait, count))
    columns = (Column("state"), Column("wait"), Column("sessions"))
    shown = tuple(row for row in rows if row[2])
    return Table(
        "table",
        f"sessions by state, of {int(sessions.limit)}",
        columns,
        shown,
        TableKind.SESSION_STATES,
    )


def _stray(scene: Scene) -> int:
    return 1 if scene.chance(7_410) < 0.7 else 2


def _leaked(scene: Scene, target: int) -> float:
    """Count the connections that callers have leaked and keep open."""
    total = 0.0
    for part in scene.mesh.parts:
        if isinstance(part, Pool) and scene.mesh.links[part.link].to == target:
            total += sum(part.leaked)
    return 0.0 if scene.is_quiet(target) else total


def _waits(scene: Scene, target: int, waiting: float) -> list[tuple[str, int]]:
    """Yield what sessions wait for, and how many do."""
    found: list[tuple[str, int]] = []
    if waiting >= 0.5:
        found.append((_blocked_wait(scene, target), int(waiting + 0.5)))
    elif scene.chance(7_420) < 0.35:
        found.append(("Lock/transactionid", 1))
    device = _device_waits(scene, target)
    if device >= 1:
        found.append(("IO/DataFileRead", device))
    if device >= 4:
        found.append(("IO/WALSync", max(1, device // 4)))
    return found


def _blocked_wait(scene: Scene, target: int) -> str:
    for cause in scene.live(target):
        if cause.cast.place == target and cause.cast.cause.shows.blocked_wait:
            return cause.cast.cause.shows.blocked_wait
    return "Lock/transactionid"


def _device_waits(scene: Scene, target: int) -> int:
    disk = scene.mesh.part(target, "disk")
    if not isinstance(disk, Disk):
        return 0
    node = scene.mesh.nodes[target]
    waits = node.served * (node.extra_wait_ms + 0.8) / 1000.0
    plans = scene.mesh.part(target, "plans")
    if isinstance(plans, Plans):
        for k, number in enumerate(plans.callers):
            link = scene.mesh.links[number]
            waits += link.rate * plans.flipped[k] * min(plans.scan_ms, 6_000.0) / 1000.0
    return int(scene.shaken(waits, 0.2, 7_430) + 0.5)


def _sessions(scene: Scene, target: int, sessions: Sessions) -> Table:
    """List the sessions with the oldest transactions, as `pg_stat_activity` does."""
    rows: list[tuple[Cell, ...]] = []
    rows += _ordinary_sessions(scene, target)
    if not scene.is_quiet(target):
        for cause in scene.live(target):
            if cause.cast.place == target or cause.cast.cause.shows.holder is not None:
                rows += _story(scene, target, cause, sessions)
        rows += _leaked_sessions(scene, target)
    rows += _device_sessions(scene, target)
    rows.sort(key=lambda row: -float(str(row[5])))
    columns = (
        Column("pid"),
        Column("app"),
        Column("user"),
        Column("state"),
        Column("wait"),
        Column("transaction age", "s"),
        Column("blocked by"),
        Column("query"),
    )
    return Table("table", "sessions", columns, tuple(rows[:_MOST_ROWS]), TableKind.SESSIONS)


def _ordinary_sessions(scene: Scene, target: int) -> list[tuple[Cell, ...]]:
    """List the sessions of a good day: short transactions, and a long reader that blocks nobody."""
    rows: list[tuple[Cell, ...]] = []
    callers = scene.traits(target).callers
    for k in range(5):
        link = scene.blueprint.links[callers[int(scene.chance(7_500 + k) * len(callers))]]
        app = scene.traits(link.caller).name
        idle = scene.chance(7_510 + k) < 0.3
        rows.append(
            (
                2_000 + int(scene.chance(7_520 + k) * 29_000),
                app,
                "app",
                "idle in transaction" if idle else "active",
                "Client/ClientRead" if idle else None,
                round(0.01 + 0.6 * scene.chance(7_530 + k), 2),
                None,
                f"SELECT * FROM {link.table} WHERE id = $1",
            )
        )
    started = -20 - int(scene.chance(7_540, -1) * 40)
    app = _APPS[int(scene.chance(7_541, -1) * len(_APPS))]
    link = scene.blueprint.links[callers[int(scene.chance(7_542, -1) * len(callers))]]
    rows.append(
        (
            2_000 + int(scene.chance(7_543, -1) * 29_000),
            app,
            "readonly",
            "active",
            "Client/ClientWrite",
            round((scene.minute - started) * 60.0 + 13.0, 1),
            None,
            f"COPY (SELECT * FROM {link.table}_archive) TO STDOUT",
        )
    )
    return rows


def _story(
    scene: Scene, target: int, cause: LiveCause, sessions: Sessions
) -> list[tuple[Cell, ...]]:
    """List the holder of a lock and the sessions that wait for it."""
    shows = cause.cast.cause.shows
    if cause.cast.place != target or shows.blocked_wait is None or sessions.waiting < 0.5:
        return []
    locks = scene.mesh.part(target, "locks")
    if not isinstance(locks, Locks):
        return []
    rows: list[tuple[Cell, ...]] = []
    age = (scene.minute - cause.cast.onset) * 60.0 + 21.0
    query = scene.fill(shows.query or "", scene.minute, 7_600)
    caller = scene.traits(cause.cast.caller).name if cause.cast.caller >= 0 else ""
    count = min(int(sessions.waiting + 0.5), _MOST_ROWS - 6)
    if shows.pairs:
        for k in range(max(1, min(count, 8) // 2)):
            one = 2_000 + int(scene.chance(7_610 + k) * 29_000)
            two = 2_000 + int(scene.chance(7_630 + k) * 29_000)
            took = round(0.1 + 0.85 * scene.chance(7_650 + k), 2)
            for pid, other in ((one, two), (two, one)):
                rows.append(
                    (pid, caller, "app", "active", shows.blocked_wait, took, str(other), query)
                )
        return rows
    holder = shows.holder
    if holder is None:
        return []
    pid = 2_000 + int(scene.chance(7_700, cause.cast.onset) * 29_000)
    behind: str | None = None
    if holder.wait.startswith("Lock/"):
        reader = 2_000 + int(scene.chance(7_701, cause.cast.onset) * 29_000)
        behind = str(reader)
        link = scene.blueprint.links[cause.cast.link]
        rows.append(
            (
                reader,
                _APPS[int(scene.chance(7_702, cause.cast.onset) * len(_APPS))],
                "readonly",
                "active",
                "Client/ClientWrite",
                round(age + 900.0, 1),
                None,
                f"SELECT * FROM {link.table} ORDER BY created_at",
            )
        )
    rows.append(
        (
            pid,
            scene.fill(holder.app, scene.minute, 7_703),
            scene.fill(holder.user, scene.minute, 7_704),
            holder.state,
            holder.wait,
            round(age, 1),
            behind,
            scene.fill(holder.query, scene.minute, 7_705),
        )
    )
    before = str(pid)
    for k in range(count):
        mine = 2_000 + int(scene.chance(7_710 + k) * 29_000)
        rows.append(
            (
                mine,
                caller,
                "app",
                "active",
                shows.blocked_wait,
                round(0.2 + 3.7 * scene.chance(7_740 + k), 1),
                str(pid) if k % 3 else before,
                query,
            )
        )
        before = str(mine)
    return rows


def _leaked_sessions(scene: Scene, target: int) -> list[tuple[Cell, ...]]:
    """List sessions of callers that leak connections."""
    rows: list[tuple[Cell, ...]] = []
    for part in scene.mesh.parts:
        if not isinstance(part, Pool) or scene.mesh.links[part.link].to != target:
            continue
        lost = int(sum(part.leaked))
        if lost < 1:
            continue
        age = minutes_since_onset(scene, part.service) * 60.0
        link = scene.blueprint.links[part.link]
        app = scene.traits(part.service).name
        for k in range(min(lost, 12)):
            rows.append(
                (
                    2_000 + int(scene.chance(7_800 + k, -2) * 29_000),
                    app,
                    "app",
                    "idle in transaction",
                    "Client/ClientRead",
                    round(age * (k + 1) / 12.0 + 4.0, 1),
                    None,
                    f"SELECT 1 FROM {link.table} WHERE id = $1 FOR KEY SHARE",
                )
            )
    return rows


def _device_sessions(scene: Scene, target: int) -> list[tuple[Cell, ...]]:
    """List sessions that wait for the device."""
    waiting = _device_waits(scene, target)
    plans = scene.mesh.part(target, "plans")
    callers = scene.traits(target).callers
    rows: list[tuple[Cell, ...]] = []
    for k in range(min(waiting, 10)):
        number = callers[int(scene.chance(7_850 + k) * len(callers))]
        took = 0.02 + scene.mesh.nodes[target].extra_wait_ms / 1000.0 * scene.chance(7_860 + k) * 2
        query = f"SELECT * FROM {scene.blueprint.links[number].table} WHERE id = $1"
        if isinstance(plans, Plans) and any(plans.flipped):
            most = max(range(len(plans.flipped)), key=lambda j: plans.flipped[j])
            number = plans.callers[most]
            query = _scan_query(scene, target) or query
            took = plans.scan_ms / 1000.0 * scene.chance(7_870 + k)
        app = scene.traits(scene.blueprint.links[number].caller).name
        wait = "IO/DataFileRead" if k % 4 else "IO/WALSync"
        if isinstance(plans, Plans) and any(plans.flipped):
            wait = "IO/DataFileRead"
        pid = 2_000 + int(scene.chance(7_880 + k) * 29_000)
        rows.append((pid, app, "app", "active", wait, round(took, 2), None, query))
    return rows


def _scan_query(scene: Scene, target: int) -> str | None:
    for cause in scene.live(target):
        query = cause.cast.cause.shows.query
        if query is not None:
            return scene.fill(query, scene.minute, 7_600)
    return None


def _statements(scene: Scene, target: int) -> Table:
    """Show calls, time and rows of the queries, as `pg_stat_statements` does."""
    node = scene.mesh.nodes[target]
    plans = scene.mesh.part(target, "plans")
    rows: list[tuple[Cell, ...]] = []
    for k, number in enumerate(scene.traits(target).callers):
        link = scene.mesh.links[number]
        table = link.traits.table
        base = node.fixed_ms * 0.55 + node.extra_wait_ms
        flipped = plans.flipped[k] if isinstance(plans, Plans) else 0.0
        scan = plans.scan_ms if isinstance(plans, Plans) else 0.0
        second = base * 1.4
        rows_read = 4.0
        calls = link.rate * 0.3
        if flipped > 0.0:
            part = min(1.0, flipped / 0.3)
            second += part * scan
            rows_read += part * PAGES * 60.0
        rows.append(_statement(scene, f"SELECT {table} by id", link.rate * 0.45, base, 1.0, k))
        rows.append(
            _statement(scene, f"SELECT {table} by customer", calls, second, rows_read, 20 + k)
        )
        rows.append(_statement(scene, f"UPDATE {table}", link.rate * 0.25, base * 1.2, 1.0, 40 + k))
    rows.sort(key=lambda row: -float(str(row[2])) * float(str(row[1])))
    columns = (
        Column("query"),
        Column("calls", "/s"),
        Column("mean", "ms"),
        Column("rows a call"),
    )
    return Table(
        "table", "statements, last 5 min", columns, tuple(rows[:_MOST_ROWS]), TableKind.STATEMENTS
    )


def _statement(
    scene: Scene, query: str, calls: float, ms: float, rows: float, key: int
) -> tuple[Cell, ...]:
    return (
        query,
        round(scene.shaken(calls, 0.05, 7_900 + key), 1),
        round(scene.shaken(ms, 0.12, 7_950 + key), 1),
        int(scene.shaken(rows, 0.1, 8_000 + key) + 0.5),
    )
