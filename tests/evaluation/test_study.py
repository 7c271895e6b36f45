from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import FailureType
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.study import (
    RightAnswer,
    Study,
    StudyPlan,
    commonest_share,
    play,
    situation_of,
    truth_of,
)
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.rendering import ScenarioSource
from tests.worlds import (
    DEPLOY_BOT,
    INNOCENT,
    ROGUE_PROMOTION,
    built_in,
    hand_made,
    scenario,
)

PAYING = open_scenario("paying-ends-in-an-error")


@pytest.mark.parametrize(
    ("played", "truth"),
    [
        (hand_made(), RightAnswer(FailureType.ROW_LOCK, "db", "")),
        (
            hand_made(casts=[ROGUE_PROMOTION], automation=[INNOCENT, DEPLOY_BOT]),
            RightAnswer(FailureType.ROGUE_DEPLOY_BOT, "cart", "deploy_bot"),
        ),
        (
            hand_made(casts=[{"cause": "tight_threshold"}]),
            RightAnswer(FailureType.FALSE_ALARM, "", ""),
        ),
    ],
    ids=["a fault", "a guilty agent", "a false alarm"],
)
def test_the_truth_is_the_cause_where_it_is_mended_and_who_did_it(
    played: Scenario, truth: RightAnswer
) -> None:
    assert truth_of(played) == truth


def test_every_incident_but_a_false_alarm_has_a_place() -> None:
    for source in built_in():
        truth = truth_of(Scenario.of(source, 0))
        assert bool(truth.place) is (truth.cause is not FailureType.FALSE_ALARM), source.id


@given(st.sets(st.integers(0, 2**32 - 1), min_size=1, max_size=4), st.integers(1, 5))
def test_seeds_to_learn_from_are_never_those_that_are_played(
    seeds: set[int], training: int
) -> None:
    plan = StudyPlan(tuple(seeds), training)
    learned = [scenario.seed for scenario in plan.known(PAYING)]
    assert len(set(learned)) == training
    assert not seeds & set(learned)


def test_seeds_to_learn_from_step_aside_where_they_are_played() -> None:
    first = StudyPlan((0,), 3).known(PAYING)[1].seed
    assert first not in [scenario.seed for scenario in StudyPlan((first,), 3).known(PAYING)]


def test_the_commonest_answer_is_counted_in_each_situation() -> None:
    """Four scenarios with two pages; two of the three with the first have the same truth."""
    scenarios = [
        scenario("first-shift-1-product-pages", 1),
        scenario("first-shift-1-product-pages", 2),
        scenario("first-shift-2-carts-fail", 1),
        scenario("first-shift-4-slow-payments", 1),
    ]
    assert [situation_of(one) for one in scenarios] == [
        "storefront/site_success",
        "storefront/site_success",
        "storefront/site_success",
        "storefront/checkout_success",
    ]
    assert commonest_share(scenarios) == 0.75
    assert commonest_share([]) == 0.0


def test_a_game_that_nobody_plays_is_lost() -> None:
    game = play(Scenario.of(PAYING, 0), {})
    assert not game.resolved
    assert game.reward < 0
    assert (game.scenario, game.seed) == ("paying-ends-in-an-error", 0)
    assert game.duties < 0.0, "status updates that nobody sends cost"


def test_work_is_done_for_each_incident_in_order() -> None:
    sources = (open_scenario("paying-ends-in-an-error"), open_scenario("errors-come-and-go"))
    asked: list[str] = []

    def spread(function: Callable[[Any], Any], items: Sequence[ScenarioSource]) -> Iterator[Any]:
        asked.extend(source.id for source in items)
        return map(function, items)

    study = Study(sources, StudyPlan((4, 5)), spread)
    found = study.gather(lambda plan, source: [(source.id, s.seed) for s in plan.scenarios(source)])
    assert found == [
        ("paying-ends-in-an-error", 4),
        ("paying-ends-in-an-error", 5),
        ("errors-come-and-go", 4),
        ("errors-come-and-go", 5),
    ]
    assert asked == ["paying-ends-in-an-error", "errors-come-and-go"]
