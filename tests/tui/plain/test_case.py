"""The case board in the plain mode."""

from __future__ import annotations

import pytest

from chaosops.env.models import AgentRole
from tests.tui.plain.test_instruments import session
from tests.tui.plain_games import played

SRE = AgentRole.SRE


def test_causes_are_listed_marked_and_pinned_and_told_again() -> None:
    game = session(SRE)
    said = played(
        game, "look runtime db", "case db", "case db + row lock", "case db pin 1 row lock", "case"
    )
    assert "- row lock: A transaction that was left open" in said
    assert "db: row lock (+) speaks for it." in said
    ((service, cause, noted),) = game.board.marks()
    assert (service, cause, len(noted.pins)) == ("db", "row_lock", 1)
    assert "db: row lock (+) speaks for it, runtime of db at " in said


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("typed", "cure"),
    [
        ("case nowhere", "no service 'nowhere'"),
        ("case db + nonsense", "no cause 'nonsense' fits db"),
        ("case db = row lock", "'=' marks nothing"),
        ("case db pin 7 row lock", "no finding '7'"),
    ],
)
def test_what_makes_no_sense_is_told_with_the_cure_and_costs_no_turn(typed: str, cure: str) -> None:
    game = session(SRE)
    said = played(game, typed)
    assert cure.lower() in said.lower()
    assert not game.board.marks()
