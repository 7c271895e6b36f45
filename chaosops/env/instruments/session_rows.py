"""Single sessions of a database: who holds what, and who waits for whom."""

from __future__ import annotations

from math import fsum
from typing import Final

from chaosops.env.causes import LiveCause
from chaosops.env.instruments import leaks
from chaosops.env.models.readings import Cell, Column, Table, TableKind
from chaosops.env.physics.locks import DEADLOCK_AFTER_MS
from chaosops.env.physics.plans import Plans
from chaosops.env.physics.pool import Pool
from chaosops.env.scene import Scene
from chaosops.scenarios.cause import SessionRow

_MOST_ROWS: Final = 24
_MOST_WAITERS: Final = 18
_MOST_OTHERS: Final = 10
_SAME_ROW: Final = 4
_APPS: Final = ("report-export", "billing-sync", "backup", "metabase")

Row = tuple[Cell, ...]


def table(
    scene: Scene, target: int, *, waiting: int, reading: int, syncing: int, left: int
) -> Table:
    """List the sessions with the oldest transactions, as `pg_stat_activity` does.

    Args:
        waiting: How many wait for a lock.
        reading, syncing: How many wait for the device, in a read or a commit.
        left: How many write to a client that has gone.
    """
    rows = _ordinary(scene, target)
    if not scene.is_quiet(target):
        for cause in scene.live(target):
            if cause.cast.place == target and waiting:
                rows += _blocked(scene, cause, waiting)
        rows += _leaked(scene, target)
        rows += _left(scene, target, left)
    rows += _at_the_device(scene, target, reading, syncing)
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


def _pid(scene: Scene, key: int, minute: int | None = None) -> int:
    return 2_000 + int(scene.chance(key, minute) * 29_000)


