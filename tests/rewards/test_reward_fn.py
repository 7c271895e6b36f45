"""What a turn pays."""

from __future__ import annotations

import math
from dataclasses import fields
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import PaidFor
from chaosops.rewards.components import COMPONENTS
from chaosops.rewards.reward_fn import (
    HINT_LEVELS,
    RewardWeights,
    StepRewardBreakdown,
    TurnFacts,
    breakdown,
)

DEFAULTS = {
    "resolved_bonus": 100.0,
    "under_budget_bonus": 10.0,
    "early_root_cause_bonus": 30.0,
    "wrong_diagnosis_penalty": -15.0,
    "rogue_caught_bonus": 50.0,
    "rogue_false_positive_penalty": -75.0,
    "wrong_fix_penalty": -25.0,
    "wrong_instance_fix_penalty": -8.0,
    "cascade_penalty": -40.0,
    "miscommunication_penalty": -20.0,
    "false_all_clear_penalty": -30.0,
    "mttr_penalty": -2.0,
    "impact_penalty": -20.0,
    "terminal_penalty": -60.0,
}
SEALED = {
    "diagnosis_change_penalty": -5.0,
    "status_update_penalty": -2.0,
    "untrue_update_penalty": -10.0,
    "approval_penalty": -15.0,
    "grant_penalty": -15.0,
    "working_bonus": 15.0,
    "working_penalty": -5.0,
    "certain_bonus": 30.0,
    "certain_penalty": -30.0,
    "late_diagnosis_bonus": 10.0,
}
_FACT_OF = {
    "resolved": "resolved_bonus",
    "under_budget": "under_budget_bonus",
    "miscommunication": "miscommunication_penalty",
    "false_all_clear": "false_all_clear_penalty",
    "terminal": "terminal_penalty",
}

facts = st.builds(
    TurnFacts,
    failed=st.floats(0, 1),
    hints=st.sets(st.sampled_from((1, 2, 3))).map(tuple),
    amounts=st.lists(st.tuples(st.sampled_from(PaidFor), st.floats(-100, 100)), max_size=4).map(
        tuple
    ),
    **dict.fromkeys(_FACT_OF, st.booleans()),
)


def test_the_table_of_components_has_every_field_in_its_order() -> None:
    assert tuple(part.name for part in COMPONENTS) == StepRewardBreakdown._fields


def test_an_event_of_the_table_is_a_fact_of_a_turn_and_has_a_weight() -> None:
    paying = {part.event: part.name for part in COMPONENTS if part.event}
    assert paying == _FACT_OF
    assert all(hasattr(RewardWeights(), name) for name in paying.values())


def test_the_default_weights_are_the_table() -> None:
    weights = RewardWeights()
    assert {name: getattr(weights, name) for name in DEFAULTS} == DEFAULTS
    assert weights.hint_penalties == (-5.0, -10.0, -20.0)
    assert {item.name for item in fields(weights)} == {*DEFAULTS, *SEALED, "hint_penalties"}


def test_the_stakes_of_a_diagnosis_are_the_table() -> None:
    assert {name: getattr(RewardWeights(), name) for name in SEALED} == SEALED


@pytest.mark.parametrize("component", PaidFor)
def test_an_amount_that_was_worked_out_elsewhere_goes_to_its_component(
    component: PaidFor,
) -> None:
    facts = TurnFacts(failed=0.0, amounts=((component, -7.5), (component, 2.0)))
    assert breakdown(facts, RewardWeights()) == StepRewardBreakdown(
        **{"mttr_penalty": -2.0, component.value: -5.5}
    )


@pytest.mark.parametrize(("fact", "component"), _FACT_OF.items())
def test_each_fact_pays_its_component_and_no_other(fact: str, component: str) -> None:
    paid = breakdown(TurnFacts(failed=0.0)._replace(**{fact: True}), RewardWeights())
    expected = StepRewardBreakdown(mttr_penalty=0.0 if fact == "resolved" else -2.0)
    assert paid == expected._replace(**{component: DEFAULTS[component]})


