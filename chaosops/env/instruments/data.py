"""What stores know of their data: copies of a database, its sequences, cached keys, objects."""

from __future__ import annotations

from typing import Final

from chaosops.env.models.readings import Cell, Column, Part, Table
from chaosops.env.models.readings import TableKind as Kind
from chaosops.env.physics.invalidations import Invalidations
from chaosops.env.physics.node import Link
from chaosops.env.physics.objects import STORED, Objects
from chaosops.env.physics.replication import WRITES, Group, Replication
from chaosops.env.physics.sequences import IdSequences
from chaosops.env.scene import Scene

_MOST_ROWS: Final = 24
_SECONDS: Final = 60.0
_MB_A_WRITE: Final = 0.008
_FIRST_MB: Final = 40_000.0
_SPREAD_MB: Final = 50_000.0
_LONG_AGO: Final = 600
_USUAL_LAG_S: Final = 0.3
_LARGEST_INTEGER: Final = 2_147_483_647
_LARGEST_BIGINT: Final = 9_223_372_036_854_775_807
_IDS: Final = 0.3
_CHANGES: Final = 0.02
_SAMPLED: Final = 3
_PREFIXES: Final = (("pictures/", 0.6), ("documents/", 0.3), ("templates/", 0.1))
_REFERENCED: Final = 0.82
_IN_USE: Final = 0.7


def database_tables(scene: Scene, target: int) -> list[Part]:
    """Return the tables of a database's copies and of its sequences."""
    made: list[Part] = []
    replication = scene.mesh.part(target, "replication")
    if isinstance(replication, Replication):
        made.append(_copies(scene, target, replication))
    sequences = scene.mesh.part(target, "sequences")
    if isinstance(sequences, IdSequences):
        made.append(_sequences(scene, sequences))
    return made


def _usual_rps(scene: Scene, link: Link) -> float:
    """Return how many requests a second a call makes on an ordinary day."""
    traits = link.traits
    rate = scene.traits(traits.caller).usual_rps * traits.per_request
    if traits.behind >= 0:
        rate *= 1.0 - scene.traits(traits.behind).hit_rate
    return rate


def _copies(scene: Scene, target: int, part: Replication) -> Table:
    """Show a row per group and member: a group is the tables of one caller."""
    count = scene.mesh.instances[target].count
    rows: list[tuple[Cell, ...]] = []
    for k, number in enumerate(part.callers):
        link = scene.mesh.links[number]
        group = part.groups[k] if part.groups else Group()
        rate = _usual_rps(scene, link) * WRITES * _MB_A_WRITE
        first = _FIRST_MB + _SPREAD_MB * scene.chance(9_000 + 40 * target + k, -1)
        written = first + rate * _SECONDS * (scene.minute + _LONG_AGO)
        apart = group.diverged * _MB_A_WRITE
        other = written - rate * _SECONDS * group.split_for + apart
        written -= apart
        second = (part.primary + 1) % count if group.split > 0.0 else -1
        for i in range(count):
            leads = i in (part.primary % count, second)
            late = 0.0 if leads else _behind_s(scene, group, 9_100 + 24 * k + i)
            if group.leaderless > 0.0:
                leads, late = False, 0.0
            here = other if i == second else written
            rows.append(
                (
                    link.traits.table,
                    scene.instance(target, i),
                    "primary" if leads else "replica",
                    "off" if leads else "on",
                    round(here, 1),
                    round(here - rate * late, 1),
                    round(late, 2),
                )
            )
    columns = (
        Column("table"),
        Column("member"),
        Column("role"),
        Column("read only"),
        Column("flushed", "MB"),
        Column("replayed", "MB"),
        Column("replay lag", "s"),
    )
    return Table("table", "replication", columns, tuple(rows[:_MOST_ROWS]), Kind.REPLICATION)


def _behind_s(scene: Scene, group: Group, key: int) -> float:
    usual = _USUAL_LAG_S * scene.chance(key)
    return max(usual, scene.shaken(group.behind_s, 0.04, key + 600))


