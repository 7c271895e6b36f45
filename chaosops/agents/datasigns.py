"""What tables of copies, sequences, cached keys and stored objects show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.cells import numbers
from chaosops.env.models import Sign
from chaosops.env.models.readings import Table, TableKind, column

_BEHIND_S: Final = 10.0
_SILENT_S: Final = 60.0


def _copies(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    primaries: dict[str, int] = {}
    for group, role in zip(column(table, "table"), column(table, "role"), strict=True):
        primaries[str(group)] = primaries.get(str(group), 0) + (role == "primary")
    late = max(numbers(table, "replay lag"), default=0.0) > _BEHIND_S
    yield (Sign.COPIES_BEHIND if late else Sign.COPIES_CURRENT), here
    if min(primaries.values(), default=1) == 0:
        yield Sign.PRIMARY_MISSING, here
    elif max(primaries.values(), default=1) > 1:
        yield Sign.TWO_WRITERS, here
    else:
        yield Sign.ONE_WRITER, here


def _sequences(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    refused = numbers(table, "refused")
    worst = max(range(len(refused)), key=lambda k: refused[k], default=-1)
    if worst >= 0 and refused[worst] > 0.0:
        yield Sign.ID_OUT_OF_RANGE, str(column(table, "client")[worst])
    else:
        yield Sign.IDS_LEFT, here


def _invalidations(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    silent = numbers(table, "last applied")
    worst = max(range(len(silent)), key=lambda k: silent[k], default=-1)
    if worst >= 0 and silent[worst] >= _SILENT_S:
        yield Sign.CACHE_NOT_INVALIDATED, str(column(table, "consumer")[worst])
    else:
        yield Sign.CACHE_INVALIDATED, here


def _objects(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    gone = max(numbers(table, "referenced, missing"), default=0.0) > 0.0
    yield (Sign.OBJECTS_MISSING if gone else Sign.OBJECTS_THERE), here


OF_TABLES: Final[Mapping[TableKind, Callable[[Table, str], Iterator[tuple[Sign, str]]]]] = (
    MappingProxyType(
        {
            TableKind.REPLICATION: _copies,
            TableKind.SEQUENCES: _sequences,
            TableKind.INVALIDATIONS: _invalidations,
            TableKind.OBJECTS: _objects,
        }
    )
)
"""What reads each kind of table; beside a sign stands the service behind it."""
