"""What happened in a turn is told with its effect, and what waits with its time."""

from __future__ import annotations

from chaosops.env.models import (
    EMPTY,
    ActionType,
    AgentRole,
    ApprovalRequest,
    Credit,
    Landing,
    RoleView,
)
from chaosops.env.models.duties import PaidFor
from chaosops.env.models.effects import Measured
from chaosops.play.costs import ordered
from chaosops.play.happenings import happened, landing_words
from chaosops.play.turn_digest import turn_digest
from chaosops.play.waiting import waiting
from tests.worlds import SRE, hand_made, move, play

SEEN = play(hand_made(), {}, turns=4).observation.view
LANDING = Landing(
    4,
    AgentRole.DEV,
    ActionType.RESTART,
    "cart",
    (Measured("errors", "%", 38.0, 35.0), Measured("p95", "ms", 430.0, 410.0)),
)
REQUEST = ApprovalRequest(2, SRE, ActionType.FAILOVER, "db", EMPTY, 3, 11)


def told(**changes: object) -> list[str]:
    return [f"{each.mark} {each.text}" for each in happened(SEEN, SEEN._replace(**changes))]


def at(minute: int, view: RoleView = SEEN) -> RoleView:
    return view._replace(status=view.status._replace(minute=minute))


def test_nothing_is_told_where_nothing_changed() -> None:
    assert happened(SEEN, SEEN) == []


def test_a_landing_is_told_with_what_was_measured_and_never_with_a_verdict() -> None:
    assert told(landings=(*(SEEN.landings or ()), LANDING)) == [
        "↓ landed: restart cart (Dev): errors 38 to 35 %, p95 430 to 410 ms"
    ]


def test_a_request_is_told_with_who_asks_and_when_it_lapses() -> None:
    (line,) = told(requests=(REQUEST,))
    assert line.startswith("? request 2 by SRE waits for the Manager: failover db, lapses ")


def test_the_objective_and_the_hold_are_told_when_they_are_passed() -> None:
    status = SEEN.status
    well = status._replace(users_ok=1.0, held=status.hold)
    ill = status._replace(users_ok=0.5, held=0)
    assert [each.text for each in happened(at(4)._replace(status=ill), SEEN._replace(status=well))]
    back = happened(SEEN._replace(status=ill), SEEN._replace(status=well))
    assert [each.text for each in back] == [
        "availability is back at the objective",
        "users have been well for the hold",
    ]
    (fall,) = happened(SEEN._replace(status=well), SEEN._replace(status=ill))
    assert fall.text == "availability is below the objective"


def test_a_request_waits_with_the_minutes_that_are_left() -> None:
    (line,) = waiting(at(6, SEEN._replace(requests=(REQUEST,), due=None)), ())
    assert line == "? request 2 waits for the Manager: failover db (SRE), lapses in 5 min"


def test_an_update_is_due_and_then_overdue() -> None:
    due = play(hand_made(), {}, turns=9).observation.view
    assert due.due is not None
    late = due.due.late
    (soon,) = waiting(at(late - 2, due), ())
    assert soon == "✎ the Manager owes a status update, late in 2 min"
    (now,) = waiting(at(late, due), ())
    assert now == "! the Manager's status update is overdue"
    (over,) = waiting(at(late + 3, due), ())
    assert over == "! the Manager's status update is overdue by 3 min"


def test_a_cost_is_told_with_who_ordered_it_and_when() -> None:
    credit = Credit(PaidFor.WRONG_FIX, -25.0, AgentRole.DEV, 2, 4, "cart")
    after = SEEN._replace(paid=(*(SEEN.paid or ()), credit))
    by = ordered("wrong_fix_penalty", SEEN, after)
    assert by.startswith("Dev, ")
    assert ordered("approval_penalty", SEEN, after) == ""
    assert ordered("wrong_fix_penalty", SEEN, None) == ""


def test_a_landing_since_the_last_turn_is_told_with_its_effect() -> None:
    stepper = play(hand_made(), {0: move("drain", "cart")}, turns=4)
    lines = turn_digest(stepper.steps, stepper.observation).lines
    (landed,) = (line for line in lines if line.startswith("Landed: "))
    assert landed.startswith("Landed: drain cart (SRE): errors ")
    assert " to " in landed


def test_a_landing_names_what_did_not_change_and_tells_what_users_had_before_and_after() -> None:
    still = LANDING._replace(
        measured=(Measured("errors", "%", 0.0, 0.0), Measured("p95", "ms", 11.0, 16.0))
    )
    status = SEEN.status
    before = SEEN._replace(status=status._replace(minute=3, users_ok=0.949))
    after = SEEN._replace(
        status=status._replace(minute=4, users_ok=0.998),
        landings=(*(SEEN.landings or ()), still),
    )
    assert [each.text for each in happened(before, after) if each.mark == "↓"] == [
        "landed: restart cart (Dev): p95 11 to 16 ms, no change in errors; users 94.9 to 99.8 %"
    ]


def test_what_users_had_is_told_only_if_it_was_seen_before_and_after() -> None:
    status = SEEN.status
    around = [status._replace(minute=minute, users_ok=0.9) for minute in (3, 4)]
    bare = LANDING._replace(measured=())
    assert landing_words(bare, around) == "restart cart (Dev): users still 90.0 %"
    assert landing_words(bare, around[1:]) == landing_words(bare) == "restart cart (Dev)"
