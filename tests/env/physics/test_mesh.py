from itertools import pairwise

import pytest

from chaosops.env.physics.node import Node
from chaosops.env.samples import LN_20, LN_100, quantile
from tests.env.physics.fleets import mesh, part, run


def _chain(retries: int, fail: float, layers: int = 1) -> list[dict[str, object]]:
    names = ["front", "middle", "lower", "store"][: layers + 1]
    calls = {
        name: [{"to": below, "retries": retries, "timeout_ms": 60_000}]
        for name, below in pairwise(names)
    }
    kinds = {"front": "edge", "store": "app"}
    return [
        {"name": name, "kind": kinds.get(name, "app"), "calls": calls.get(name, [])}
        for name in names
    ]


def test_a_passing_failure_is_tried_again_and_mostly_heals() -> None:
    fleet = mesh(_chain(retries=1, fail=0.5))
    for _minute in range(12):
        fleet.reset_parameters()
        fleet.nodes[1].injected_errors = 0.5
        fleet.advance(1.0)
    link = fleet.links[0]
    assert link.lost == pytest.approx(0.25)  # 0.5 ^ 2
    assert link.attempts == pytest.approx(1.5, rel=1e-4)  # (1 - 0.25) / (1 - 0.5)
    assert fleet.nodes[1].offered == pytest.approx(150.0, rel=1e-4)
    assert fleet.users_ok == pytest.approx(0.75)


def test_a_failure_that_stays_costs_every_try_and_heals_by_none() -> None:
    fleet = mesh(_chain(retries=3, fail=0.0))
    for _minute in range(12):
        fleet.reset_parameters()
        fleet.links[0].breaks(0.1, 5.0)
        fleet.advance(1.0)
    assert fleet.links[0].lost == pytest.approx(0.1)
    assert fleet.links[0].attempts == pytest.approx(0.9 + 0.1 * 4, rel=1e-4)
    assert fleet.users_ok == pytest.approx(0.9)


def test_two_causes_that_break_a_call_add_up() -> None:
    fleet = mesh(_chain(retries=0, fail=0.0))
    fleet.links[0].breaks(0.1, 5.0)
    fleet.links[0].breaks(0.1, 15.0)
    assert fleet.links[0].broken == pytest.approx(0.2)
    assert fleet.links[0].broken_ms == pytest.approx(10.0)


def test_three_layers_of_four_tries_make_sixty_four_times_the_load() -> None:
    # 4^3 = 64, as the SRE book has it. The store fails every try, for everybody.
    fleet = mesh(_chain(retries=3, fail=1.0, layers=3), rps=1.0)
    for _minute in range(30):
        fleet.reset_parameters()
        fleet.nodes[3].injected_errors = 1.0
        fleet.advance(1.0)
    assert fleet.nodes[3].offered == pytest.approx(64.0 * fleet.nodes[0].offered)


def test_latency_adds_along_the_path_and_is_cut_at_the_timeout() -> None:
    services = _chain(retries=0, fail=0.0)
    fleet = mesh(services)
    run(fleet, 2)
    assert fleet.nodes[0].mean_ms == pytest.approx(20.0, abs=0.1)  # 10 ms and 10 ms
    services[0]["calls"] = [{"to": "middle", "timeout_ms": 500}]
    fleet = mesh(services)
    for _minute in range(2):
        fleet.reset_parameters()
        fleet.nodes[1].injected_delay_ms = 2_000.0
        fleet.advance(1.0)
    assert fleet.users_ok == 0.0
    assert fleet.nodes[0].tail == 1.0
    assert fleet.nodes[0].tail_ms == pytest.approx(510.0, abs=0.1)


def test_a_call_behind_a_cache_is_made_for_the_misses() -> None:
    fleet = mesh(
        [
            {
                "name": "front",
                "kind": "edge",
                "calls": [
                    {"to": "cache", "per_request": 2, "mode": "fallback", "timeout_ms": 100},
                    {"to": "store", "per_request": 2, "behind": "cache"},
                ],
            },
            {"name": "cache", "kind": "cache", "hit_rate": 0.95},
            {"name": "store", "kind": "database", "disk": 10},
        ]
    )
    run(fleet, 3)
    store = fleet.nodes[2]
    assert store.offered == pytest.approx(10.0)  # 100 * 2 * 5 %
    cache = part(fleet, "cache", "cache")
    run(fleet, 3, [(cache, "forgets", 1.0 - 0.5 / 0.95)])
    assert store.offered == pytest.approx(100.0)  # 50 % misses: ten times as many


def test_the_tail_shows_at_the_quantile_that_it_reaches() -> None:
    node = Node(mesh([{"name": "front", "kind": "edge"}]).blueprint.services[0])
    node.fixed_ms, node.wait_ms, node.tail_ms = 100.0, 10.0, 5_000.0
    node.tail = 0.02
    # 1.25 * 100 + 10 * ln 20 = 154.96: two percent are not yet seen at the 95th percentile,
    assert quantile(node, 0.05, LN_20) == pytest.approx(154.957, abs=0.001)
    assert quantile(node, 0.01, LN_100) == 5_000.0  # and all of the 99th,
    node.tail = 0.10
    assert quantile(node, 0.05, LN_20) == 5_000.0  # where ten percent are.


def test_a_copy_goes_its_own_way() -> None:
    fleet = mesh(_chain(retries=1, fail=0.5))
    run(fleet, 2)
    twin = fleet.copy()
    for _minute in range(12):
        twin.reset_parameters()
        twin.nodes[1].injected_errors = 0.9
        twin.advance(1.0)
    assert twin.users_ok < 0.5
    run(fleet, 1)
    assert fleet.users_ok == 1.0
    assert all(node.links for node in twin.nodes if node.traits.links)
