"""The internals of a database: how many sessions are in which state, and its statements."""

from __future__ import annotations

from typing import Final, NamedTuple

from chaosops.env.instruments import session_rows
from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.disk import IOS, Disk
from chaosops.env.physics.locks import DEADLOCK_AFTER_MS, Locks
from chaosops.env.physics.plans import PAGES, Plans
from chaosops.env.physics.pool import Pool
from chaosops.env.physics.sessions import Sessions
from chaosops.env.scene import Scene

_MOST_ROWS: Final = 24
_READS: Final = 0.75
_UPDATES: Final = 0.25
_ROW_LOCK: Final = "Lock/transactionid"


class Census(NamedTuple):
    """The sessions of a database by state; all together are as many as are open.

    Attributes:
        idle: Idle outside of a transaction, `in_transaction` within one.
        running: At work and waiting for nothing.
        reading, syncing: Waiting for the device, in a read or a commit.
        waiting: Waiting for a lock.
        left: Writing to a client that has gone.
    """

    idle: int
    in_transaction: int
    running: int
    reading: int
    syncing: int
    waiting: int
    left: int


def tables(scene: Scene, target: int, sessions: Sessions) -> list[Part]:
    """Return the tables of a database: sessions by state, single sessions, and statements."""
    counted = _census(scene, target, sessions)
    return [
        _states(scene, target, sessions, counted),
        session_rows.table(
            scene,
            target,
            waiting=counted.waiting,
            reading=counted.reading,
            syncing=counted.syncing,
            left=counted.left,
        ),
        _statements(scene, target),
    ]


def _census(scene: Scene, target: int, sessions: Sessions) -> Census:
    waiting = 0 if scene.is_quiet(target) else int(sessions.waiting + 0.5)
    active = int(sessions.active + 0.5)
    reading, syncing = _device_waits(scene, target)
    reading = min(reading, active)
    syncing = min(syncing, active - reading)
    stray = 1 if scene.chance(7_410) < 0.7 else 2
    in_transaction = int(_leaked(scene, target)) + stray
    left = 0 if scene.is_quiet(target) else int(sessions.left + 0.5)
    idle = int(sessions.open + 0.5) - waiting - active - in_transaction - left
    running = active - reading - syncing
    return Census(max(0, idle), in_transaction, running, reading, syncing, waiting, left)


def _states(scene: Scene, target: int, sessions: Sessions, counted: Census) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = (
        ("idle", "Client/ClientRead", counted.idle),
        ("active", None, counted.running),
        ("idle in transaction", "Client/ClientRead", counted.in_transaction),
        ("active", _blocked_wait(scene, target), counted.waiting),
        ("active", "IO/DataFileRead", counted.reading),
        ("active", "IO/WALSync", counted.syncing),
        ("active", "Client/ClientWrite", counted.left),
    )
    columns = (Column("state"), Column("wait"), Column("sessions"))
    return Table(
        "table",
        f"sessions by state, limit {int(sessions.limit)}",
        columns,
        tuple(row for row in rows if row[2]),
        TableKind.SESSION_STATES,
    )


def _leaked(scene: Scene, target: int) -> float:
    """Count the connections that callers have leaked and keep open."""
    total = 0.0
    for part in scene.mesh.parts:
        if isinstance(part, Pool) and scene.mesh.links[part.link].to == target:
            total += sum(float(int(leaked)) for leaked in part.leaked)
    return 0.0 if scene.is_quiet(target) else total


def _blocked_wait(scene: Scene, target: int) -> str:
    for cause in scene.live(target):
        if cause.cast.place == target and cause.cast.cause.shows.blocked_wait:
            return cause.cast.cause.shows.blocked_wait
    return _ROW_LOCK


def _device_waits(scene: Scene, target: int) -> tuple[int, int]:
    """Return how many sessions wait for a read and for a commit: rate x time, by Little's law.

    A scan reads ahead, but its session waits until it has read everything.
    """
    disk = scene.mesh.part(target, "disk")
    if not isinstance(disk, Disk):
        return 0, 0
    looking = scanning = 0.0
    for k, number in enumerate(disk.callers):
        link = scene.mesh.links[number]
        looking += link.reaching * IOS * disk.volume_await_ms(k) / 1000.0
        plans = scene.mesh.part(target, "plans")
        if isinstance(plans, Plans):
            scan_ms = min(plans.scan_ms, link.traits.timeout_ms)
            scanning += link.reaching * plans.flipped[k] * scan_ms / 1000.0
    reading = int(_READS * looking + scanning + 0.5)
    return reading, int(looking + scanning + 0.5) - reading


def _statements(scene: Scene, target: int) -> Table:
    """Show calls, time and rows of the queries, as `pg_stat_statements` does."""
    node = scene.mesh.nodes[target]
    plans = scene.mesh.part(target, "plans")
    rows: list[tuple[Cell, ...]] = []
    for k, number in enumerate(scene.traits(target).callers):
        link = scene.mesh.links[number]
        table = link.traits.table
        base = node.fixed_ms * 0.55 + node.extra_wait_ms + link.wait_ms
        flipped = plans.flipped[k] if isinstance(plans, Plans) else 0.0
        scan = plans.scan_ms if isinstance(plans, Plans) else 0.0
        second = base * 1.4
        rows_read = 4.0
        rate = link.reaching
        locked, updated = _lock_waits_ms(scene, target, k)
        if flipped > 0.0:
            part = min(1.0, flipped / 0.3)
            second += part * scan
            rows_read += part * PAGES * 60.0
        update = base * 1.2 + updated
        base, second = base + locked, second + locked
        rows += (
            _statement(scene, f"SELECT {table} by id", rate * 0.45, base, 1.0, k),
            _statement(scene, f"SELECT {table} by customer", rate * 0.3, second, rows_read, 20 + k),
            _statement(scene, f"UPDATE {table}", rate * _UPDATES, update, 1.0, 40 + k),
        )
    rows.sort(key=lambda row: -float(str(row[2])) * float(str(row[1])))
    columns = (
        Column("query"),
        Column("calls", "/s"),
        Column("mean", "ms"),
        Column("rows per call"),
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


def _lock_waits_ms(scene: Scene, target: int, k: int) -> tuple[float, float]:
    """Return the mean time for which a caller's reads and updates wait for locks.

    Row locks make updates wait; only the lock of a schema change makes reads wait as well.
    """
    locks = scene.mesh.part(target, "locks")
    if not isinstance(locks, Locks):
        return 0.0, 0.0
    link = scene.mesh.links[locks.callers[k]]
    blocked = locks.blocked[k] * link.traits.timeout_ms
    deadlocked = link.broken * DEADLOCK_AFTER_MS if locks.deadlocked[k] > 0.0 else 0.0
    if _blocked_wait(scene, target) != _ROW_LOCK:
        return blocked, blocked
    updates = (blocked + deadlocked) / _UPDATES
    return 0.0, min(updates, link.traits.timeout_ms)
