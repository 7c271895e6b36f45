"""The flow through a fleet, against figures that were published or worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.models.topology import EntryPoint
from chaosops.env.plan import FleetPlan
from chaosops.env.service_flow import Physics
from tests.env.minutes import after, cache_and_db, called, front
from tests.worlds import fleet


def test_who_waits_longer_than_the_timeout_was_served_for_nothing() -> None:
    patient = after(fleet([front("back", timeout_ms=60_000), called()], rps=105), 3)
    hurried = after(fleet([front("back", timeout_ms=1_000), called()], rps=105), 3)
    assert patient.calls[0].fail < 0.2
    assert hurried.calls[0].fail == 1.0
    assert hurried.services[0].fixed_ms <= 1.0 + 1_000.0


def test_latency_adds_along_the_path() -> None:
    chain = [
        front("first"),
        called(name="first", calls=[{"to": "second"}], base_ms=30),
        called(name="second", base_ms=50),
    ]
    physics = after(fleet(chain, rps=10), 2)
    assert physics.services[0].fixed_ms == pytest.approx(1 + 30 + 50)


def test_success_is_the_product_over_what_is_required() -> None:
    top = front("a")
    top["calls"] = [{"to": "a"}, {"to": "b"}, {"to": "c", "mode": "fallback"}]
    services = [top, called(name="a"), called(name="b"), called(name="c")]

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[1], effects.errors[2], effects.errors[3] = 0.1, 0.2, 0.9

    physics = after(fleet(services, rps=10), 2, change)
    assert physics.users_ok == pytest.approx(0.9 * 0.8)


def test_a_call_made_for_a_share_of_requests_fails_only_that_share() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[1] = 0.5

    physics = after(fleet([front("back", per_request=0.2), called()], rps=10), 2, change)
    assert physics.users_ok == pytest.approx(1 - 0.2 * 0.5)


def test_two_calls_a_request_must_both_succeed() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[1] = 0.5

    physics = after(fleet([front("back", per_request=2), called()], rps=10), 2, change)
    assert physics.users_ok == pytest.approx(0.5**2)


def test_a_call_that_is_handed_over_fails_and_delays_nobody() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[1] = 1.0
        effects.latency_ms[1] = 5_000.0

    physics = after(fleet([front("back", mode="async"), called()], rps=10), 2, change)
    assert physics.users_ok == 1.0
    assert physics.services[0].fixed_ms == 1.0


def test_retries_hide_failures_and_multiply_the_load() -> None:
    # Half of the attempts fail: with one retry a quarter of the requests do, at 1.5 attempts each.
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[1] = 0.5

    physics = after(fleet([front("back", retries=1), called()], rps=10), 3, change)
    assert physics.users_ok == pytest.approx(0.75)
    assert physics.services[1].rps == pytest.approx(15.0)


@pytest.mark.parametrize("added", [-5.0, -1.0, 0.0, 2.0])
def test_changed_retries_change_success_and_load_together(added: float) -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.errors[1] = 0.5
        effects.retries[1] = added

    physics = after(fleet([front("back", retries=1), called()], rps=8), 3, change)
    retries = max(0.0, 1 + added)
    assert physics.users_ok == pytest.approx(1 - 0.5 ** (retries + 1))
    assert physics.services[1].rps == pytest.approx(8 * (1 - 0.5 ** (retries + 1)) / 0.5)


def test_a_hit_rate_that_falls_from_95_to_50_percent_is_ten_times_the_load() -> None:
    loads: list[float] = []

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        loads.append(physics.services[2].rps)
        if minute >= 3:
            effects.hit_rate[1] = 50 / 95

    physics = after(cache_and_db(), 6, change)
    assert loads[3] == pytest.approx(5.0)
    assert physics.services[2].rps == pytest.approx(50.0)


def test_no_hit_rate_makes_the_load_behind_a_cache_negative() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.hit_rate[1] = 3.0

    physics = after(cache_and_db(), 3, change)
    assert physics.services[1].hit <= 1.0
    assert physics.services[2].rps >= 0.0


def test_a_cache_that_is_down_answers_nothing() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        if minute >= 3:
            effects.errors[1] = 1.0

    physics = after(cache_and_db(), 6, change)
    assert physics.services[2].rps == pytest.approx(100.0)
    assert physics.users_ok == pytest.approx(1.0, abs=1e-6)


def test_unreachable_services_get_no_load_and_fail_their_callers() -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.unreachable[1] = 0.4

    physics = after(fleet([front("back"), called()], rps=10), 2, change)
    assert physics.users_ok == pytest.approx(0.6)
    assert physics.services[1].rps == pytest.approx(6.0)


def test_shed_requests_count_as_failed_and_load_nobody() -> None:
    physics = Physics(FleetPlan(fleet([front("back"), called()], rps=80)))
    physics.services[0].shed_load(0.25)
    physics.advance(1.0)
    assert physics.users_ok == pytest.approx(0.75)
    assert physics.services[1].rps == pytest.approx(60.0)


_STORM = fleet(
    [
        front("back", retries=3),
        called(replicas=4, servers=10, rps_per_replica=250, base_ms=20),
    ],
    rps=800,
)
_CALM = fleet(
    [front("back"), called(replicas=4, servers=10, rps_per_replica=250, base_ms=20)], rps=800
)


def _storm(
    *,
    topology: Any = _STORM,
    capacity: float = 1.0,
    keep: float = 1.0,
    minutes: int = 0,
    retries_off: bool = False,
    budget: float = 3.0,
) -> float:
    """Goodput half an hour after a two-minute dip to 60 % of capacity, helped from minute 10.

    Args:
        budget: Retries a request that clients allow themselves, all the time.
    """

    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.retries[1] = budget - 3.0
        if 3 <= minute < 5:
            effects.capacity[1] = 0.6
        if minute >= 10:
            effects.capacity[1] = capacity
            effects.retries[1] = -3.0 if retries_off else budget - 3.0
        physics.services[0].shed_load(1.0 - keep if 10 <= minute < 10 + minutes else 0.0)

    return after(topology, 30, change).users_ok


def test_a_retry_storm_outlives_its_trigger() -> None:
    assert _storm() < 0.05


def test_without_retries_the_same_dip_heals_by_itself() -> None:
    assert _storm(topology=_CALM) > 0.99


@pytest.mark.parametrize("capacity", [1.3, 2.0, 3.0])
def test_a_retry_storm_shrugs_off_a_modest_scale_up(capacity: float) -> None:
    assert _storm(capacity=capacity) < 0.5


def test_a_retry_storm_yields_to_capacity_for_all_the_attempts() -> None:
    assert _storm(capacity=3.3) > 0.99


@pytest.mark.parametrize(("keep", "minutes"), [(0.30, 3), (0.25, 1)])
def test_a_retry_storm_comes_back_after_too_little_shedding(keep: float, minutes: int) -> None:
    assert _storm(keep=keep, minutes=minutes) < 0.5


def test_a_retry_storm_yields_to_three_minutes_at_a_quarter_of_the_load() -> None:
    assert _storm(keep=0.25, minutes=3) > 0.99


def test_a_retry_storm_yields_to_switching_retries_off() -> None:
    assert _storm(retries_off=True) > 0.99


@pytest.mark.parametrize(("budget", "heals"), [(0.1, True), (0.5, False)])
def test_a_retry_storm_never_lasts_where_retries_have_a_budget_of_a_tenth(
    budget: float, heals: bool
) -> None:
    assert (_storm(budget=budget) > 0.99) is heals


_SHARE = st.floats(0, 1)


@given(
    traffic=st.floats(0, 20),
    errors=_SHARE,
    unreachable=_SHARE,
    capacity=st.floats(0, 3),
    hit=st.floats(0, 2),
    latency=st.floats(0, 50_000),
    retries=st.integers(-3, 5),
)
def test_whatever_presses_on_it_the_figures_stay_within_their_ranges(
    traffic: float,
    errors: float,
    unreachable: float,
    capacity: float,
    hit: float,
    latency: float,
    retries: int,
) -> None:
    physics = Physics(FleetPlan(cache_and_db()))
    for _minute in range(5):
        effects = FaultEffects(physics.plan.size)
        effects.errors[2] = errors
        effects.unreachable[2] = unreachable
        effects.capacity[1] = effects.capacity[2] = capacity
        effects.hit_rate[1] = hit
        effects.latency_ms[2] = latency
        effects.retries[2] = retries
        physics.take_effects(effects)
        physics.advance(traffic)
    assert 0.0 <= physics.users_ok <= 1.0
    for call in physics.calls:
        assert 0.0 <= call.fail <= 1.0
    for each in physics.services:
        assert 0.0 <= each.errors <= 1.0
        assert 0.0 <= each.hit <= 1.0
        for figure in (each.rps, each.backlog, each.wait_ms, each.fixed_ms):
            assert 0.0 <= figure < 1e12


def test_load_is_shed_at_the_entry_that_is_named_alone() -> None:
    two_doors = fleet([front("back"), called()], rps=20)
    doors = (two_doors.entries[0], EntryPoint(service="back", rps=20))
    physics = Physics(FleetPlan(two_doors.model_copy(update={"entries": doors})))
    physics.services[0].shed_load(0.5)
    physics.advance(1.0)
    assert physics.services[0].rps == pytest.approx(10.0)
    assert physics.services[1].rps == pytest.approx(10.0 + 20.0)
    assert physics.users_ok == pytest.approx(0.75)


@pytest.mark.parametrize(("latency_ms", "users_ok"), [(7_998.0, 1.0), (7_999.0, 0.0)])
def test_users_give_up_after_eight_seconds(latency_ms: float, users_ok: float) -> None:
    def change(minute: int, effects: FaultEffects, physics: Physics) -> None:
        effects.latency_ms[0] = latency_ms

    # The entry itself takes a millisecond, and calls nothing that anybody waits for.
    physics = after(fleet([front("back", mode="async"), called()], rps=10), 2, change)
    assert physics.users_ok == users_ok
