"""Who a service is to those that connect to it: its name, its certificates and its clocks."""

from __future__ import annotations

from typing import Final

from chaosops.env.models.readings import Cell, Column, Part, Table, TableKind
from chaosops.env.physics.certificate import RENEWED_DAYS, Certificate
from chaosops.env.physics.clock import Clock
from chaosops.env.physics.names import Names, newest_plan
from chaosops.env.scene import Scene

_RESOLVERS: Final = 3
_MOST: Final = 12
_DAY: Final = 1_440
_LEAST_DAYS: Final = 30
_SPREAD_DAYS: Final = 59
_PUBLISHED: Final = 12
"""Minutes within which the plan behind an answer was made."""

_NO_ERROR: Final = "NOERROR"
_FAILED: Final = "SERVFAIL"
_SLOW_MS: Final = 2_000.0


def tables(scene: Scene, target: int) -> list[Part]:
    """Show what resolvers answer, what instances serve, and how far their clocks are off."""
    made: list[Part] = []
    for part in scene.mesh.parts:
        if part.service != target:
            continue
        if isinstance(part, Names):
            made.append(_answers(scene, target, part))
        elif isinstance(part, Certificate):
            made.append(_certificates(scene, target, part))
        elif isinstance(part, Clock):
            made.append(_clocks(scene, target, part))
    return made


def address(scene: Scene, target: int, zone: int, key: int) -> str:
    """Return one of the addresses of a service in a zone."""
    return f"10.{20 + target}.{zone}.{10 + int(scene.chance(key) * 200)}"


def resolved(scene: Scene, target: int, resolver: int, key: int) -> str:
    """Return what a resolver answers for a service: an address, or that there is none."""
    part = scene.mesh.part(target, "names")
    if isinstance(part, Names):
        if _is_deaf(part, resolver):
            return "no answer"
        if _is_bad(part, resolver):
            return _old_address(target) if part.plan else "no address"
    return address(scene, target, resolver, key)


def days_left(scene: Scene, target: int, i: int) -> int:
    """Return for how many days the certificate that an instance serves is still valid."""
    part = scene.mesh.part(target, "certificate")
    if not isinstance(part, Certificate) or i >= len(part.served):
        return _LEAST_DAYS + int(scene.chance(8_400 + target, -1) * _SPREAD_DAYS)
    return _minutes_left(scene, part, i) // _DAY


def offset_ms(scene: Scene, target: int, i: int) -> float:
    """Return by how many milliseconds an instance's clock is ahead."""
    part = scene.mesh.part(target, "clock")
    near = 4.0 * scene.chance(8_450 + 10 * target + i) - 2.0
    if isinstance(part, Clock) and part.is_off(i):
        return near - 1_000.0 * part.offset_s * (1.0 - 0.04 * scene.chance(8_470 + i, -1))
    return near


def _is_deaf(part: Names, resolver: int) -> bool:
    return part.deaf > 0.0 and resolver == part.service % _RESOLVERS


def _is_bad(part: Names, resolver: int) -> bool:
    """Whether a resolver's answer is a bad one: at least one's is, and at first some are good."""
    if part.missing + part.old <= 0.0:
        return False
    many = max(1, int(_RESOLVERS * part.held + 0.5))
    return (resolver - part.service) % _RESOLVERS < many


def _answers(scene: Scene, target: int, part: Names) -> Table:
    """Show a row per resolver and name: that of the service, and another one."""
    rows: list[tuple[Cell, ...]] = []
    other = _other(scene, target)
    for resolver in range(_RESOLVERS):
        for name, is_own in ((target, True), (other, False)):
            rows.append(_asked(scene, part, resolver, name, is_own=is_own))
    columns = (
        Column("resolver"),
        Column("name"),
        Column("status"),
        Column("addresses"),
        Column("first"),
        Column("ttl left", "s"),
        Column("zone serial"),
        Column("took", "ms"),
    )
    return Table("table", "answers", columns, tuple(rows), TableKind.ANSWERS)


def _asked(
    scene: Scene, part: Names, resolver: int, name: int, *, is_own: bool
) -> tuple[Cell, ...]:
    traits = scene.traits(name)
    key = 8_700 + 40 * name + 4 * resolver
    head = (f"dns-z{resolver + 1}", f"{traits.name}.internal")
    if _is_deaf(part, resolver):
        took = scene.shaken(_SLOW_MS, 0.02, key)
        return (*head, _FAILED, 0, None, None, None, round(took, 1))
    is_bad = is_own and _is_bad(part, resolver)
    made = scene.minute - int(scene.chance(key + 1) * _PUBLISHED)
    serial = newest_plan(made)
    found: int = scene.mesh.instances[name].count
    first: str | None = address(scene, name, resolver, key + 2)
    ttl = traits.dns_ttl * 60.0
    if is_bad and part.plan:
        serial, first = part.plan, _old_address(name)
    elif is_bad:
        serial, found, first, ttl = newest_plan(scene.minute), 0, None, 60.0
    left = int(ttl * scene.chance(key + 3)) + 1
    return (*head, _NO_ERROR, found, first, left, serial, round(scene.shaken(2.5, 0.6, key), 1))


def _old_address(target: int) -> str:
    return f"10.{20 + target}.9.{11 + target}"


def _other(scene: Scene, target: int) -> int:
    """Return another service whose name is asked for beside this one's."""
    for part in scene.mesh.parts:
        if isinstance(part, Names) and part.service != target:
            return part.service
    return target


def _certificates(scene: Scene, target: int, part: Certificate) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for i in range(min(len(part.served), _MOST)):
        left = _minutes_left(scene, part, i)
        ends = f"in {left // _DAY} d" if left >= 0 else f"{-left} min ago"
        failing = part.failing[i] if i < len(part.failing) else 0.0
        failing += 0.0004 * scene.chance(8_900 + i)
        rows.append(
            (
                scene.instance(target, i),
                _serial(scene, target, part.served[i]),
                _serial(scene, target, part.stored),
                ends,
                round(100.0 * failing, 1),
            )
        )
    columns = (
        Column("instance"),
        Column("served serial"),
        Column("stored serial"),
        Column("not after"),
        Column("handshakes failed", "%"),
    )
    return Table("table", "certificates", columns, tuple(rows), TableKind.CERTIFICATES)


def _minutes_left(scene: Scene, part: Certificate, i: int) -> int:
    """Return the minutes until the certificate expires that an instance serves."""
    if part.has_expired:
        return part.ended - scene.minute - 1
    if part.was_renewed and part.served[i] > 0:
        return RENEWED_DAYS * _DAY - (scene.minute - part.issued) - 1
    return part.days * _DAY + _DAY // 2


def _serial(scene: Scene, target: int, renewal: int) -> str:
    return f"{int(scene.chance(8_950 + target, -100 - renewal) * 0xFFFFFF):06x}"


def _clocks(scene: Scene, target: int, part: Clock) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for i in range(min(scene.mesh.instances[target].count, _MOST)):
        off = part.is_off(i)
        last = 1_400 + 60 * i if off else int(64 * scene.chance(8_980 + i)) // 60
        rows.append(
            (
                scene.instance(target, i),
                round(offset_ms(scene, target, i), 1),
                "no" if off else "yes",
                0 if off else 4,
                last + (scene.minute if off else 0),
            )
        )
    columns = (
        Column("instance"),
        Column("offset", "ms"),
        Column("synchronised"),
        Column("servers reached"),
        Column("last update", "min ago"),
    )
    return Table("table", "clocks", columns, tuple(rows), TableKind.CLOCKS)
