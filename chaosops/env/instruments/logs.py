"""Logs: what a service wrote in the last minutes, mostly routine lines."""

from __future__ import annotations

import re
from math import fsum
from typing import Final, NamedTuple

from chaosops.env.instruments import queue, zonal
from chaosops.env.models.readings import LogEntry, LogEvent, LogView, Part
from chaosops.env.physics.memory import Memory, mean_pause_ms
from chaosops.env.physics.pool import Pool
from chaosops.env.scene import Scene
from chaosops.scenarios.cause import At

_BACK: Final = 12
_MOST: Final = 100
_WIDEST: Final = 140
_NUMBER: Final = re.compile(r"[0-9][0-9a-f.]*")

_DEADLOCK: Final = LogEvent.DEADLOCK
_REQUESTS: Final = 60.0
"""Requests a minute of which an application logs the outcome; it samples the others away."""

_WORTH_LOGGING: Final = 0.003
_USUAL_LINES: Final = 8.0
_BACKGROUND: Final = 0.0006


class _Line(NamedTuple):
    """A line to be written: its template, how often a minute, and who writes it; -1 for any."""

    level: str
    text: str
    rate: float
    event: LogEvent | None = None
    instance: int = -1


_ORDINARY: Final = (
    _Line("INFO", "health check ok", 3.0),
    _Line("INFO", "connection established to {peer}", 1.2),
    _Line("INFO", "configuration reloaded, 0 differences", 0.15),
    _Line("WARN", "client closed the connection before the response", 0.5),
    _Line("WARN", "request to {peer} succeeded, attempt=2", 0.4),
    _Line("WARN", "slow request duration=1{ms}ms", 0.25),
    _Line("WARN", "field 'locale' is deprecated, ignoring it", 0.2),
    _Line("ERROR", "unexpected end of stream from client", 0.15),
)
_DATABASE: Final = (
    _Line("INFO", "checkpoint complete: wrote {pid} buffers; sync=0.{ms} s", 0.3),
    _Line("INFO", 'automatic vacuum of table "public.{own_table}"', 0.3),
    _Line("INFO", "connection authorized: user=app database=main", 5.0),
    _Line("WARN", "duration: 1{ms}.7 ms  execute <unnamed>: SELECT count(*) FROM {own_table}", 0.5),
    _Line("ERROR", "could not receive data from client: Connection reset by peer", 0.4),
    _Line(
        "ERROR",
        "deadlock detected: process {pid} waits for ShareLock on transaction {xid}",
        0.01,
        _DEADLOCK,
    ),
)


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show the log of a service over the last minutes, oldest first."""
    entries: list[LogEntry] = []
    first = scene.minute - _BACK + 1
    for minute in range(first, scene.minute + 1):
        entries += _minute(scene, target, minute)
    return (LogView("logs", scene.traits(target).name, tuple(_fitted(entries))),)


def _minute(scene: Scene, target: int, minute: int) -> list[LogEntry]:
    traits = scene.traits(target)
    made: list[LogEntry] = []
    sample = scene.history.of(target)[max(0, minute - scene.history.first)]
    failing = max(0.0, sample.errors - _BACKGROUND)
    if traits.is_app:
        took = max(1, int(sample.p50 * (0.5 + 1.2 * scene.chance(320, minute)) + 0.5))
        text = f"request completed status=200 duration={took}ms"
        _add(scene, target, made, minute, _Line("INFO", text, _REQUESTS * (1.0 - failing)), 39)
    routine = _DATABASE if traits.is_database else _ORDINARY
    for k, usual in enumerate(routine):
        line = usual._replace(text=_peer(scene, target, usual.text, minute, k))
        _add(scene, target, made, minute, line, k)
    k = 40
    for n, link in enumerate(scene.mesh.nodes[target].links):
        k += 10
        if n < len(sample.late) and sample.late[n] > 0.0:
            peer, timeout = scene.traits(link.to).name, int(link.traits.timeout_ms)
            text = f"call to {peer} failed: timeout after {timeout} ms, attempt={{attempt}}"
            line = _Line("ERROR", text, _REQUESTS * sample.late[n], LogEvent.CALL_TIMEOUT)
            _add(scene, target, made, minute, line, k)
    turned_away = _no_connection(scene, target, sample.starved, minute)
    if turned_away is not None:
        _add(scene, target, made, minute, turned_away, k + 10)
    for cause in scene.world.causes:
        cast = cause.cast
        strength = cause.magnitude(minute)
        full = cast.points[-1].magnitude if cast.points else 1.0
        share = min(1.0, 0.25 + strength / full) if strength > 0.0 and full > 0.0 else 0.0
        for n, told in enumerate(cast.cause.shows.logs):
            if cast.service(told.at) != target:
                continue
            heals = told.healing and cause.cleared <= minute < cause.cleared + 10
            if (share > 0.0 and not told.healing) or heals:
                rate = told.a_minute * (1.0 if heals else share)
                is_request = told.at is not At.CONSUMER
                if told.level.value == "ERROR" and traits.is_app and is_request and not heals:
                    # An error line for each failed request.
                    rate = _REQUESTS * failing * told.a_minute / _USUAL_LINES
                text, instance = queue.filled(scene, cast.place, told.text)
                if instance < 0 and told.at is At.PLACE:
                    instance = zonal.writer(scene, target, minute, 14_800 + n)
                text = _collected(scene, target, text, sample.heap, minute, 200 + n * 7)
                line = _Line(told.level.value, text, rate, told.event, instance)
                if text:
                    _add(scene, target, made, minute, line, 200 + n * 7)
    return made


def _no_connection(scene: Scene, target: int, starved: float, minute: int) -> _Line | None:
    """Return the line of requests that find no connection in a pool, with that many waiting."""
    pool = scene.mesh.part(target, "pool")
    if not isinstance(pool, Pool) or starved < _WORTH_LOGGING:
        return None
    link = scene.mesh.links[pool.link]
    size, acquire = int(pool.size + 0.5), int(link.acquire_ms)
    serving = max(1.0, scene.mesh.nodes[target].instances)
    waiting = link.rate / serving * max(pool.starved) * acquire / 1000.0
    waiting *= min(1.0, starved / max(starved, scene.history.of(target)[-1].starved))
    count = max(1, int(waiting * (0.8 + 0.2 * scene.chance(330, minute)) + 0.5))
    text = (
        f"Connection is not available, request timed out after {acquire}ms "
        f"(total={size}, active={size}, idle=0, waiting={count})"
    )
    return _Line("ERROR", text, _REQUESTS * starved, LogEvent.NO_CONNECTION)


def _collected(scene: Scene, target: int, text: str, used: float, minute: int, key: int) -> str:
    """Fill in sizes and pause of a full collection; return nothing if there is none."""
    memory = scene.mesh.part(target, "memory")
    if "{heap}" not in text or not isinstance(memory, Memory):
        return text
    pause = mean_pause_ms(used) * (0.7 + 0.3 * scene.chance(key + 5, minute))
    if pause < 1.0:
        return ""
    heap = int(memory.room_mb)
    after = int(heap * used / 100.0 * (0.995 + 0.01 * scene.chance(key + 6, minute)))
    before = min(heap, after + int(heap * (0.002 + 0.02 * scene.chance(key + 7, minute))))
    sizes = {"before": before, "after": min(before, after), "heap": heap, "pause": int(pause)}
    for name, value in sizes.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _peer(scene: Scene, target: int, text: str, minute: int, key: int) -> str:
    links = scene.mesh.nodes[target].links
    if "{peer}" in text:
        name = "upstream"
        if links:
            pick = int(scene.chance(300 + key, minute) * len(links))
            name = scene.traits(links[pick].to).name
        text = text.replace("{peer}", name)
    if "{own_table}" in text:
        callers = scene.traits(target).callers
        table = "jobs"
        if callers:
            pick = int(scene.chance(310 + key, minute) * len(callers))
            table = scene.blueprint.links[callers[pick]].table
        text = text.replace("{own_table}", table)
    return text


def _add(
    scene: Scene,
    target: int,
    made: list[LogEntry],
    minute: int,
    line: _Line,
    key: int,
) -> None:
    """Add about that many lines a minute, as one entry with a count."""
    spread = line.rate * (0.6 + 0.8 * scene.chance(1_000 + 31 * target + key, minute))
    times = int(spread)
    if scene.chance(2_000 + 31 * target + key, minute) < spread - times:
        times += 1
    if times == 0:
        return
    instances = scene.mesh.instances[target]
    i = int(scene.chance(3_000 + 31 * target + key, minute) * instances.count)
    if line.level == "ERROR" and line.rate >= 1.0:
        i = _failing_instance(scene, target, scene.chance(3_000 + 31 * target + key, minute), i)
    if 0 <= line.instance < instances.count:
        i = line.instance
    full = scene.fill(line.text, minute, 4_000 + 31 * target + 5 * key)
    full = full.replace("{attempt}", "2" if scene.chance(5_000 + key, minute) < 0.6 else "1")
    template = _NUMBER.sub("*", full)
    made.append(
        LogEntry(
            minute=minute,
            instance=scene.instance(target, i),
            level=line.level,
            template=template[:_WIDEST],
            text=full[:_WIDEST],
            times=times,
            event=line.event,
        )
    )


def _failing_instance(scene: Scene, target: int, roll: float, otherwise: int) -> int:
    """Pick an instance by what each fails."""
    shares = scene.failing_of(target)
    left = roll * fsum(shares)
    for i, share in enumerate(shares):
        if left < share:
            return i
        left -= share
    return otherwise


def _fitted(entries: list[LogEntry]) -> list[LogEntry]:
    """Keep at most a hundred lines: first those that are not routine, then the newest others."""
    if len(entries) <= _MOST:
        return entries
    rare = [entry for entry in entries if entry.level != "INFO"]
    common = [entry for entry in entries if entry.level == "INFO"]
    rare = rare[-_MOST + 10 :]
    kept = rare + common[-(_MOST - len(rare)) :]
    return sorted(kept, key=lambda entry: entry.minute)
