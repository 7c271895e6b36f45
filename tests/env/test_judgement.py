"""A landing is judged by what fails with it and without, and by nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.env.judgement import Judge, judge
from chaosops.env.models import ActionType
from chaosops.env.world import World
from tests.env.situations import in_flight, sampled_cases, scenario, world


def _world(cause: str) -> World:
    return world(scenario("checkout-times-out", cause)).world


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), sampled_cases())
def test_what_clears_a_cause_is_never_wrong_and_what_tempts_is(source: str, cause: str) -> None:
    made = scenario(source, cause)
    incident = made.incident
    for spec in incident.faults[0].clears:
        at_page = world(made).world
        at_page.paused = frozenset(agent.name for agent in incident.automation)
        verdict = judge(
            at_page, in_flight(at_page, spec.action, spec.target or "", **spec.arguments())
        )
        assert verdict.cleared
        assert not verdict.is_wrong
    for move in incident.tempting:
        at_page = world(made).world
        verdict = judge(
            at_page, in_flight(at_page, move.action, move.target or "", **move.arguments())
        )
        assert not verdict.cleared, move.action
        assert verdict.is_wrong, (move.action, move.target, verdict.without, verdict.with_it)


def test_a_rollback_of_another_change_clears_nothing_and_costs() -> None:
    made = scenario("sign-in-errors", "bad_release")
    at_page = world(made).world
    target = made.incident.faults[0].clears[0].target or ""
    verdict = judge(at_page, in_flight(at_page, ActionType.ROLLBACK, target, change="r1"))
    assert not verdict.cleared
    assert verdict.with_it > verdict.without


def test_a_landing_is_judged_by_ten_minutes_with_it_and_without() -> None:
    made = _world("row_lock")
    item = in_flight(made, ActionType.RESTART, "search")
    verdict = judge(made, item)
    without, with_it = made.fork(), made.fork()
    without.in_flight.clear()
    assert verdict.without == without.failing(10)
    assert verdict.with_it == with_it.failing(10)
    assert verdict.is_wrong == (verdict.with_it > 0.98 * verdict.without)


def test_a_judge_of_many_landings_says_what_each_says_alone() -> None:
    """Also for landings that overlap, and where agents are paused in between."""
    made, many = _world("row_lock"), Judge()
    said = []
    for verb, target, args, passing in (
        (ActionType.RESTART, "search", {}, 1),
        (ActionType.SCALE, "cart", {"replicas": 8}, 2),
        (ActionType.SHED_LOAD, "edge", {"percent": 50}, 3),
        (ActionType.RESTART, "db", {}, 0),
        (ActionType.RESTART, "cart", {}, 12),
        (ActionType.TERMINATE, "db", {}, 1),
        (ActionType.RESTART, "db", {}, 1),
    ):
        item = in_flight(made, verb, target, **args)
        alone = judge(made, item).is_wrong
        assert many.is_wrong(made, item) is alone, (verb, target)
        said.append(alone)
        for _minute in range(passing):
            made.advance()
    assert set(said) == {True, False}


def test_what_lands_unjudged_is_part_of_what_comes_next() -> None:
    """Giving back what was shed is never judged, and changes what the next landing meets."""
    made, many = _world("row_lock"), Judge()
    first = in_flight(made, ActionType.SHED_LOAD, "edge", percent=50)
    many.is_wrong(made, first)
    many.take_in([first])
    made.advance()
    back = in_flight(made, ActionType.SHED_LOAD, "edge", percent=0)
    many.take_in([back])
    made.advance()
    item = in_flight(made, ActionType.SHED_LOAD, "edge", percent=25)
    assert many.is_wrong(made, item) is judge(made, item).is_wrong
    assert many.outlook is not None
    many.take_in([])
    assert many.outlook is not None
    many.take_in([back])
    assert many.outlook is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from([ActionType.RESTART, ActionType.DRAIN, ActionType.ROLLBACK]),
            st.sampled_from(["db", "cart", "search", "checkout"]),
            st.integers(1, 3),
            st.integers(0, 4),
        ),
        min_size=2,
        max_size=6,
    )
)
@settings(max_examples=15)
def test_a_judge_always_says_what_a_fresh_one_says(
    moves: list[tuple[ActionType, str, int, int]],
) -> None:
    made, many = _world("slow_disk"), Judge()
    for verb, target, later, passing in moves:
        in_flight(made, verb, target, lands_in=later)
        for _minute in range(passing):
            for item in [item for item in made.in_flight if item.lands <= made.minute + 1]:
                assert many.is_wrong(made, item) is Judge().is_wrong(made, item)
            made.advance()
