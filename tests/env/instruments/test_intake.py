"""What comes into an application, as instruments show it: which cause shows in which reading."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, Source
from chaosops.env.models.readings import Cell, Reading, SpanStatus, TableKind, column
from tests.env.families import living

CAUSES = (
    "retry_storm",
    "reconnect_herd",
    "hostile_traffic",
    "genuine_surge",
    "hot_path",
    "noisy_neighbour",
    "cold_cache",
)


def moment(cause: str, minutes: int) -> LivingWorld:
    made = living("overload", cause)
    for _minute in range(minutes):
        made.advance()
    return made


def place(made: LivingWorld) -> str:
    """The application that is overloaded; for a cold cache, one that asks it."""
    name = made.world.mesh.blueprint.services[made.truth.casts[0].place].name
    return "catalog" if name == "db" else name


def look(made: LivingWorld, source: Source, target: str) -> Reading:
    reading = made.look(AgentRole.SRE, source, target).reading
    assert reading is not None
    return reading


def cells(made: LivingWorld, kind: TableKind, name: str, target: str = "") -> list[float]:
    table = look(made, Source.RUNTIME, target or place(made)).table(kind)
    assert table is not None
    return [_number(cell) for cell in column(table, name)]


def _number(cell: Cell) -> float:
    assert isinstance(cell, (int, float)), cell
    return float(cell)


def is_tried_again(made: LivingWorld) -> bool:
    """Whether a caller tries its requests more often than its one retry allows."""
    return max(cells(made, TableKind.KEYS, "tries of each")) > 2.0


def is_shaking_hands(made: LivingWorld) -> bool:
    """Whether there are more new connections than requests, and no room to accept them."""
    new = cells(made, TableKind.CONNECTIONS, "new connections")
    served = cells(made, TableKind.CONNECTIONS, "requests")
    is_full = set(cells(made, TableKind.CONNECTIONS, "accept queue")) == {511.0}
    assert is_full == (max(new) > min(served))
    return is_full


def is_from_strangers(made: LivingWorld) -> bool:
    """Whether most requests come from networks where nobody signs in."""
    shares = cells(made, TableKind.NETWORKS, "share")
    signed = cells(made, TableKind.NETWORKS, "signed in")
    assert sum(shares) == pytest.approx(100.0, abs=1.0)
    return sum(share for share, there in zip(shares, signed, strict=True) if not there) > 40.0


def is_one_route(made: LivingWorld) -> bool:
    """Whether a request on one route takes many times the CPU time of the others."""
    times = sorted(cells(made, TableKind.PROFILE, "mean cpu"))
    assert sum(cells(made, TableKind.PROFILE, "share of cpu")) == pytest.approx(100.0, abs=1.0)
    return times[-1] > 5.0 * times[-2]


def is_one_key(made: LivingWorld) -> bool:
    """Whether one key makes most requests, and those of all are rejected."""
    asked = cells(made, TableKind.KEYS, "requests")
    rejected = min(cells(made, TableKind.KEYS, "rejected with 429")) > 1.0
    assert rejected == (asked[-1] > 0.6 * sum(asked))
    return rejected


def is_cold(made: LivingWorld) -> bool:
    """Whether the nodes of the cache find less than usual, and are young."""
    hits = cells(made, TableKind.CACHE_NODES, "hits", "cache")
    assert len(hits) == 3
    return max(hits) < 85.0


SHOWS: dict[str, Callable[[LivingWorld], bool]] = {
    "retry_storm": is_tried_again,
    "reconnect_herd": is_shaking_hands,
    "hostile_traffic": is_from_strangers,
    "hot_path": is_one_route,
    "noisy_neighbour": is_one_key,
    "cold_cache": is_cold,
}


@pytest.mark.few(2)
@pytest.mark.parametrize("minutes", [0, 10])
@pytest.mark.parametrize("cause", CAUSES)
def test_each_shows_in_its_own_reading_alone(cause: str, minutes: int) -> None:
    made = moment(cause, minutes)
    for name, shows in SHOWS.items():
        assert shows(made) == (name == cause), name


@pytest.mark.few(1)
@pytest.mark.parametrize("cause", CAUSES)
def test_only_what_is_asked_from_outside_shows_where_users_come_in(cause: str) -> None:
    made = moment(cause, 6)
    edge, here = (
        made.world.mesh.nodes[made.world.mesh.blueprint.index[name]]
        for name in ("edge", place(made))
    )
    comes = cause in ("hostile_traffic", "genuine_surge")
    assert (edge.offered > 1.25 * edge.traits.usual_rps) == comes
    multiplied = comes or cause == "retry_storm"
    assert (here.offered > 2.0 * here.traits.usual_rps) == multiplied


@pytest.mark.parametrize("cause", CAUSES)
def test_processors_have_room_where_a_number_is_used_up(cause: str) -> None:
    made = moment(cause, 6)
    busy = max(cells(made, TableKind.INSTANCES, "cpu"))
    assert (busy > 90.0) == (cause not in ("noisy_neighbour", "cold_cache"))


def test_a_storm_shows_as_equal_calls_side_by_side() -> None:
    made = moment("retry_storm", 4)
    spans = [span for one in look(made, Source.TRACES, "edge").traces() for span in one.spans]
    failed = [
        span
        for span in spans
        if span.service == place(made) and span.depth == 1 and span.status is SpanStatus.ERROR
    ]
    assert len(failed) >= 12


def test_the_nodes_of_a_cold_cache_are_as_old_as_the_cause() -> None:
    made = moment("cold_cache", 0)
    table = look(made, Source.RUNTIME, "cache").table(TableKind.INSTANCES)
    assert table is not None
    assert all(str(age).endswith(" min") for age in column(table, "age"))


def test_the_policy_of_retries_can_be_rolled_back() -> None:
    made = moment("retry_storm", 0)
    (move,) = made.scenario.incident.faults[0].clears
    assert (move.target, move.args["change"]) == ("edge", made.truth.casts[0].version)
    reading = made.look(AgentRole.DEV, Source.CHANGES, "edge").reading
    assert reading is not None
    touched = {diff.version: diff.touches for diff in reading.diffs()}
    assert touched[str(move.args["change"])] == ("calls.most_tries",)
