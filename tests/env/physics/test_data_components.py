"""Replication, sequences, invalidations and objects against figures worked out by hand."""

from math import exp
from typing import Any

import pytest

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.invalidations import Invalidations
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.objects import Objects
from chaosops.env.physics.replication import Replication
from chaosops.env.physics.sequences import IdSequences
from tests.env.physics.fleets import mesh, part, run

ORDERS, STOCK = 0, 1
"""The numbers of two calls to the database among those that are made to it."""


def shop() -> Mesh:
    """100 requests a second, half of them for orders and half for stock; each asks the database."""

    def app(name: str) -> dict[str, Any]:
        return {
            "name": name,
            "kind": "app",
            "calls": [
                {"to": "cache", "per_request": 2, "mode": "fallback", "timeout_ms": 100},
                {"to": "db", "timeout_ms": 800, "retries": 1, "table": name},
            ],
        }

    return mesh(
        [
            {
                "name": "front",
                "kind": "edge",
                "calls": [
                    {"to": "orders", "per_request": 0.5, "timeout_ms": 1000},
                    {"to": "stock", "per_request": 0.5, "timeout_ms": 1000},
                ],
            },
            app("orders"),
            app("stock"),
            {"name": "cache", "kind": "cache", "hit_rate": 0.9, "replicas": 2},
            {"name": "db", "kind": "database", "replicas": 3, "disk": 30, "sessions": 200},
        ]
    )


def replication(fleet: Mesh) -> Replication:
    found = part(fleet, "db", "replication")
    assert isinstance(found, Replication)
    return found


def hold(fleet: Mesh, minutes: int, parameter: str, value: float) -> None:
    """Inject a fault into the group of orders alone for some minutes."""
    for _minute in range(minutes):
        fleet.reset_parameters()
        replication(fleet).inject(parameter, value, replication(fleet).callers[ORDERS])
        fleet.advance(1.0)


def test_on_an_ordinary_day_replication_costs_nothing() -> None:
    fleet = shop()
    run(fleet, 3)
    assert replication(fleet).groups == []
    assert fleet.users_ok == 1.0


def test_a_group_without_a_primary_fails_its_own_callers_alone() -> None:
    fleet = shop()
    hold(fleet, 2, "leaderless", 0.2)
    # A fifth of half of the requests; a second try meets the same group.
    assert fleet.users_ok == pytest.approx(1.0 - 0.5 * 0.2)
    assert fleet.nodes[1].ok == pytest.approx(0.8)
    assert fleet.nodes[2].ok == 1.0
    run(fleet, 1)
    assert fleet.users_ok == 1.0
    assert replication(fleet).groups == []


def test_copies_that_are_behind_fail_reads_of_what_was_just_written() -> None:
    fleet = shop()
    hold(fleet, 3, "lag_s", 240.0)
    group = replication(fleet).groups[ORDERS]
    assert group.behind_s == 240.0
    assert group.failing == pytest.approx(1.0 - exp(-0.4))
    assert fleet.users_ok == pytest.approx(1.0 - 0.5 * (1.0 - exp(-0.4)))
    run(fleet, 1)
    assert replication(fleet).groups[ORDERS].behind_s == 60.0
    run(fleet, 4)
    # 15, 3.75 and 0.94 s, and less than half a second is current.
    assert replication(fleet).groups == []


def test_two_primaries_diverge_by_what_is_written_in_the_time() -> None:
    fleet = shop()
    run(fleet, 2)
    hold(fleet, 1, "split", 0.2)
    # 50 calls a second, a quarter of them writes, a fifth of those at the other primary.
    group = replication(fleet).groups[ORDERS]
    assert group.diverged == pytest.approx(50 * 0.25 * 0.2 * 60)
    hold(fleet, 2, "split", 0.2)
    assert group.split_for == 3.0
    assert fleet.users_ok == pytest.approx(0.9)


def test_a_failover_promotes_the_next_member_and_loses_nothing_that_is_current() -> None:
    fleet = shop()
    hold(fleet, 2, "leaderless", 0.2)
    replication(fleet).land(ActionType.FAILOVER, FrozenMap(), fleet)
    assert replication(fleet).primary == 1
    run(fleet, 1)
    assert fleet.users_ok == 1.0
    for _landing in range(2):
        replication(fleet).land(ActionType.FAILOVER, FrozenMap(), fleet)
    assert replication(fleet).primary == 0


