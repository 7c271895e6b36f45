"""Signs of what comes into an application, and of the nodes of a cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.cells import numbers
from chaosops.env.models import Sign
from chaosops.env.models.readings import Reading, Table, TableKind, column

_MANY_TRIES: Final = 2.0
_REJECTED: Final = 1.0
_STRANGERS: Final = 40.0
_HOT: Final = 5.0
_MORE: Final = 1.5
_FEW_HITS: Final = 86.0


def _keys(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Find who tries again and again, and whether one key uses up what all may."""
    tries, names = numbers(table, "tries of each"), column(table, "key")
    worst = max(range(len(tries)), key=lambda k: tries[k], default=-1)
    if worst >= 0 and tries[worst] > _MANY_TRIES:
        yield Sign.RETRIES_HIGH, str(names[worst])
    else:
        yield Sign.RETRIES_FEW, here
    if min(numbers(table, "rejected with 429"), default=0.0) > _REJECTED:
        yield Sign.ONE_NOISY_CALLER, here
    else:
        yield Sign.KEYS_EVEN, here


def _connections(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Find more new connections than requests."""
    pairs = zip(numbers(table, "new connections"), numbers(table, "requests"), strict=True)
    surges = any(new > served for new, served in pairs)
    yield (Sign.NEW_CONNECTIONS_SURGE if surges else Sign.CONNECTIONS_LAST), here


def _networks(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Find networks with much of the load where nobody signs in."""
    pairs = zip(numbers(table, "share"), numbers(table, "signed in"), strict=True)
    strange = sum(share for share, signed in pairs if signed <= 0.0) > _STRANGERS
    yield (Sign.FEW_NETWORKS if strange else Sign.NETWORKS_ALIKE), here


def _routes(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    """Find a route that takes many times the CPU time of the others."""
    times = sorted(numbers(table, "mean cpu"))
    hot = len(times) > 1 and times[-1] > _HOT * times[-2]
    yield (Sign.ONE_RULE_HOT if hot else Sign.ROUTES_EVEN), here


def _nodes(reading: Reading) -> Iterator[tuple[Sign, str]]:
    """Find the nodes of a cache that are young and find little."""
    table, instances = reading.table(TableKind.CACHE_NODES), reading.table(TableKind.INSTANCES)
    if table is None or instances is None:
        return
    hits = numbers(table, "hits")
    few = bool(hits) and sum(hits) / len(hits) < _FEW_HITS
    young = all(str(age).endswith(" min") for age in column(instances, "age"))
    yield (Sign.CACHE_NODES_REPLACED if few and young else Sign.CACHE_WARM), reading.target


def _crowd(reading: Reading) -> Iterator[tuple[Sign, str]]:
    """Find more requests than a week ago that are neither tried again nor from few networks."""
    asked, where = reading.table(TableKind.KEYS), reading.table(TableKind.NETWORKS)
    if asked is None or where is None:
        return
    if (Sign.FEW_NETWORKS, reading.target) in _networks(where, reading.target):
        return
    if min(numbers(asked, "rejected with 429"), default=0.0) > _REJECTED:
        return
    more = any(
        now > _MORE * before * tries and tries <= _MANY_TRIES
        for now, before, tries in zip(
            numbers(asked, "requests"),
            numbers(asked, "a week ago"),
            numbers(asked, "tries of each"),
            strict=True,
        )
    )
    yield (Sign.MORE_PEOPLE if more else Sign.AS_MANY_PEOPLE), reading.target


def seen(reading: Reading) -> Iterator[tuple[Sign, str]]:
    """Find what several tables of one reading show together."""
    yield from _crowd(reading)
    yield from _nodes(reading)


OF_TABLES: Final[Mapping[TableKind, Callable[[Table, str], Iterator[tuple[Sign, str]]]]] = (
    MappingProxyType(
        {
            TableKind.KEYS: _keys,
            TableKind.CONNECTIONS: _connections,
            TableKind.NETWORKS: _networks,
            TableKind.PROFILE: _routes,
        }
    )
)
"""What each table shows alone."""