def _ordinary(scene: Scene, target: int) -> list[Row]:
    """List the sessions of a good day: short transactions, and a long reader that blocks nobody."""
    rows: list[Row] = []
    callers = scene.traits(target).callers
    for k in range(4):
        link = scene.blueprint.links[callers[int(scene.chance(7_500 + k) * len(callers))]]
        app = scene.traits(link.caller).name
        idle = k == 0
        rows.append(
            (
                _pid(scene, 7_520 + k),
                app,
                "app",
                "idle in transaction" if idle else "active",
                "Client/ClientRead" if idle else None,
                round(0.002 + 0.03 * scene.chance(7_530 + k), 3),
                None,
                f"SELECT * FROM {link.table} WHERE id = $1",
            )
        )
    started = -20 - int(scene.chance(7_540, -1) * 40)
    app = _APPS[int(scene.chance(7_541, -1) * len(_APPS))]
    link = scene.blueprint.links[callers[int(scene.chance(7_542, -1) * len(callers))]]
    rows.append(
        (
            _pid(scene, 7_543, -1),
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


def _blocked(scene: Scene, cause: LiveCause, waiting: int) -> list[Row]:
    """List the holder of a lock and the sessions that wait for it."""
    shows = cause.cast.cause.shows
    if shows.blocked_wait is None or not (shows.pairs or shows.holder):
        return []
    query = scene.fill(shows.query or "", scene.minute, 7_600)
    app = scene.traits(cause.cast.caller).name if cause.cast.caller >= 0 else ""
    if shows.pairs:
        return _pairs(scene, app, shows.blocked_wait, query, waiting)
    if shows.holder is None:
        return []
    rows = _holder(scene, cause, shows.holder)
    holder = rows[-1]
    timeout = scene.mesh.links[cause.cast.link].traits.timeout_ms / 1000.0
    ages = sorted(
        (timeout * (0.04 + 0.94 * scene.chance(7_740 + k)) for k in range(waiting)), reverse=True
    )
    # Readers of a table queue behind the schema change alone; of the writers of rows, some want
    # a row that an older one of them waits for already.
    chains = shows.blocked_wait.startswith("Lock/") and holder[4] != shows.blocked_wait
    before = holder[0]
    for k, age in enumerate(ages[:_MOST_WAITERS]):
        pid = _pid(scene, 7_710 + k)
        behind = before if chains and k % _SAME_ROW == _SAME_ROW - 1 else holder[0]
        rows.append(
            (pid, app, "app", "active", shows.blocked_wait, round(age, 3), str(behind), query)
        )
        before = pid
    return rows


def _holder(scene: Scene, cause: LiveCause, holder: SessionRow) -> list[Row]:
    """List the session that holds a lock, after the one that it waits for itself."""
    onset = cause.cast.onset
    age = (scene.minute - onset) * 60.0 + 21.0
    rows: list[Row] = []
    behind: str | None = None
    if holder.wait.startswith("Lock/"):
        reader = _pid(scene, 7_701, onset)
        behind = str(reader)
        link = scene.blueprint.links[cause.cast.link]
        rows.append(
            (
                reader,
                _APPS[int(scene.chance(7_702, onset) * len(_APPS))],
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
            _pid(scene, 7_700, onset),
            scene.fill(holder.app, scene.minute, 7_703),
            scene.fill(holder.user, scene.minute, 7_704),
            holder.state,
            holder.wait,
            round(age, 1),
            behind,
            scene.fill(holder.query, scene.minute, 7_705),
        )
    )
    return rows


def _pairs(scene: Scene, app: str, wait: str, query: str, waiting: int) -> list[Row]:
    """List sessions that wait for each other."""
    rows: list[Row] = []
    for k in range(max(1, min(waiting, 8) // 2)):
        one, two = _pid(scene, 7_610 + k), _pid(scene, 7_630 + k)
        took = round(DEADLOCK_AFTER_MS / 1000.0 * (0.1 + 0.85 * scene.chance(7_650 + k)), 3)
        for pid, other in ((one, two), (two, one)):
            rows.append((pid, app, "app", "active", wait, took, str(other), query))
    return rows


def _leaked(scene: Scene, target: int) -> list[Row]:
    """List sessions of callers that leak connections, with those that each instance leaked."""
    rows: list[Row] = []
    for part in scene.mesh.parts:
        if not isinstance(part, Pool) or scene.mesh.links[part.link].to != target:
            continue
        link = scene.blueprint.links[part.link]
        app = scene.traits(part.service).name
        for i in range(len(part.leaked)):
            for k, age in enumerate(leaks.ages_s(scene, part, i)):
                rows.append(
                    (
                        _pid(scene, 17_800 + 40 * i + k, -2),
                        app,
                        "app",
                        "idle in transaction",
                        "Client/ClientRead",
                        round(age, 1),
                        None,
                        f"SELECT 1 FROM {link.table} WHERE id = $1 FOR KEY SHARE",
                    )
                )
    return rows


def _left(scene: Scene, target: int, left: int) -> list[Row]:
    """List sessions that can't send their rows, since nobody reads them any more."""
    rows: list[Row] = []
    for cause in scene.live(target):
        if cause.cast.place != target or cause.cast.caller < 0:
            continue
        link = scene.blueprint.links[cause.cast.link]
        app = scene.traits(link.caller).name
        longest = (scene.minute - cause.cast.onset) * 60.0
        query = f"SELECT * FROM {link.table} WHERE owner_id = $1"
        for k in range(min(left, _MOST_OTHERS)):
            age = 4.0 + longest * scene.chance(7_930 + k)
            pid = _pid(scene, 7_945 + k)
            wait = "Client/ClientWrite"
            rows.append((pid, app, "app", "active", wait, round(age, 1), None, query))
    return rows


def _at_the_device(scene: Scene, target: int, reading: int, syncing: int) -> list[Row]:
    """List sessions that wait for the device; most of them are of callers with slow volumes."""
    callers = scene.traits(target).callers
    plans = scene.mesh.part(target, "plans")
    links = [scene.mesh.links[number] for number in callers]
    shares = [link.reaching * (1.0 + link.wait_ms + link.stalled * link.stall_ms) for link in links]
    total = max(1e-9, fsum(shares))
    rows: list[Row] = []
    for k in range(min(reading + syncing, _MOST_OTHERS)):
        roll = scene.chance(7_850 + k) * total
        place = 0
        while place < len(links) - 1 and roll >= shares[place]:
            roll -= shares[place]
            place += 1
        link = links[place]
        took = 2.0 + (scene.mesh.nodes[target].extra_wait_ms + link.wait_ms) * 2.0
        query = f"SELECT * FROM {link.traits.table} WHERE id = $1"
        syncs = k % 4 == 3 and syncing > 0
        if isinstance(plans, Plans) and place < len(plans.flipped) and plans.flipped[place]:
            query = _scan_query(scene, target) or query
            took, syncs = min(plans.scan_ms, link.traits.timeout_ms), False
        elif syncs:
            query = f"UPDATE {link.traits.table} SET updated_at = now() WHERE id = $1"
        app = scene.traits(link.traits.caller).name
        took = min(took, link.traits.timeout_ms) / 1000.0 * scene.chance(7_860 + k)
        wait = "IO/WALSync" if syncs else "IO/DataFileRead"
        pid = _pid(scene, 7_880 + k)
        rows.append((pid, app, "app", "active", wait, round(took + 0.001, 3), None, query))
    return rows


def _scan_query(scene: Scene, target: int) -> str | None:
    for cause in scene.live(target):
        query = cause.cast.cause.shows.query
        if query is not None:
            return scene.fill(query, scene.minute, 7_600)
    return None
