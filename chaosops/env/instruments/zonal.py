"""What instruments show by zone: where requests fail, where they are sent, what probes lose.

And the outgoing ports of an application's instances, which a gateway gives them.
"""

from __future__ import annotations

from typing import Final

from chaosops.env.failing import failing_by_zone
from chaosops.env.models.readings import Cell, Chart, ChartKind, Column, Series, Table, TableKind
from chaosops.env.physics.ports import CLOSING_S, Ports
from chaosops.env.physics.zones import Zones
from chaosops.env.samples import ServiceSample
from chaosops.env.scene import Scene

_NEAR_MS: Final = 0.3
_FAR_MS: Final = 1.0
_SYN_MS: Final = 1_000.0
_SYN_AGAIN_MS: Final = 3_000.0
_TWICE: Final = 0.04
_LOST: Final = 0.0005
_BACKGROUND: Final = 0.0003


def chart(scene: Scene, target: int, samples: list[ServiceSample], zones: Zones) -> Chart:
    """Chart the errors in each zone; a zone without instances has none."""
    made = []
    first = scene.history.first
    for zone in range(zones.count):
        values: list[float | None] = []
        for n, sample in enumerate(samples):
            key = 14_000 + 10 * target + zone
            failed = sample.errors
            if sample.by_zone:
                failed = sample.by_zone[zone] + _BACKGROUND * scene.chance(key + 5, first + n)
            shaken = scene.shaken(failed, 0.05, key, first + n)
            values.append(None if failed < 0.0 else round(100.0 * min(1.0, shaken), 2))
        made.append(Series(f"z{zone + 1}", "%", tuple(values)))
    return Chart("chart", "errors by zone", first, tuple(made), (), ChartKind.ZONES)


def writer(scene: Scene, target: int, minute: int, key: int) -> int:
    """Return an instance in the zone whose requests fail; -1 where zones are alike."""
    zones = scene.mesh.part(target, "zones")
    if not isinstance(zones, Zones) or zones.failing <= 0.0 or zones.share <= 0.0:
        return -1
    instances = scene.mesh.instances[target]
    here = [i for i, zone in enumerate(instances.zone) if zone == zones.hot]
    return here[int(scene.chance(key, minute) * len(here))]


def routes(scene: Scene, target: int, zones: Zones) -> Table:
    """Show to which zones the load balancer sends requests, and what came of them."""
    instances = scene.mesh.instances[target]
    where = [z for i, z in enumerate(instances.zone) if instances.serves(i, scene.minute)]
    failed = failing_by_zone(scene.mesh, target, scene.minute, zones.count)
    rows: list[tuple[Cell, ...]] = []
    for zone in range(zones.count):
        count = where.count(zone)
        weight = (1.0 - zones.astray) * count / max(1, len(where))
        share = max(0.0, failed[zone]) + _BACKGROUND * scene.chance(14_200 + zone)
        rows.append(_route(scene, target, zone, weight, count, share))
    if zones.astray > 0.0:
        rows.append(_route(scene, target, zones.count, zones.astray, 0, 1.0))
    columns = (
        Column("zone"),
        Column("weight", "%"),
        Column("instances"),
        Column("requests", "/s"),
        Column("errors, last minute", "%"),
    )
    return Table("table", "routes", columns, tuple(rows), TableKind.ROUTES)


def hosts(scene: Scene, target: int, zones: Zones) -> Table:
    """Show the host of each instance, with what its local volume fails."""
    instances = scene.mesh.instances[target]
    node = scene.mesh.nodes[target]
    each = node.offered / max(1.0, node.instances)
    rows: list[tuple[Cell, ...]] = []
    for i in range(min(instances.count, 24)):
        if not instances.serves(i, scene.minute):
            continue
        down = zones.down if instances.zone[i] == zones.hot else 0.0
        failed = scene.shaken(60.0 * each * down, 0.06, 14_500 + i)
        wait = scene.shaken(0.8, 0.3, 14_530 + i) + 400.0 * down
        rows.append(
            (
                scene.instance(target, i),
                f"z{instances.zone[i] + 1}",
                int(100.0 * scene.busy_of(target, i) + 0.5),
                int(failed + 0.5),
                round(wait, 1),
            )
        )
    columns = (
        Column("instance"),
        Column("zone"),
        Column("host cpu", "%"),
        Column("i/o errors, last minute"),
        Column("i/o wait", "ms"),
    )
    return Table("table", "hosts", columns, tuple(rows), TableKind.HOSTS)


