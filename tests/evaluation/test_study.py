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
from tests.worlds import built_in

STALL = open_scenario("paying-ends-in-an-error")


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        (
            "errors-across-teams",
            RightAnswer(FailureType.ROGUE_DEPLOY_BOT, "payments", "deploy_bot"),
        ),
        ("paying-ends-in-an-error", RightAnswer(FailureType.DB_DEADLOCK, "db", "")),
        ("site-turns-users-away", RightAnswer(FailureType.FALSE_ALARM, "", "")),
    ],
)
def test_the_truth_is_the_cause_where_it_is_mended_and_who_did_it(
    name: str, truth: RightAnswer
) -> None:
    assert truth_of(Scenario.load(name)) == truth


def test_every_incident_but_a_false_alarm_has_a_place() -> None:
    for source in built_in():
        truth = truth_of(Scenario.of(source, 0))
        assert bool(truth.place) is (truth.cause is not FailureType.FALSE_ALARM), source.id


@given(st.sets(st.integers(0, 2**32 - 1), min_size=1, max_size=4), st.integers(1, 5))
def test_seeds_to_learn_from_are_never_those_that_are_played(
    seeds: set[int], training: int
) -> None:
    plan = StudyPlan(tuple(seeds), training)
    learned = [scenario.seed for scenario in plan.known(STALL)]
    assert len(set(learned)) == training
    assert not seeds & set(learned)


def test_seeds_to_learn_from_step_aside_where_they_are_played() -> None:
    first = StudyPlan((0,), 3).known(STALL)[1].seed
    assert first not in [scenario.seed for scenario in StudyPlan((first,), 3).known(STALL)]


def test_the_commonest_answer_is_counted_in_each_situation() -> None:
    """Four scenarios of two situations; two of the first have the same truth."""
    scenarios = [
        Scenario.load("paying-ends-in-an-error", 1),
        Scenario.load("paying-ends-in-an-error", 2),
        Scenario.load("errors-across-teams", 1),
        Scenario.load("figures-hours-old", 1),
    ]
    assert [situation_of(one) for one in scenarios] == [
        "storefront/checkout_success",
        "storefront/checkout_success",
        "storefront/checkout_success",
        "pipeline/intake_success",
    ]
    assert commonest_share(scenarios) == 0.75
    assert commonest_share([]) == 0.0


def test_a_game_that_nobody_plays_is_lost() -> None:
    game = play(Scenario.of(STALL, 0), {})
    assert not game.resolved
    assert game.reward < 0
    assert (game.scenario, game.seed, game.duties) == ("paying-ends-in-an-error", 0, 0.0)


def test_work_is_done_for_each_incident_in_order() -> None:
    sources = (open_scenario("paying-ends-in-an-error"), open_scenario("errors-come-and-go"))
    asked = []

    def spread(function, items):
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
