"""Logs: what a service wrote in the last minutes, most of it ordinary."""

from __future__ import annotations

import re
from typing import Final

from chaosops.env.models.readings import LogEntry, LogView, Part
from chaosops.env.physics.node import Link
from chaosops.env.scene import Scene
from chaosops.scenarios.cause import At

_BACK: Final = 12
_MOST: Final = 100
_WIDEST: Final = 140
_NUMBER: Final = re.compile(r"[0-9][0-9a-f.]*")

_ORDINARY: Final = (
    ("INFO", "request completed status=200 duration={ms}ms", 14.0),
    ("INFO", "health check ok", 3.0),
    ("INFO", "connection established to {peer}", 1.2),
    ("INFO", "configuration reloaded, 0 differences", 0.15),
    ("WARN", "client closed the connection before the response", 0.5),
    ("WARN", "request to {peer} succeeded, attempt=2", 0.4),
    ("WARN", "slow request duration=1{ms}ms", 0.25),
    ("WARN", "field 'locale' is deprecated, ignoring it", 0.2),
    ("ERROR", "unexpected end of stream from client", 0.15),
)
_DATABASE: Final = (
    ("INFO", "checkpoint complete: wrote {pid} buffers; sync=0.{ms} s", 0.3),
    ("INFO", 'automatic vacuum of table "public.{own_table}"', 0.3),
    ("INFO", "connection authorized: user=app database=main", 5.0),
    ("INFO", "process {pid} acquired ShareLock on transaction {xid} after 1{ms}.04 ms", 0.15),
    ("WARN", "duration: 1{ms}.7 ms  execute <unnamed>: SELECT count(*) FROM {own_table}", 0.5),
    ("ERROR", "could not receive data from client: Connection reset by peer", 0.4),
    ("ERROR", "deadlock detected: process {pid} waits for ShareLock on transaction {xid}", 0.01),
)


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """The log of a service over the last minutes, oldest first."""
    entries: list[LogEntry] = []
    first = scene.minute - _BACK + 1
    for minute in range(first, scene.minute + 1):
        entries += _minute(scene, target, minute)
    return (LogView("logs", scene.traits(target).name, tuple(_fitted(entries))),)


def _minute(scene: Scene, target: int, minute: int) -> list[LogEntry]:
    traits = scene.traits(target)
    made: list[LogEntry] = []
    routine = _DATABASE if traits.is_database else _ORDINARY
    for k, (level, text, rate) in enumerate(routine):
        _add(scene, target, made, minute, level, _peer(scene, target, text, minute, k), rate, k)
    k = 40
    for link in scene.mesh.nodes[target].links:
        k += 10
        for level, text, rate in _failing(scene, link):
            _add(scene, target, made, minute, level, text, rate, k)
            k += 1
    for cause in scene.world.causes:
        cast = cause.cast
        strength = cause.magnitude(minute)
        full = cast.knots[-1].magnitude if cast.knots else 1.0
        share = min(1.0, 0.25 + strength / full) if strength > 0.0 and full > 0.0 else 0.0
        for n, line in enumerate(cast.cause.shows.logs):
            at = cast.place if line.at is At.PLACE else cast.caller
            if at != target:
                continue
            heals = line.healing and cause.cleared <= minute < cause.cleared + 10
            if (share > 0.0 and not line.healing) or heals:
                rate = line.a_minute * (1.0 if heals else share)
                _add(scene, target, made, minute, line.level.value, line.text, rate, 200 + n * 7)
    return made


def _failing(scene: Scene, link: Link) -> list[tuple[str, str, float]]:
    """What a caller writes of calls that fail; of the newest minute, for all minutes alike."""
    if link.fail < 0.004:
        return []
    peer = scene.traits(link.to).name
    timeout = int(link.traits.timeout_ms)
    failed = min(30.0, link.rate * 60.0 * link.fail / 20.0)
    return [
        ("ERROR", f"call to {peer} failed: timeout after {timeout} ms, attempt={{attempt}}", failed)
    ]


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
    level: str,
    text: str,
    rate: float,
    key: int,
) -> None:
    """Write about so many lines a minute, as one entry that counts them."""
    spread = rate * (0.6 + 0.8 * scene.chance(1_000 + 31 * target + key, minute))
    times = int(spread)
    if scene.chance(2_000 + 31 * target + key, minute) < spread - times:
        times += 1
    if times == 0:
        return
    instances = scene.mesh.instances[target]
    i = int(scene.chance(3_000 + 31 * target + key, minute) * instances.count)
    full = scene.fill(text, minute, 4_000 + 31 * target + 5 * key)
    full = full.replace("{attempt}", "2" if scene.chance(5_000 + key, minute) < 0.6 else "1")
    template = _NUMBER.sub("*", full)
    made.append(
        LogEntry(
            minute, scene.instance(target, i), level, template[:_WIDEST], full[:_WIDEST], times
        )
    )


def _fitted(entries: list[LogEntry]) -> list[LogEntry]:
    """At most a hundred lines: of the ordinary ones, the newest; all others first."""
    if len(entries) <= _MOST:
        return entries
    rare = [entry for entry in entries if entry.level != "INFO"]
    common = [entry for entry in entries if entry.level == "INFO"]
    rare = rare[-_MOST + 10 :]
    kept = rare + common[-(_MOST - len(rare)) :]
    return sorted(kept, key=lambda entry: entry.minute)
