"""Status updates in an episode: due, true or not, late, and what they cost and do."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.agents.updating import amended, known_facts
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    ActionType,
    AgentRole,
    CauseFamily,
    ChaosOpsAction,
    NextStep,
    PaidFor,
    UpdateContent,
    UpdatePoint,
)
from chaosops.env.status_desk import CALM_FOR, contradicted, drafted
from tests.env.situations import scenario, seeds_by_cause
from tests.env.test_living_episode import MANAGER, OVERSIGHT, SRE, Game

FIRST = 8


def opened(name: str = "checkout-times-out", cause: str = "row_lock") -> Game:
    """A game in which the first update is due and it is the Manager's turn."""
    game = Game(scenario(name, cause))
    game.pass_(FIRST + 3)
    assert game.seen.turn_role is MANAGER
    assert game.seen.view.due is not None
    return game


def true_update(game: Game, **changed: Any) -> dict[str, Any]:
    """The arguments of an update that the figures bear out, with some of them changed."""
    facts = known_facts(game.env.view_of(MANAGER))
    assert facts is not None
    return drafted(facts)._replace(**changed).args()


def send(game: Game, **changed: Any) -> None:
    game.take(MANAGER, ActionType.UPDATE, None, **true_update(game, **changed))


def costs(game: Game) -> list[tuple[float, str]]:
    return [(credit.amount, credit.target) for credit in game.paid(PaidFor.STATUS_UPDATE)]


def test_an_update_can_be_sent_only_while_it_is_due() -> None:
    game = Game(scenario("checkout-times-out", "row_lock"))
    offered = []
    for _turn in range(FIRST + 4):
        view = game.env.view_of(MANAGER)
        offered.append(any(c.action_type is ActionType.UPDATE for c in view.allowed))
        assert offered[-1] is (view.due is not None)
        game.pass_()
    assert offered == [False] * FIRST + [True] * 4
    send(game)
    assert game.env.view_of(MANAGER).due is None
    seen = game.env.step(ChaosOpsAction(game.seen.turn_role, ActionType.UPDATE))
    assert seen.refused


def test_a_true_update_costs_nothing_and_says_so_in_every_view() -> None:
    game = opened()
    send(game)
    assert costs(game) == []
    (sent,) = game.seen.view.updates or ()
    assert (sent.minute, sent.due, sent.calms) == (11, FIRST, True)
    assert game.env.view_of(SRE).updates == game.seen.view.updates


@pytest.mark.parametrize(
    ("changed", "point"),
    [
        ({"failed": 100}, UpdatePoint.FAILED),
        ({"next": NextStep.FIX}, UpdatePoint.NEXT),
        ({"place": "cart"}, UpdatePoint.PLACE),
    ],
)
def test_an_untrue_one_costs_ten_at_once_and_names_the_point(
    changed: dict[str, Any], point: UpdatePoint
) -> None:
    game = opened()
    send(game, **changed)
    assert costs(game) == [(-10.0, point.value)]
    assert game.rewards[-1] <= -12.0
    (sent,) = game.seen.view.updates or ()
    assert not sent.calms
    game.to_the_end()
    assert (-10.0, point.value) in costs(game)
    assert costs(game).count((-10.0, point.value)) == 1


def test_a_late_one_costs_two_for_each_turn_and_a_missed_one_eight_of_them() -> None:
    game = opened()
    game.pass_(4)
    assert game.seen.view.status.minute == 15
    send(game)
    assert costs(game) == [(-6.0, "late")]
    other = opened()
    other.pass_(FIRST)
    assert other.seen.view.status.minute == 19
    assert costs(other) == []
    other.pass_()
    assert costs(other) == [(-16.0, "late")]
    assert other.seen.view.due is None