def _sequences(scene: Scene, part: IdSequences) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for k, number in enumerate(part.callers):
        link = scene.mesh.links[number]
        spent = part.spent[k] if part.spent else 0.0
        ended = k in part.ended
        rate = _usual_rps(scene, link) * WRITES * _IDS
        is_small = ended or scene.chance(9_800 + k, -1) < 0.4
        most = _LARGEST_INTEGER if is_small else _LARGEST_BIGINT
        used = 0.08 + 0.6 * scene.chance(9_820 + k, -1)
        last = most
        if not ended:
            base = used * _LARGEST_INTEGER * (1.0 if is_small else 4.0)
            last = int(base + rate * _SECONDS * scene.minute)
        rows.append(
            (
                f"{link.traits.table}_id_seq",
                "integer" if is_small else "bigint",
                last,
                most,
                0.0 if ended else round(scene.shaken(rate, 0.05, 9_840 + k), 1),
                round(link.reaching * spent, 1),
                scene.traits(link.traits.caller).name,
            )
        )
    columns = (
        Column("sequence"),
        Column("type"),
        Column("last value"),
        Column("maximum"),
        Column("ids", "/s"),
        Column("refused", "/s"),
        Column("client"),
    )
    return Table("table", "sequences", columns, tuple(rows[:_MOST_ROWS]), Kind.SEQUENCES)


def cache_tables(scene: Scene, part: Invalidations) -> list[Part]:
    """Return the tables of a cache's invalidations and of some keys that it holds."""
    return [_invalidations(scene, part), _keys(scene, part)]


def _stopped(part: Invalidations, k: int) -> float:
    return part.stopped[k] if part.stopped else 0.0


def _invalidations(scene: Scene, part: Invalidations) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for k, number in enumerate(part.callers):
        link = scene.mesh.links[number]
        stopped = _stopped(part, k)
        published = scene.shaken(_usual_rps(scene, link) * _CHANGES, 0.08, 9_900 + k)
        applied = 0.0 if stopped > 0.0 else scene.shaken(published, 0.03, 9_920 + k)
        waiting = published * (_SECONDS * stopped + 0.4 * scene.chance(9_940 + k))
        last = _SECONDS * stopped + 0.8 * scene.chance(9_960 + k)
        rows.append(
            (
                scene.traits(link.traits.caller).name,
                round(published, 1),
                round(applied, 1),
                int(waiting),
                round(last, 1),
            )
        )
    columns = (
        Column("consumer"),
        Column("published", "/s"),
        Column("applied", "/s"),
        Column("waiting"),
        Column("last applied", "s ago"),
    )
    return Table("table", "invalidations", columns, tuple(rows), Kind.INVALIDATIONS)


def _keys(scene: Scene, part: Invalidations) -> Table:
    """Show some keys, read from the cache and from the store at this moment."""
    rows: list[tuple[Cell, ...]] = []
    for k, number in enumerate(part.callers):
        owner = scene.traits(scene.mesh.links[number].traits.caller)
        stopped = _stopped(part, k)
        table = next(
            (
                scene.blueprint.links[n].table
                for n in owner.links
                if scene.blueprint.links[n].behind == part.service
            ),
            owner.name,
        )
        for n in range(_SAMPLED):
            key = 10_000 + 16 * k + n
            stored = 18 + int(60 * scene.chance(key))
            missed = 0
            if stopped > 0.0 and n < _SAMPLED - 1:
                missed = 1 + int(scene.chance(key + 200) * min(6.0, stopped / 3.0))
            held = 20.0 + 500.0 * scene.chance(key + 400)
            rows.append(
                (
                    f"{table}:{10_000 + int(80_000 * scene.chance(key + 600))}",
                    owner.name,
                    stored - missed,
                    stored,
                    int(max(held, _SECONDS * stopped) if missed else held),
                )
            )
    columns = (
        Column("key"),
        Column("owner"),
        Column("cached version"),
        Column("stored version"),
        Column("cached for", "s"),
    )
    return Table("table", "sampled keys", columns, tuple(rows[:_MOST_ROWS]), Kind.CACHE_KEYS)


def objects(scene: Scene, target: int, part: Objects) -> Table:
    """Show a row per prefix of an application's stored objects."""
    served = scene.mesh.nodes[target].served
    rows: list[tuple[Cell, ...]] = []
    for k, (prefix, share) in enumerate(_PREFIXES):
        usual = STORED * share * (0.9 + 0.2 * scene.chance(10_900 + 8 * target + k, -1))
        earlier = 400.0 + 900.0 * scene.chance(10_940 + 8 * target + k, -1)
        gone = part.deleted * share
        missing = gone * _IN_USE if part.missing > 0.0 else 0.0
        unfound = part.failing * served * share
        unfound += 0.1 * scene.chance(10_980 + k)
        rows.append(
            (
                prefix,
                int(usual - gone),
                int(usual * _REFERENCED),
                int(earlier * share + gone),
                int(missing),
                round(unfound, 1),
            )
        )
    columns = (
        Column("prefix"),
        Column("stored"),
        Column("referenced"),
        Column("deleted today"),
        Column("referenced, missing"),
        Column("not found", "/s"),
    )
    return Table("table", "stored objects", columns, tuple(rows), Kind.OBJECTS)
