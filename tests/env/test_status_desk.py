"""When status updates are due, how they are drafted, and what contradicts them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    CauseFamily,
    FrozenMap,
    InFlight,
    Journey,
    NextStep,
    Trend,
    UpdateContent,
    UpdatePoint,
)
from chaosops.env.models.updates import SHARES, families_of
from chaosops.env.models.verbs import ALL_CAUSES
from chaosops.env.status_desk import (
    DUE,
    OPEN_FOR,
    Plan,
    StatusDesk,
    UpdateFacts,
    contradicted,
    drafted,
    moves_at,
    next_turn_of,
)
from tests.env.situations import sources
from tests.worlds import scenario

MANAGER = AgentRole.MANAGER

HURT = UpdateFacts(
    journeys=(Journey("edge", 0.2, 0.1), Journey("realtime", 0.02, 0.02)),
    named=CauseFamily.NOT_KNOWN,
    place="db",
    looked=frozenset({"db"}),
    under_way=False,
    fixed=False,
)
TRUE = UpdateContent("edge", 20, Trend.RISING, CauseFamily.NOT_KNOWN, "db", NextStep.INVESTIGATE)

shares = st.floats(0.0, 1.0)
facts = st.builds(
    UpdateFacts,
    journeys=st.lists(st.builds(Journey, st.sampled_from("abc"), shares, shares), min_size=1).map(
        lambda found: tuple({each.service: each for each in found}.values())
    ),
    named=st.sampled_from(CauseFamily),
    place=st.sampled_from(["", "db"]),
    looked=st.just(frozenset({"db"})),
    under_way=st.booleans(),
    fixed=st.booleans(),
)


@given(facts)
def test_nothing_contradicts_what_is_drafted_from_the_facts(known: UpdateFacts) -> None:
    assert contradicted(drafted(known), known) is None


@given(facts, facts, st.permutations(list(UpdatePoint)))
def test_a_draft_is_out_of_date_in_one_point_at_most(
    now: UpdateFacts, before: UpdateFacts, points: list[UpdatePoint]
) -> None:
    before = before._replace(
        journeys=tuple(
            Journey(each.service, before.journeys[0].failed, before.journeys[0].before)
            for each in now.journeys
        )
    )
    desk = StatusDesk((Plan(5, tuple(p for p in points if p is not UpdatePoint.PLACE)),) * 3)
    desk.open(8, now, before)
    assert desk.due is not None
    draft, right = desk.due.draft, drafted(now)
    wrong = contradicted(draft, now)
    other = {name for name, value in draft._asdict().items() if value != getattr(right, name)}
    if wrong is None:
        assert draft == right
    else:
        assert other <= {wrong.value, "place"}
        assert wrong is UpdatePoint.CAUSE or other == {wrong.value}


def test_a_draft_follows_the_facts_but_for_the_point_that_is_out_of_date() -> None:
    before = HURT._replace(journeys=(Journey("edge", 0.5, 0.5), Journey("realtime", 0.02, 0.02)))
    desk = StatusDesk((Plan(5, (UpdatePoint.FAILED, UpdatePoint.TREND)), *(Plan(0, ()),) * 2))
    desk.open(8, HURT, before)
    assert desk.due is not None
    assert desk.due.draft == TRUE._replace(failed=50)
    later = HURT._replace(
        under_way=True, journeys=(Journey("edge", 0.04, 0.2), Journey("realtime", 0.02, 0.02))
    )
    desk.keep_drafted(later)
    assert desk.due.draft == TRUE._replace(failed=50, trend=Trend.FALLING, next=NextStep.FIX)
    current = StatusDesk((Plan(0, ()),) * 3)
    current.open(8, HURT, before)
    current.keep_drafted(later)
    assert current.due is not None
    assert contradicted(current.due.draft, later) is None


@pytest.mark.parametrize(
    ("change", "point"),
    [
        ({}, None),
        ({"journey": "realtime"}, UpdatePoint.JOURNEY),
        ({"failed": 15}, None),
        ({"failed": 10}, UpdatePoint.FAILED),
        ({"failed": 30}, UpdatePoint.FAILED),
        ({"trend": Trend.STEADY}, UpdatePoint.TREND),
        ({"trend": Trend.FALLING}, UpdatePoint.TREND),
        ({"cause": CauseFamily.NETWORK}, None),
        ({"place": ""}, None),
        ({"place": "cart"}, UpdatePoint.PLACE),
        ({"cause": CauseFamily.NETWORK, "place": "cart"}, None),
        ({"next": NextStep.FIX}, UpdatePoint.NEXT),
        ({"next": NextStep.WATCH}, UpdatePoint.NEXT),
    ],
)
def test_an_update_is_contradicted_in_its_first_wrong_point(
    change: dict[str, object], point: UpdatePoint | None
) -> None:
    assert contradicted(TRUE._replace(**change), HURT) is point  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "said", "point"),
    [
        ({"named": CauseFamily.DATA}, {}, UpdatePoint.CAUSE),
        ({"named": CauseFamily.DATA}, {"cause": CauseFamily.DATA}, None),
        ({"under_way": True}, {}, UpdatePoint.NEXT),
        ({"under_way": True}, {"next": NextStep.FIX}, None),
        ({"fixed": True}, {"next": NextStep.WATCH}, None),
        ({"fixed": True, "under_way": True}, {"next": NextStep.WATCH}, UpdatePoint.NEXT),
        ({"fixed": True}, {}, None),
    ],
)
def test_what_is_known_and_done_contradicts_an_update_that_says_otherwise(
    change: dict[str, object], said: dict[str, object], point: UpdatePoint | None
) -> None:
    known = HURT._replace(**change)  # type: ignore[arg-type]
    assert contradicted(TRUE._replace(**said), known) is point  # type: ignore[arg-type]


@given(shares)
def test_one_of_the_percentages_is_always_near_enough(failed: float) -> None:
    known = HURT._replace(journeys=(Journey("edge", failed, failed),))
    fitting = [
        percent
        for percent in SHARES
        if contradicted(TRUE._replace(failed=percent, trend=Trend.STEADY), known) is None
    ]
    assert fitting


def test_a_fix_is_under_way_until_it_lands_and_in_place_from_then_on() -> None:
    item = InFlight(AgentRole.SRE, ActionType.RESTART, "db", FrozenMap(), 4, 6)
    pause = InFlight(AgentRole.OVERSIGHT, ActionType.PAUSE, "bot", FrozenMap(), 5, 5)
    call = InFlight(MANAGER, ActionType.ESCALATE, "db", FrozenMap(), 1, 3)
    assert [moves_at(minute, [item, call]) for minute in (3, 4, 5, 6)] == [
        (False, False),
        (True, False),
        (True, False),
        (False, True),
    ]
    assert moves_at(5, [pause]) == (False, True)


@pytest.mark.parametrize("minute", range(12))
def test_the_next_turn_of_a_role_is_the_first_that_is_its_own(minute: int) -> None:
    at = next_turn_of(MANAGER, minute)
    assert 0 <= at - minute < len(TURN_ORDER)
    assert TURN_ORDER[at % len(TURN_ORDER)] is MANAGER


def test_an_update_is_late_after_the_managers_next_turn_and_closes_eight_turns_later() -> None:
    desk = StatusDesk((Plan(0, ()),) * len(DUE))
    for minute in DUE:
        desk.open(minute, HURT, HURT)
        assert desk.due is not None
        assert (desk.due.late, desk.due.closes) == (minute + 4, minute + 4 + OPEN_FOR)
        assert [desk.turns_late(at) for at in (minute, minute + 4, minute + 7)] == [0, 0, 3]


def test_plans_are_drawn_by_the_seed_and_four_in_ten_are_out_of_date() -> None:
    situation = scenario("checkout-times-out")
    plans = [
        StatusDesk.of(replace(situation, seed=seed)).plan(minute)
        for seed in range(60)
        for minute in DUE
    ]
    again = [
        StatusDesk.of(replace(situation, seed=seed)).plan(minute)
        for seed in range(60)
        for minute in DUE
    ]
    assert plans == again
    aged = [plan.age for plan in plans if plan is not None and plan.age]
    assert 0.3 <= len(aged) / len(plans) <= 0.5
    assert set(aged) == {5, 6, 7, 8, 9}
    assert StatusDesk.of(situation).plan(9) is None


def test_every_built_in_cause_is_told_by_the_family_of_its_folder() -> None:
    families = set(CauseFamily)
    for source in sources():
        assert source.drawing is not None
        for cause in source.drawing.causes.values():
            assert cause.family in families
            assert CauseFamily(cause.family) in families_of(cause.diagnosis), cause.id


def test_every_cause_has_a_family_and_an_authors_own_has_another() -> None:
    for cause in ALL_CAUSES:
        assert CauseFamily.OTHER not in families_of(cause)
    assert families_of("stuck_conveyor") == (CauseFamily.OTHER,)
