"""The records of each turn are what their own constructors make."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from chaosops.env import new_records
from chaosops.env.models import (
    Alert,
    ChaosOpsObservation,
    Health,
    Impact,
    LastAction,
    LogLevel,
    LogLine,
    RoleView,
    ServiceSignals,
    Status,
)
from chaosops.rewards.reward_fn import TurnFacts

MAKERS: dict[Callable[..., Any], type[Any]] = {
    new_records.new_log_line: LogLine,
    new_records.new_alert: Alert,
    new_records.new_impact: Impact,
    new_records.new_last_action: LastAction,
    new_records.new_status: Status,
    new_records.new_view: RoleView,
    new_records.new_facts: TurnFacts,
    new_records.new_observation: ChaosOpsObservation,
}


@pytest.mark.parametrize(("make", "record"), MAKERS.items(), ids=lambda part: part.__name__)
def test_a_record_takes_its_fields_in_their_order(
    make: Callable[..., Any], record: type[Any]
) -> None:
    assert tuple(inspect.signature(make).parameters) == record._fields


def test_every_function_that_makes_a_record_is_checked() -> None:
    made = {value for name, value in vars(new_records).items() if name.startswith("new_")}
    assert made == set(MAKERS)


def test_a_record_equals_the_one_of_its_constructor_and_has_its_type() -> None:
    values = (3, "edge", LogLevel.WARN, "slow")
    made, called = new_records.new_log_line(*values), LogLine(*values)
    assert (made, type(made)) == (called, LogLine)


def test_a_bound_is_passed_in_its_direction_and_by_nothing_that_is_not_there() -> None:
    signals = ServiceSignals("db", Health.DOWN, 1, 0.5, 2, None, 4, 5, 6, 7, 8, 9, 10)
    bounds = (
        new_records.SignalBound.on("errors", 1, 0.4, above=True),
        new_records.SignalBound.on("memory", 2, 4.0, above=False),
        new_records.SignalBound.on("busy", 4, 0.0, above=True),
        new_records.SignalBound.on("lag", 8, 11.0, above=False),
    )
    masks = [0]
    assert new_records.beyond((bounds,), (signals,), (None,), masks) == [(0, 0, 9)]
    assert new_records.beyond((bounds,), (signals,), (signals,), masks) == []
    assert masks == [9]
