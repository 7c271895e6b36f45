"""Limits are told from what a role sees, early, and only where the trend is clear."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole
from chaosops.play import outlook
from chaosops.play.outlook import MinuteRange, budget_left, expected_limits
from tests.worlds import scenario, view_of


def passed(name: str, seed: int, minute: int) -> Stepper:
    """A game in which everybody passes, in an SRE's turn."""
    stepper = Stepper(ChaosOpsEnvironment(), scenario(name, seed))
    while stepper.observation.view.status.minute < minute:
        stepper.take(pass_turn(stepper.observation, stepper.role))
    assert stepper.role is AgentRole.SRE
    return stepper


def test_a_straight_rise_is_extended_to_the_limit() -> None:
    rising = [50.0 + 2 * minute for minute in range(11)]
    assert outlook._until(100.0, rising) == MinuteRange(15, 15)


def test_a_rise_that_speeds_up_gives_a_range() -> None:
    faster = [50.0, 51, 52, 53, 54, 55, 57, 59, 61, 63, 65]
    found = outlook._until(100.0, faster)
    assert found is not None
    assert found.soonest == 18
    assert found.latest > found.soonest


@pytest.mark.parametrize(
    "values",
    [
        [],
        [90.0, 92, 94],
        [70.0] * 11,
        [80.0 - minute for minute in range(11)],
        [84.0, 85, 84, 85, 84, 85, 84, 85, 84, 85, 86],
        [10.0 + 0.5 * minute for minute in range(11)],
        [80.0, 85, 90, 95, 98, 99, 100, 100, 100, 100, 100],
        [82.0, 89, 83, 90, 82, 88, 84, 91, 85, 90, 92],
    ],
    ids=["none", "short", "flat", "falling", "noise", "far", "reached", "swings"],
)
def test_nothing_is_told_without_a_clear_rise_towards_a_near_limit(values: list[float]) -> None:
    assert outlook._until(100.0, values) is None


def test_a_disk_that_fills_is_told_early_and_fills_when_it_was_said() -> None:
    early = expected_limits(passed("calls-not-getting-through", 1, 24).observation.view)
    (disk,) = (limit for limit in early if limit.signal == "disk")
    assert (disk.service, disk.words) == ("cart", "disk: limit in 14-16 min (3 of your turns)")
    then = passed("calls-not-getting-through", 1, 36).observation.view
    (cart,) = (row for row in then.services or () if row.service == "cart")
    assert cart.disk is not None
    assert cart.disk >= 97


def test_a_role_without_signals_is_told_of_no_limit() -> None:
    stepper = passed("calls-not-getting-through", 1, 24)
    for role in (AgentRole.OVERSIGHT, AgentRole.MANAGER):
        assert expected_limits(view_of(stepper, role)) == []
    dev = expected_limits(view_of(stepper, AgentRole.DEV))
    assert not any(limit.signal == "disk" for limit in dev)


def test_the_budget_is_told_when_it_ends_within_the_incident() -> None:
    stepper = passed("calls-not-getting-through", 1, 24)
    status = stepper.observation.view.status
    left = budget_left(stepper.steps, status)
    assert left is not None
    assert (left.soonest, left.words) == (20, "in 20-22 min")
    calm = status._replace(turns=status.minute + 10)
    assert budget_left(stepper.steps, calm) is None
    assert budget_left((), status) is None


def test_a_limit_is_told_only_if_even_the_latest_minute_is_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = passed("calls-not-getting-through", 1, 24).observation.view
    assert [limit.signal for limit in expected_limits(view)] == ["disk"]
    far = MinuteRange(12, 21)
    monkeypatch.setattr(outlook, "_until", lambda *_args, **_kwargs: far)
    assert expected_limits(view) == []


def test_the_end_of_the_budget_is_not_told_once_the_objective_is_met() -> None:
    stepper = passed("calls-not-getting-through", 1, 24)
    status = stepper.observation.view.status
    assert budget_left(stepper.steps, status) is not None
    assert budget_left(stepper.steps, status._replace(users_ok=status.slo)) is None


def test_the_end_of_the_budget_is_not_told_while_nothing_of_it_is_spent() -> None:
    stepper = passed("calls-not-getting-through", 1, 24)
    status = stepper.observation.view.status
    later = [
        step._replace(
            observation=step.observation.model_copy(
                update={
                    "view": step.observation.view._replace(
                        status=status._replace(minute=status.minute + minute)
                    )
                }
            )
        )
        for minute, step in enumerate(stepper.steps[-2:])
    ]
    after = status._replace(minute=status.minute + 2)
    assert budget_left([*stepper.steps, *later], after) is None


def test_minutes_are_worded_as_a_range_or_as_about() -> None:
    assert MinuteRange(9, 13).words == "in 9-13 min"
    assert MinuteRange(4, 5).words == "in about 4 min"