def test_one_that_is_late_when_the_incident_ends_is_charged_up_to_then() -> None:
    made = scenario("checkout-times-out", "row_lock")
    env = ChaosOpsEnvironment()
    seen = env.reset(made)
    while not seen.done:
        told = amended(seen.view) if seen.view.status.minute < 40 else None
        seen = env.step(told or ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    late = [credit for credit in seen.view.paid or () if credit.target == "late"]
    ends = seen.view.status.minute
    expected = [-2.0 * min(8, ends - 44)] if ends > 44 else []
    assert [credit.amount for credit in late] == expected
    assert seen.view.due is None


@pytest.mark.parametrize(
    ("cause", "place", "cost"),
    [
        (CauseFamily.DATABASE_WAITS, "db", None),
        (CauseFamily.DATABASE_WAITS, "", None),
        (CauseFamily.DATABASE_WAITS, "cart", "place"),
        (CauseFamily.NETWORK, "db", "cause"),
    ],
)
def test_what_is_said_of_the_cause_is_judged_at_the_end_alone(
    cause: CauseFamily, place: str, cost: str | None
) -> None:
    game = opened()
    send(game, cause=cause, place=place)
    assert costs(game) == []
    (sent,) = game.seen.view.updates or ()
    assert sent.calms
    game.pass_(8)
    assert costs(game) == []
    game.to_the_end()
    judged = [(amount, target) for amount, target in costs(game) if target != "late"]
    assert judged == ([] if cost is None else [(-10.0, cost)])


def test_nobody_learns_from_an_update_whether_its_cause_is_right() -> None:
    told = []
    for cause in (CauseFamily.DATABASE_WAITS, CauseFamily.NETWORK):
        game = opened()
        send(game, cause=cause, place="")
        game.pass_(12)
        view = game.seen.view._replace(updates=())
        told.append((game.seen.message, game.rewards, view))
    assert told[0] == told[1]


def test_not_known_is_untrue_once_somebody_has_diagnosed_a_cause() -> None:
    game = Game(scenario("checkout-times-out", "row_lock"))
    game.take(SRE, ActionType.DIAGNOSE, None, cause="row_lock", place="db")
    game.pass_(10)
    send(game, cause=CauseFamily.NOT_KNOWN, place="")
    assert costs(game) == [(-10.0, "cause")]


def reloads(game: Game, minutes: int) -> list[float]:
    found = []
    for _minute in range(minutes):
        world: Any = game.env._episode._world  # type: ignore[union-attr]
        parts = world.world.mesh.parts
        found.append(next(part.reloading for part in parts if part.name == "people"))
        game.pass_()
    return found


def test_a_true_update_lets_a_third_fewer_users_reload_for_ten_minutes() -> None:
    calm, silent, untrue = opened(), opened(), opened()
    send(calm)
    silent.pass_()
    send(untrue, failed=100)
    after, without, with_lie = (reloads(game, 16) for game in (calm, silent, untrue))
    assert with_lie == without
    assert after[0] < without[0]
    halved = after[CALM_FOR - 2] / without[CALM_FOR - 2]
    assert 0.55 < halved < 0.75
    assert after[-1] / without[-1] > 0.9


def test_a_fork_keeps_what_is_due_and_goes_its_own_way() -> None:
    game = opened()
    twin = game.env.fork()
    send(game)
    assert twin.view_of(MANAGER).due is not None
    assert twin.view_of(MANAGER).updates == ()
    sent = twin.step(ChaosOpsAction(MANAGER, ActionType.UPDATE, None, true_update(game)))
    assert not sent.refused


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"failed": 101}, "'failed' of update is one of"),
        ({"failed": "20"}, "'failed' of update is one of"),
        ({"failed": True}, "'failed' of update is one of"),
        ({"trend": "up"}, "'trend' of update is one of"),
        ({"journey": "db"}, "'journey' of update is one of"),
        ({"cause": "gremlins"}, "'cause' of update is one of"),
        ({"next": None}, "update needs the argument 'next'"),
        ({"mood": "fine"}, "update has no argument 'mood'"),
        ({"place": "nowhere"}, "'place' of update is one of"),
    ],
)
def test_an_update_that_is_none_costs_the_turn_and_says_why(
    changed: dict[str, Any], words: str
) -> None:
    game = opened()
    args = {**true_update(game), **changed}
    seen = game.env.step(ChaosOpsAction(MANAGER, ActionType.UPDATE, None, args))
    assert seen.refused
    assert words in seen.message
    assert seen.view.updates == ()
    assert seen.view.due is not None


def test_nobody_but_the_manager_sends_one() -> None:
    game = Game(scenario("checkout-times-out", "row_lock"))
    game.pass_(9)
    assert game.seen.turn_role is OVERSIGHT
    seen = game.env.step(ChaosOpsAction(OVERSIGHT, ActionType.UPDATE, None, true_update(game)))
    assert seen.refused


def test_the_manager_sees_how_users_fare_where_they_come_in() -> None:
    game = Game(scenario("figures-hours-old", next(iter(seeds_by_cause("figures-hours-old")))))
    before: list[tuple[float, ...]] = []
    for _turn in range(12):
        impact = game.env.view_of(MANAGER).impact
        assert impact is not None
        services = [each.service for each in impact.journeys]
        entries = game.env._scenario.topology.entries  # type: ignore[union-attr]
        assert services == [entry.service for entry in entries]
        before.append(tuple(each.failed for each in impact.journeys))
        if len(before) > 5:
            assert tuple(each.before for each in impact.journeys) == before[-6]
        game.pass_()
    assert {len(row) for row in before} == {2}


@pytest.mark.slow
def test_a_draft_is_now_and_then_out_of_date_and_always_can_be_put_right() -> None:
    drafts, wrong = 0, 0
    for cause in seeds_by_cause("checkout-times-out"):
        game = Game(scenario("checkout-times-out", cause))
        while not game.seen.done:
            view = game.seen.view
            facts = known_facts(view)
            if view.role is MANAGER and view.due is not None and facts is not None:
                drafts += 1
                wrong += contradicted(view.due.draft, facts) is not None
                put_right = amended(view)
                assert put_right is not None
                assert contradicted(UpdateContent.of(put_right.args), facts) is None
            game.pass_()
    assert drafts >= 20
    assert 0 < wrong < drafts


def test_the_role_that_amends_changes_no_more_than_what_is_wrong() -> None:
    game = opened()
    view = game.seen.view
    facts = known_facts(view)
    assert facts is not None
    assert view.due is not None
    right = view.due._replace(draft=drafted(facts)._replace(cause=CauseFamily.DATA, place="db"))
    action = amended(view._replace(due=right))
    assert action is not None
    assert UpdateContent.of(action.args) == right.draft
    assert action.role is AgentRole.MANAGER
