"""The truths of a situation, each with the seeds that draw it, and how they look at the opening."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from statistics import fmean
from typing import Final, NamedTuple

from chaosops.env.casting import CastingError
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, RoleView, Signal
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.openings import unhealthy
from chaosops.scenarios.drawing import TRAFFIC
from chaosops.scenarios.fitting import Placement
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.rendering import ScenarioSource

_SEEDS_FOR_EACH: Final = 180
"""Seeds that are looked through for each truth until all have theirs."""

ALIKE: Final = 0.6
"""How much of what two openings show has to be the same for them to be alike."""

PEERS: Final = 2
"""How many other causes have to open like each truth."""


class CastTruth(NamedTuple):
    """A cause at one of its places."""

    cause: str
    spot: Placement

    @classmethod
    def of(cls, incident: Incident) -> CastTruth:
        """Return what an incident's seed drew."""
        drawn = incident.drawn
        return cls(drawn.cause.id, Placement(drawn.place, drawn.caller))

    def __str__(self) -> str:
        place, caller = self.spot
        return f"{self.cause} at {place}{f' called by {caller}' if caller else ''}"


class CureKey(NamedTuple):
    """What ends a truth: the first action of its solution that does."""

    action: ActionType
    target: str | None
    args: tuple[tuple[str, str], ...]


class Appearance(NamedTuple):
    """What everyone sees of a truth at its opening, without figures and names of people.

    Attributes:
        shows: The services that look unhealthy, and the alerts by service and text.
        is_slow: Whether an alert on latency fires.
    """

    shows: frozenset[tuple[str, str]]
    is_slow: bool

    def likeness(self, other: Appearance) -> float:
        """Return the share of what either shows that both do, 0 to 1."""
        both = len(self.shows & other.shows)
        return both / len(self.shows | other.shows) if both else 0.0


class OpenedTruth(NamedTuple):
    """A truth on some seeds that draw it, and how it looks on each of them at the opening."""

    truth: CastTruth
    scenarios: tuple[Scenario, ...]
    appearances: tuple[Appearance, ...]

    @property
    def scenario(self) -> Scenario:
        """The truth on the first of the seeds."""
        return self.scenarios[0]

    @property
    def is_slow(self) -> bool:
        """Whether latency is part of most of its openings."""
        return 2 * sum(one.is_slow for one in self.appearances) > len(self.appearances)

    @property
    def cure(self) -> CureKey:
        """What ends it."""
        move = self.scenario.incident.faults[0].clears[0]
        args = tuple(sorted((name, str(value)) for name, value in move.args.items()))
        return CureKey(move.action, move.target, args)


def truths_of(source: ScenarioSource) -> tuple[CastTruth, ...]:
    """Return every truth that a situation can draw."""
    return tuple(CastTruth(cause.id, spot) for cause, spot in source.drawing.every())


def seeds_by_truth(source: ScenarioSource) -> Mapping[CastTruth, tuple[int, ...]]:
    """Return the first seeds that draw each truth, from 0 on: one for each level of traffic.

    How much traffic there is decides how strong a cause has to be, and whether it can be. A truth
    that many seeds don't draw with each of them is left out.
    """
    truths = truths_of(source)
    found: dict[CastTruth, dict[float, int]] = {truth: {} for truth in truths}
    left = len(truths) * len(TRAFFIC)
    for seed in range(len(truths) * _SEEDS_FOR_EACH):
        incident = source.render(seed)
        seeds = found[CastTruth.of(incident)]
        if incident.drawn.traffic not in seeds:
            seeds[incident.drawn.traffic] = seed
            left -= 1
            if not left:
                break
    return {
        truth: tuple(seeds.values()) for truth, seeds in found.items() if len(seeds) == len(TRAFFIC)
    }


def opened(source: ScenarioSource, env: ChaosOpsEnvironment) -> Iterator[OpenedTruth]:
    """Open each truth at each level of traffic; one that can't be made strong enough is left out.

    Args:
        env: The environment to open them in, which keeps the magnitudes that were solved.
    """
    for truth, seeds in seeds_by_truth(source).items():
        scenarios = tuple(Scenario.of(source, seed) for seed in seeds)
        with suppress(CastingError):
            looks = tuple(_appearance(env.reset(scenario).view) for scenario in scenarios)
            yield OpenedTruth(truth, scenarios, looks)


def _appearance(view: RoleView) -> Appearance:
    shows = {(alert.service, alert.text) for alert in view.alerts}
    shows |= {(name, "unhealthy") for name in unhealthy(view)}
    is_slow = any(alert.signal is Signal.P95_MS for alert in view.alerts)
    return Appearance(frozenset(shows), is_slow)


def peer_likeness(one: OpenedTruth, others: Iterable[OpenedTruth], peers: int = PEERS) -> float:
    """Return how much its openings are like those of some causes with other cures.

    For each of its openings, the most similar opening of each other cause counts.
    """
    own = one.appearances
    best: dict[str, list[float]] = {}
    for other in others:
        cause = other.truth.cause
        if cause != one.truth.cause and other.cure != one.cure:
            found = [max(map(look.likeness, other.appearances)) for look in own]
            best[cause] = list(map(max, found, best.get(cause, found)))
    if len(best) < peers:
        return 0.0
    return fmean(
        sorted(likes, reverse=True)[peers - 1] for likes in zip(*best.values(), strict=True)
    )


def alike(
    every: Iterable[OpenedTruth], likeness: float = ALIKE, peers: int = PEERS
) -> tuple[OpenedTruth, ...]:
    """Return the truths that open like truths of some other causes among those returned."""
    group = tuple(every)
    while True:
        kept = tuple(one for one in group if peer_likeness(one, group, peers) >= likeness)
        if len(kept) == len(group):
            return kept
        group = kept


def most_cures(every: Iterable[OpenedTruth]) -> int:
    """Return how many cures the truths have that open like one of them."""
    group = tuple(every)
    return max(
        (len({other.cure for other in group if _opens_like(one, other)}) for one in group),
        default=0,
    )


def _opens_like(one: OpenedTruth, other: OpenedTruth) -> bool:
    return any(
        mine.likeness(theirs) >= ALIKE for mine in one.appearances for theirs in other.appearances
    )
