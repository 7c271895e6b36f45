"""What comes into an application: connections, keys, networks, and the CPU time by route."""

from __future__ import annotations

from math import fsum
from typing import Final

from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.intake import Intake
from chaosops.env.scene import Scene

_MOST: Final = 12
_ACCEPT_QUEUE: Final = 511
_REQUESTS_PER_CONNECTION: Final = 50.0
_HANDSHAKE_MS: Final = 1000.0 / 700.0
_BATCH_KEY: Final = "nightly-export"
_USUAL_BATCH: Final = 0.004
_NETWORKS: Final = (0.17, 0.13, 0.1, 0.08, 0.06, 0.05)
"""Shares of the largest networks."""

_BOT_NETWORKS: Final = (0.41, 0.33, 0.26)
"""How the requests of bots are spread over their networks."""

_FIRST_NETWORK: Final = 64_496
_SIGNED_IN: Final = 0.46
_ROUTES: Final = (("GET /{}", 0.62, 0.9), ("GET /{}/list", 0.24, 1.1), ("POST /{}", 0.14, 1.27))
"""Routes, each with its share of the requests and the factor of their mean CPU time."""


def tables(scene: Scene, target: int, part: Intake) -> list[Part]:
    """Return the tables of what comes in."""
    return [
        _connections(scene, target, part),
        _keys(scene, target, part),
        _networks(scene, target, part),
        _routes(scene, target, part),
    ]


def _connections(scene: Scene, target: int, part: Intake) -> Table:
    instances, node = scene.mesh.instances[target], scene.mesh.nodes[target]
    ready = max(1, sum(scene.is_ready(target, i) for i in range(instances.count)))
    rows: list[tuple[Cell, ...]] = []
    for i in range(min(instances.count, _MOST)):
        if not scene.is_ready(target, i):
            continue
        usual = node.offered / ready / _REQUESTS_PER_CONNECTION
        new = scene.shaken(usual + part.connects / ready, 0.08, 13_000 + i)
        waiting = int(3.0 * scene.chance(13_020 + i))
        if part.spent > 0.0 and node.dropped > 0.0:
            waiting = _ACCEPT_QUEUE
        rows.append(
            (
                scene.instance(target, i),
                round(new, 1),
                round(scene.shaken(node.offered / ready, 0.04, 13_040 + i), 1),
                waiting,
                _ACCEPT_QUEUE,
            )
        )
    columns = (
        Column("instance"),
        Column("new connections", "/s"),
        Column("requests", "/s"),
        Column("accept queue"),
        Column("limit"),
    )
    return Table("table", "connections", columns, tuple(rows), TableKind.CONNECTIONS)


def _keys(scene: Scene, target: int, part: Intake) -> Table:
    """Show who asks: the services that call it, and a batch job."""
    traits = scene.traits(target)
    asked: list[tuple[str, float, float, float]] = []
    if traits.entry_rps > 0.0:
        users = scene.mesh.nodes[target].offered
        users -= fsum(scene.mesh.links[number].reaching for number in traits.callers)
        asked.append(("users", users, traits.entry_rps, 1.0))
    for number in traits.callers:
        link = scene.mesh.links[number]
        name = scene.traits(link.traits.caller).name
        added = link.added if link.added < link.reaching else link.reaching
        tries = link.attempts + link.extra_tries
        own = link.reaching - added
        mean = tries if added <= 0.0 else (own + added) / (own / tries + added)
        usual = scene.blueprint.services[link.traits.caller].usual_rps * link.traits.per_request
        if link.traits.behind >= 0:
            usual *= 1.0 - scene.traits(link.traits.behind).hit_rate
        asked.append((name, link.reaching, usual, mean))
    batch = _USUAL_BATCH * traits.usual_rps
    asked.append((_BATCH_KEY, part.batch or batch, batch, 1.0))
    refused = [part.rejected] * len(asked)
    if part.batch > 0.0:
        refused[-1] = 1.0 - part.admitted / part.batch
    rows: list[tuple[Cell, ...]] = []
    for k, (name, rps, usual, tries) in enumerate(asked):
        rejected = scene.shaken(100.0 * refused[k], 0.04, 13_120 + k)
        rows.append(
            (
                name,
                round(scene.shaken(rps, 0.03, 13_100 + k), 1),
                round(scene.shaken(usual, 0.06, 13_160 + k), 1),
                round(max(1.0, scene.shaken(tries, 0.01, 13_140 + k)), 2),
                round(min(100.0, rejected), 1),
            )
        )
    columns = (
        Column("key"),
        Column("requests", "/s"),
        Column("a week ago", "/s"),
        Column("tries of each"),
        Column("rejected with 429", "%"),
    )
    return Table("table", "requests by key", columns, tuple(rows), TableKind.KEYS)