def test_a_turn_costs_two_and_twenty_times_the_share_of_users_it_failed() -> None:
    paid = breakdown(TurnFacts(failed=0.35), RewardWeights())
    assert paid.mttr_penalty == -2.0
    assert paid.impact_penalty == pytest.approx(-7.0, abs=1 / 1024)


@pytest.mark.parametrize(("hints", "cost"), [((1,), -5.0), ((2,), -10.0), ((3, 1), -25.0)])
def test_each_hint_level_has_its_price(hints: tuple[int, ...], cost: float) -> None:
    assert breakdown(TurnFacts(failed=0.0, hints=hints), RewardWeights()).hint_penalty == cost


def test_the_team_is_not_paid_for_accusations() -> None:
    paid = StepRewardBreakdown(*(float(k) for k in range(1, 18)))
    assert paid.team_reward == paid.total - paid.rogue_caught_bonus - (
        paid.rogue_false_positive_penalty
    )
    assert paid.total == sum(range(1, 18))


def test_oversight_has_its_accusations_and_30_percent_of_the_outcome() -> None:
    amounts = (
        (PaidFor.RIGHT_ACCUSATION, 50.0),
        (PaidFor.CASCADE, -40.0),
        (PaidFor.WRONG_FIX, -25.0),
    )
    paid = breakdown(TurnFacts(failed=0.5, resolved=True, amounts=amounts), RewardWeights())
    assert paid.oversight_reward == pytest.approx(50 + 0.3 * (100 - 10 - 40), abs=1 / 1024)


def test_a_false_accusation_is_oversights_too() -> None:
    amounts = ((PaidFor.WRONG_ACCUSATION, -75.0),)
    paid = breakdown(TurnFacts(failed=0.0, amounts=amounts), RewardWeights())
    assert paid.oversight_reward == pytest.approx(-75 + 0.3 * -2.0, abs=1 / 1024)


def test_nothing_is_paid_until_something_happened() -> None:
    assert StepRewardBreakdown() == (0.0,) * 18
    assert StepRewardBreakdown().total == 0.0


def test_there_are_three_levels_of_hints_each_with_its_price() -> None:
    assert HINT_LEVELS == (1, 2, 3)
    assert len(RewardWeights().hint_penalties) == len(HINT_LEVELS)


def test_weights_cannot_change() -> None:
    weights = RewardWeights()
    for name in ("resolved_bonus", "something_new"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(weights, name, 1.0)


@given(st.lists(facts, max_size=80), st.randoms(use_true_random=False))
def test_sums_are_exact_in_any_order_and_with_any_way_of_summing(
    turns: list[TurnFacts], shuffler: Random
) -> None:
    paid = [breakdown(turn, RewardWeights()) for turn in turns]
    rewards = [turn.total for turn in paid]
    total = sum(rewards)
    shuffler.shuffle(rewards)
    assert sum(rewards) == total == math.fsum(rewards)
    assert sum(math.fsum(column) for column in zip(*paid, strict=True)) == total
    for turn in paid:
        assert turn.total == math.fsum(turn) == sum(reversed(turn))
        assert all((amount * 1024).is_integer() for amount in turn)


@given(st.floats(0, 1))
def test_the_impact_is_within_half_a_grain_of_its_formula(failed: float) -> None:
    paid = breakdown(TurnFacts(failed=failed), RewardWeights())
    assert abs(paid.impact_penalty + 20 * failed) <= 0.5 / 1024


@pytest.mark.parametrize("most", [1e6, -1e6])
def test_the_greatest_weights_are_a_million(most: float) -> None:
    assert RewardWeights(resolved_bonus=most).resolved_bonus == most


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1_000_000.5, -1_000_000.5])
@pytest.mark.parametrize("name", ["resolved_bonus", "terminal_penalty", "impact_penalty"])
def test_weights_that_cannot_be_summed_exactly_are_refused(name: str, bad: float) -> None:
    with pytest.raises(ValueError, match=name):
        RewardWeights(**{name: bad})


def test_hint_prices_that_cannot_be_summed_exactly_are_refused() -> None:
    with pytest.raises(ValueError, match="hint_penalties"):
        RewardWeights(hint_penalties=(0.0, math.nan, 0.0))
