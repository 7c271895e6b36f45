"""What a termination is said to end, from the state that the role knows."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.env.models.readings import Cell, Column, Table, TableKind
from chaosops.play.action_form.objects import moves_at
from chaosops.play.action_form.terminating import ends_words
from tests.env.situations import scenario

SRE = AgentRole.SRE
GONE = "what they would show is gone"


def looked(*sources: str) -> RoleView:
    """What the SRE sees of a row lock after looks at db, at once."""
    env = ChaosOpsEnvironment()
    env.reset(scenario("checkout-times-out", "row_lock"))
    for source in sources:
        seen = env.step(ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": source}))
        while seen.turn_role is not SRE:
            seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    return env.view_of(SRE)


def with_sessions(*rows: tuple[Cell, ...]) -> RoleView:
    """What the SRE sees after a look that lists these sessions: pid, app, age, blocked by."""
    view = looked("runtime")
    columns = tuple(map(Column, ("pid", "app", "transaction age", "blocked by")))
    table = Table("table", "sessions", columns, rows, TableKind.SESSIONS)
    finding = view.findings[0]
    assert finding.reading is not None
    reading = finding.reading._replace(parts=(table,))
    return view.model_copy(update={"findings": (finding._replace(reading=reading),)})


def test_before_a_look_it_says_what_such_a_service_has_to_end() -> None:
    view = looked()
    kinds = {node.kind.value: ends_words(view, node.name) for node in view.graph}
    assert kinds["database"] == f"ends the sessions and transactions that hold others up; {GONE}"
    assert kinds["app"] == f"ends the processes and jobs that hold the others up; {GONE}"
    assert kinds["queue"] == f"ends the consumers that hold a partition up; {GONE}"
    assert kinds["cache"] == ""


def test_after_a_look_it_names_the_session_that_others_wait_for() -> None:
    view = looked("runtime")
    reading = view.findings[0].reading
    assert reading is not None
    table = reading.table(TableKind.SESSIONS)
    assert table is not None
    idle = [row for row in table.rows if row[3] == "idle in transaction"]
    head = max(idle, key=lambda row: float(str(row[5])))
    said = ends_words(view, "db")
    assert said.startswith(f"ends session {head[0]} ({head[1]}, a transaction of ")
    assert said.endswith(f"listed sessions wait; {GONE}")
    (move,) = (move for move in moves_at(view, "db") if move.label == "terminate")
    assert move.does == said


def test_a_look_at_something_else_names_no_session() -> None:
    view = looked("logs")
    assert ends_words(view, "db") == ends_words(looked(), "db")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((), "its sessions, of which none held another up when you looked"),
        (
            ((1, "cart", 0.2, None),),
            "its sessions, of which none held another up when you looked",
        ),
        (
            ((1, "psql", 90.4, None), (2, "cart", 3.0, "1")),
            "session 1 (psql, a transaction of 90 s), for which 1 other waits",
        ),
        (
            ((1, "psql", 300.0, None), (2, "cart", 3.0, "1"), (3, "cart", 2.0, "2")),
            "session 1 (psql, a transaction of 5 min), for which 2 listed sessions wait",
        ),
        (
            ((1, "a", 5.0, "2"), (2, "b", 6.0, "1")),
            "session 1 (a, a transaction of 5 s), for which 2 listed sessions wait",
        ),
        (((2, "b", 6.0, "77"),), "session 77, for which 1 other waits"),
    ],
)
def test_it_names_who_stands_at_the_head_of_those_that_wait(
    rows: tuple[tuple[Cell, ...], ...], said: str
) -> None:
    assert ends_words(with_sessions(*rows), "db") == f"ends {said}; {GONE}"