def _route(
    scene: Scene, target: int, zone: int, weight: float, count: int, failed: float
) -> tuple[Cell, ...]:
    rate = scene.shaken(scene.mesh.nodes[target].offered * weight, 0.03, 14_220 + zone)
    return (
        f"z{zone + 1}",
        round(100.0 * weight, 1),
        count,
        round(rate, 1),
        round(100.0 * failed, 1) if weight > 0.0 else 0.0,
    )


def pairs(scene: Scene, target: int) -> Table:
    """Show a row for each zone that hosts of a service were probed from, and each one probed."""
    part = scene.mesh.part(target, "zones")
    count = scene.traits(target).zones
    rows: list[tuple[Cell, ...]] = []
    for here in range(count):
        for there in range(count):
            key = 14_400 + 100 * target + 10 * here + there
            lost = 0.0
            if isinstance(part, Zones) and {here, there} == {part.hot, part.other}:
                lost = part.lost
            seen = scene.shaken(lost, 0.08, key) + _LOST * scene.chance(key + 3_000)
            usual = scene.shaken(_NEAR_MS if here == there else _FAR_MS, 0.3, key + 6_000)
            connect = usual + _SYN_MS * lost
            slowest = usual * 2.0
            if lost > 0.0:
                slowest += _SYN_AGAIN_MS if lost >= _TWICE else _SYN_MS
            again = scene.shaken(lost, 0.1, key + 9_000)
            again += 0.0001 + 2.0 * _LOST * scene.chance(key + 12_000)
            rows.append(
                (
                    f"z{here + 1}",
                    f"z{there + 1}",
                    round(100.0 * seen, 2),
                    round(100.0 * again, 2),
                    round(connect, 2),
                    round(slowest, 1),
                )
            )
    columns = (
        Column("from"),
        Column("to"),
        Column("loss", "%"),
        Column("retransmits", "%"),
        Column("mean connect", "ms"),
        Column("slowest connect", "ms"),
    )
    return Table("table", "zone pairs", columns, tuple(rows), TableKind.ZONE_PAIRS)


def ports(scene: Scene, target: int, part: Ports) -> Table:
    """Show a row per instance: its outgoing ports to a third party."""
    instances = scene.mesh.instances[target]
    link = scene.mesh.links[part.link]
    serving = max(1.0, scene.mesh.nodes[target].instances)
    opened = part.opened(scene.mesh)
    rows: list[tuple[Cell, ...]] = []
    for i in range(min(instances.count, 24)):
        if not instances.serves(i, scene.minute):
            continue
        is_short = part.short > 0.0
        used = part.limit if is_short else scene.shaken(opened * CLOSING_S, 0.06, 14_300 + i)
        open_now = min(0.5 * used, scene.shaken(opened * link.ms / 1000.0, 0.2, 14_330 + i))
        refused = scene.shaken(60.0 * part.short * link.rate / serving, 0.05, 14_360 + i)
        rows.append(
            (
                scene.instance(target, i),
                scene.traits(link.to).name,
                int(used + 0.5),
                int(part.limit),
                int(used - open_now + 0.5),
                round(scene.shaken(opened, 0.04, 14_390 + i), 1),
                int(refused + 0.5),
            )
        )
    columns = (
        Column("instance"),
        Column("destination"),
        Column("ports in use"),
        Column("limit"),
        Column(f"closing, for {int(CLOSING_S)} s"),
        Column("new connections", "/s"),
        Column("refused, last minute"),
    )
    return Table("table", "outgoing ports", columns, tuple(rows), TableKind.PORTS)
