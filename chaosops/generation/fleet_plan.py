"""Draws the services of a generated fleet, and who calls whom how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import CallMode
from chaosops.generation.dice import SeededDice
from chaosops.generation.themes import NameDeck

EDGES: Final = ("edge", "public-edge")
STORES: Final = ("db", "orders-db", "records-db", "events-db")
CACHES: Final = ("cache", "second-cache")
QUEUES: Final = ("queue", "work-queue")

_CACHED: Final = 0.65
_REQUIRED_QUEUE: Final = 0.5
_DEEPER: Final = 0.35


class PlannedCall(NamedTuple):
    """A call; see `CallSpec`."""

    to: str
    per_request: float
    mode: CallMode = CallMode.REQUIRED
    timeout_ms: int = 1000
    retries: int = 0
    behind: str | None = None
    table: str | None = None


class PlannedService(NamedTuple):
    """A service before its size is known."""

    name: str
    kind: ServiceKind
    calls: tuple[PlannedCall, ...] = ()
    pool_to: str | None = None


class Counts(NamedTuple):
    """How many services of each part a fleet has."""

    edges: int
    fronts: int
    cores: int
    sides: int
    caches: int
    queues: int
    stores: int
    externals: int


def counts_of(services: int) -> Counts:
    """Return how many services of each part a fleet of a size has."""
    edges = 1 + (services >= 18)
    stores = 1 + (services >= 14) + (services >= 26) + (services >= 34)
    caches = 1 + (services >= 20)
    queues = (services >= 10) + (services >= 30)
    externals = 1 + (services >= 24)
    apps = services - edges - stores - caches - queues - externals
    sides = max(1, round(apps * 0.22), queues)
    fronts = round(apps * 0.25) if apps >= 6 else 0
    cores = apps - sides - fronts
    return Counts(edges, fronts, cores, sides, caches, queues, stores, externals)


def draw_services(services: int, deck: NameDeck, dice: SeededDice) -> tuple[PlannedService, ...]:
    """Draw a fleet: edges call fronts, fronts call cores, and cores call stores and each other."""
    return tuple(_Plan(counts_of(services), deck, dice).services())


class _Plan:
    def __init__(self, counts: Counts, deck: NameDeck, dice: SeededDice) -> None:
        self._dice = dice
        self._deck = deck
        self._edges = EDGES[: counts.edges]
        self._fronts = deck.fronts(counts.fronts)
        self._cores = deck.cores(counts.cores)
        self._sides = deck.sides(counts.sides)
        self._caches = CACHES[: counts.caches]
        self._queues = QUEUES[: counts.queues]
        self._stores = STORES[: counts.stores]
        self._externals = deck.externals(counts.externals)
        self._publishers = {name: dice.of(name).pick(self._cores) for name in self._queues}
        self._buyers = {name: dice.of(name).pick(self._cores) for name in self._externals}

    def services(self) -> Iterator[PlannedService]:
        for number, name in enumerate(self._edges):
            yield PlannedService(name, ServiceKind.EDGE, tuple(self._edge(number)))
        fronts = [tuple(self._front(number, name)) for number, name in enumerate(self._fronts)]
        cores = [tuple(self._core(number, name)) for number, name in enumerate(self._cores)]
        fronts = self._with_all_called(fronts, cores)
        for name, calls in zip(self._fronts, fronts, strict=True):
            yield PlannedService(name, ServiceKind.APP, calls)
        for number, (name, calls) in enumerate(zip(self._cores, cores, strict=True)):
            yield PlannedService(name, ServiceKind.APP, calls, self._store_of(number))
        for number, name in enumerate(self._sides):
            store = self._stores[-1]
            calls = (PlannedCall(store, 0.3, timeout_ms=800, retries=1),)
            is_pooled = number % 2 == 0
            yield PlannedService(name, ServiceKind.APP, calls, store if is_pooled else None)
        for name in self._caches:
            yield PlannedService(name, ServiceKind.CACHE)
        for number, name in enumerate(self._queues):
            reader = self._sides[number % len(self._sides)]
            call = PlannedCall(reader, 1, CallMode.ASYNC, 2000, 1)
            yield PlannedService(name, ServiceKind.QUEUE, (call,))
        for name in self._stores:
            yield PlannedService(name, ServiceKind.DATABASE)
        for name in self._externals:
            yield PlannedService(name, ServiceKind.EXTERNAL)

    def _with_all_called(
        self, fronts: list[tuple[PlannedCall, ...]], cores: list[tuple[PlannedCall, ...]]
    ) -> list[tuple[PlannedCall, ...]]:
        """Return the calls of the fronts with one to each core that nobody calls."""
        called = {call.to for calls in (*fronts, *cores) for call in calls}
        if not fronts:
            return fronts  # The edge calls every core.
        found = list(fronts)
        for number, name in enumerate(one for one in self._cores if one not in called):
            k = number % len(found)
            found[k] = (PlannedCall(name, 0.5, timeout_ms=1500, retries=1), *found[k])
        return found

    def _edge(self, number: int) -> Iterator[PlannedCall]:
        dice = self._dice.of("edge", number)
        if self._fronts:
            mine = [one for k, one in enumerate(self._fronts) if k % len(self._edges) == number]
            for name in mine or self._fronts:
                share = round(dice.within(0.5, 0.9), 2)
                yield PlannedCall(name, share, timeout_ms=3000, retries=dice.below(2))
            return
        for name in self._cores:
            share = round(dice.within(0.35, 0.7), 2)
            yield PlannedCall(name, share, timeout_ms=1500, retries=1)
        for name in self._sides:
            yield PlannedCall(name, 0.15, CallMode.FALLBACK, 1000)

    def _front(self, number: int, name: str) -> Iterator[PlannedCall]:
        dice = self._dice.of("front", name)
        first = self._cores[number % len(self._cores)]
        rest = [one for one in self._cores if one != first]
        more = dice.some(rest, 2)
        for core in dict.fromkeys((first, *more, *self._cores[:1])):
            share = round(dice.within(0.4, 0.9), 2)
            yield PlannedCall(core, share, timeout_ms=1500, retries=1)
        side = self._sides[number % len(self._sides)]
        yield PlannedCall(side, round(dice.within(0.1, 0.3), 2), CallMode.FALLBACK, 1000)

    def _core(self, number: int, name: str) -> Iterator[PlannedCall]:
        dice = self._dice.of("core", name)
        store, table = self._store_of(number), self._deck.table(name)
        cache = self._caches[number % len(self._caches)]
        if number < len(self._caches) or dice.chance(_CACHED):
            looks = dice.between(2, 5)
            yield PlannedCall(cache, looks, CallMode.FALLBACK, 100)
            yield PlannedCall(store, looks, timeout_ms=800, retries=1, behind=cache, table=table)
        else:
            yield PlannedCall(store, dice.between(1, 2), timeout_ms=800, retries=1, table=table)
        deeper = self._cores[number + 1 :]
        if deeper and self._fronts and (number % 2 == 0 or dice.chance(_DEEPER)):
            share = round(dice.within(0.3, 0.6), 2)
            yield PlannedCall(dice.pick(deeper), share, timeout_ms=1100, retries=1)
        for queue, publisher in self._publishers.items():
            if publisher == name:
                required = dice.of(queue).chance(_REQUIRED_QUEUE)
                mode = CallMode.REQUIRED if required else CallMode.ASYNC
                yield PlannedCall(queue, 0.6, mode, 1000, 1)
        for external, buyer in self._buyers.items():
            if buyer == name:
                yield PlannedCall(external, 0.5, timeout_ms=2000, retries=1)

    def _store_of(self, number: int) -> str:
        return self._stores[number % len(self._stores)]