def test_a_failover_to_a_copy_that_is_behind_loses_what_it_has_not_replayed() -> None:
    fleet = shop()
    hold(fleet, 3, "lag_s", 240.0)
    replication(fleet).land(ActionType.FAILOVER, FrozenMap(), fleet)
    lost = 1.0 - exp(-0.4)
    assert replication(fleet).groups[ORDERS].lost == pytest.approx(lost)
    run(fleet, 8)
    # A tenth of it is entered again each minute.
    assert fleet.users_ok == pytest.approx(1.0 - 0.5 * lost * 0.9**7)


def test_a_failover_between_two_primaries_loses_the_writes_of_one() -> None:
    fleet = shop()
    hold(fleet, 2, "split", 0.3)
    replication(fleet).land(ActionType.FAILOVER, FrozenMap(), fleet)
    assert replication(fleet).groups[ORDERS].lost == pytest.approx(0.3)


def test_a_copy_of_a_fleet_replicates_alone() -> None:
    fleet = shop()
    hold(fleet, 2, "lag_s", 100.0)
    twin = fleet.copy()
    hold(fleet, 2, "lag_s", 300.0)
    assert replication(twin).groups[ORDERS].behind_s == 100.0
    assert replication(fleet).groups[ORDERS].behind_s == 300.0


def test_inserts_fail_as_blocks_of_ids_run_out_and_the_sequence_stays_at_its_end() -> None:
    fleet = shop()
    sequences = part(fleet, "db", "sequences")
    assert isinstance(sequences, IdSequences)
    run(fleet, 2)
    assert (sequences.spent, sequences.ended) == ([], ())
    for _minute in range(2):
        fleet.reset_parameters()
        sequences.inject("spent", 0.3, sequences.callers[STOCK])
        fleet.advance(1.0)
    assert fleet.users_ok == pytest.approx(1.0 - 0.5 * 0.3)
    assert fleet.nodes[1].ok == 1.0
    twin = fleet.copy()
    run(fleet, 1)
    assert fleet.users_ok == 1.0
    assert sequences.ended == (STOCK,)
    assert part(twin, "db", "sequences").spent == [0.0, 0.3]


def test_a_cache_that_is_not_invalidated_answers_what_callers_reject() -> None:
    fleet = shop()
    run(fleet, 2)
    kept = part(fleet, "cache", "invalidations")
    assert isinstance(kept, Invalidations)
    hit = part(fleet, "cache", "cache").hit
    for _minute in range(3):
        fleet.reset_parameters()
        kept.inject("stale", 0.2, kept.callers[ORDERS])
        fleet.advance(1.0)
    assert fleet.nodes[1].ok == pytest.approx(0.8)
    assert fleet.nodes[2].ok == 1.0
    assert kept.stopped == [3.0, 0.0]
    assert part(fleet, "cache", "cache").hit == hit
    run(fleet, 1)
    assert (fleet.users_ok, kept.stopped) == (1.0, [])


def test_an_emptied_cache_is_as_old_as_before_after_a_quarter_of_an_hour() -> None:
    fleet = shop()
    run(fleet, 2)
    kept = part(fleet, "cache", "invalidations")
    kept.land(ActionType.PURGE, FrozenMap(), fleet)
    run(fleet, 3, [(kept, "stale", 0.5)])
    assert fleet.nodes[1].ok == pytest.approx(1.0 - 0.5 * 3 / 15)
    run(fleet, 15, [(kept, "stale", 0.5)])
    assert fleet.nodes[1].ok == pytest.approx(0.5)


def test_missing_objects_fail_more_once_instances_are_new() -> None:
    fleet = shop()
    run(fleet, 2)
    objects = part(fleet, "orders", "objects")
    assert isinstance(objects, Objects)
    run(fleet, 1, [(objects, "missing", 0.5)])
    # Instances still hold copies of a quarter of what is missing.
    assert fleet.nodes[1].ok == pytest.approx(1.0 - 0.5 * 0.75)
    objects.land(ActionType.RESTART, FrozenMap(), fleet)
    run(fleet, 1, [(objects, "missing", 0.5)])
    assert fleet.nodes[1].ok == pytest.approx(0.5)
    twin = fleet.copy()
    run(fleet, 1)
    assert fleet.nodes[1].ok == 1.0
    assert part(twin, "orders", "objects").failing == 0.5