def _networks(scene: Scene, target: int, part: Intake) -> Table:
    """Show the largest networks that requests come from, by autonomous system."""
    offered = scene.mesh.nodes[target].offered
    bots = min(part.bots, offered)
    found: list[tuple[float, str, float]] = []
    first = int(scene.chance(13_200 + target, -1) * 5.0)
    for k, share in enumerate(_BOT_NETWORKS):
        if bots > 0.0:
            name = f"AS{_FIRST_NETWORK + 7 + first + k}"
            found.append((scene.shaken(share * bots, 0.05, 13_210 + k), name, 0.0))
    for k, share in enumerate(_NETWORKS):
        rps = scene.shaken(share * (offered - bots), 0.06, 13_220 + k)
        signed = scene.shaken(_SIGNED_IN, 0.12, 13_240 + k)
        found.append((rps, f"AS{_FIRST_NETWORK + k}", signed))
    found.sort(key=lambda one: (-one[0], one[1]))
    rest = (1.0 - fsum(_NETWORKS)) * (offered - bots)
    found.append((rest, "others", scene.shaken(_SIGNED_IN, 0.05, 13_260)))
    total = max(1e-9, fsum(rps for rps, _name, _signed in found))
    rows: list[tuple[Cell, ...]] = [
        (name, round(rps, 1), round(100.0 * rps / total, 1), round(100.0 * signed, 1))
        for rps, name, signed in found
    ]
    columns = (
        Column("network"),
        Column("requests", "/s"),
        Column("share", "%"),
        Column("signed in", "%"),
    )
    return Table("table", "requests by network", columns, tuple(rows), TableKind.NETWORKS)


def _routes(scene: Scene, target: int, part: Intake) -> Table:
    """Show where the CPU time went, by route."""
    node, traits = scene.mesh.nodes[target], scene.traits(target)
    name = traits.name
    cores = traits.cores * max(1.0, node.instances)
    used = min(1.0, node.busy) * cores
    hot = part.burning * node.served
    ordinary = node.served - hot
    shaking = part.connects * _HANDSHAKE_MS / 1000.0
    shaking = min(shaking, part.spent * cores)
    mean = node.cpu_ms * traits.cores / traits.servers
    burnt = max(0.0, used - shaking - ordinary * mean / 1000.0) if hot > 0.0 else 0.0
    found: list[tuple[str, float, float]] = []
    for k, (route, share, factor) in enumerate(_ROUTES):
        rps = ordinary * share
        found.append((route.format(name), rps, scene.shaken(mean * factor, 0.05, 13_300 + k)))
    rare = hot if hot > 0.0 else 0.01 * node.served
    found.append((f"POST /{name}/check", rare, 1000.0 * burnt / hot if hot > 0.0 else mean))
    greetings = part.connects + node.offered / _REQUESTS_PER_CONNECTION
    found.append(("tls handshake", greetings, _HANDSHAKE_MS))
    total = max(1e-9, fsum(rps * ms for _route, rps, ms in found))
    rows: list[tuple[Cell, ...]] = [
        (
            route,
            round(scene.shaken(rps, 0.03, 13_320 + k), 1),
            round(ms, 1),
            round(100.0 * rps * ms / total, 1),
        )
        for k, (route, rps, ms) in enumerate(found)
    ]
    columns = (
        Column("route"),
        Column("count", "/s"),
        Column("mean cpu", "ms"),
        Column("share of cpu", "%"),
    )
    return Table("table", "cpu by route", columns, tuple(rows), TableKind.PROFILE)
