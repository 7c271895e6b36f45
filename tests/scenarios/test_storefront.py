"""The storefront on an ordinary day, worked out by hand from its file."""

from __future__ import annotations

import pytest

from chaosops.env.models import ServiceKind, Severity, Signal
from chaosops.env.models.topology import CallMode, ServiceSpec, Topology
from chaosops.scenarios.loader import open_scenario
from tests.scenarios.files import FIXTURE


@pytest.fixture(scope="module")
def shop() -> Topology:
    return open_scenario(FIXTURE).topology


def demand(shop: Topology) -> dict[str, float]:
    """Requests a second offered to each service when nothing fails."""
    specs = {spec.name: spec for spec in shop.services}
    load = dict.fromkeys(specs, 0.0)
    for entry in shop.entries:
        load[entry.service] += entry.rps
    for i in shop.order():
        spec = shop.services[i]
        for call in spec.calls:
            misses = 1.0 if call.behind is None else 1.0 - (specs[call.behind].hit_rate or 0.0)
            load[call.to] += load[spec.name] * call.per_request * misses
    return load


def capacity(spec: ServiceSpec) -> float:
    return spec.replicas * spec.rps_per_replica


def test_demand_flows_through_every_service(shop: Topology) -> None:
    load = demand(shop)

    assert load["checkout"] == pytest.approx(800 * 0.15)
    assert load["auth"] == pytest.approx(800 * 0.4 + 120 + 120 * 0.2)
    assert load["notifications"] == pytest.approx(800 * 0.1 + 120)
    assert load["cache"] == pytest.approx(480 * 3 + 360 * 6 + 160 * 2 + 464 * 4)
    assert load["db"] == pytest.approx(5776 * 0.08 + 120 * 3 + 200 * 0.3)
    assert min(load.values()) > 0


def test_every_service_is_a_third_to_a_half_busy(shop: Topology) -> None:
    load = demand(shop)
    busy = {spec.name: load[spec.name] / capacity(spec) for spec in shop.services}

    assert min(busy.values()) >= 0.33
    assert max(busy.values()) <= 0.52


def test_every_service_can_serve_its_callers_second_tries(shop: Topology) -> None:
    """So that a moment's failure heals by itself instead of feeding on its own retries."""
    load = demand(shop)
    tries = {spec.name: 1 for spec in shop.services}
    for spec in shop.services:
        for call in spec.calls:
            tries[call.to] = max(tries[call.to], 1 + call.retries)

    for spec in shop.services:
        assert load[spec.name] * tries[spec.name] < capacity(spec)


def test_a_replica_serves_what_its_servers_can(shop: Topology) -> None:
    for spec in shop.services:
        possible = spec.servers * 1000 / spec.base_ms
        assert spec.rps_per_replica == pytest.approx(possible, rel=0.02)


def test_every_pool_has_room_for_ten_times_its_usual_connections(shop: Topology) -> None:
    specs = {spec.name: spec for spec in shop.services}
    load = demand(shop)
    used = {}
    for spec in shop.services:
        if spec.pool is not None:
            call = next(call for call in spec.calls if call.to == spec.pool.to)
            misses = 1.0 if call.behind is None else 1.0 - (specs[call.behind].hit_rate or 0.0)
            rate = load[spec.name] * call.per_request * misses
            held = rate * specs[call.to].base_ms / 1000
            used[spec.name] = held / (spec.pool.size * spec.replicas)

    callers = {spec.name for spec in shop.services for call in spec.calls if call.to == "db"}
    assert set(used) == callers
    assert max(used.values()) <= 0.1


def test_a_cold_cache_is_more_than_the_database_can_bear(shop: Topology) -> None:
    load = demand(shop)
    database = next(spec for spec in shop.services if spec.kind is ServiceKind.DATABASE)

    assert load["cache"] > 3 * capacity(database)


def test_every_timeout_leaves_room_for_what_is_behind_it(shop: Topology) -> None:
    specs = {spec.name: spec for spec in shop.services}

    def usual_ms(name: str) -> float:
        waits = [call for call in specs[name].calls if call.mode is not CallMode.ASYNC]
        return specs[name].base_ms + sum(usual_ms(call.to) for call in waits)

    for spec in shop.services:
        for call in spec.calls:
            assert usual_ms(call.to) < call.timeout_ms


def test_alerts_watch_users_and_every_kind_of_saturation(shop: Topology) -> None:
    saturation = {Signal.BUSY, Signal.MEMORY, Signal.DISK, Signal.POOL, Signal.BACKLOG}
    golden = {Signal.USERS_OK, Signal.ERRORS, Signal.P95_MS, Signal.RPS, Signal.HIT}

    assert {rule.signal for rule in shop.alerts} >= saturation | golden
    for rule in shop.alerts:
        assert rule.signal is Signal.USERS_OK or "{service}" in rule.text
    assert {rule.signal for rule in shop.alerts if rule.severity is Severity.PAGE} == {
        Signal.USERS_OK,
        Signal.P95_MS,
    }
