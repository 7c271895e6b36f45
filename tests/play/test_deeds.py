"""Deeds are told with who ordered them, when, and what they were about."""

from __future__ import annotations

from chaosops.agents.runner import Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, PaidFor
from chaosops.play.deeds import deed_words
from tests.worlds import hand_made, move, play, scenario


def test_a_diagnosis_is_told_with_its_cause_and_a_fix_with_its_target() -> None:
    named = move("diagnose", None, cause="row_lock", place="db", stake="certain")
    other = move("diagnose", None, cause="pool_exhausted", place="cart", stake="certain")
    moves = {0: other, 2: move("restart", "cart"), 4: named, 8: move("terminate", "db")}
    game = play(hand_made(max_steps=12), moves)
    assert [line.split(": ")[0] for line in deed_words(game.steps, game.observation.view)] == [
        "wrong fix -25.0",
        "diagnosis changed -5.0",
        "right diagnosis +30.0",
    ]
    fix, changed, right = deed_words(game.steps, game.observation.view)
    assert fix.endswith(", cart")
    assert " Dev, " in fix
    assert changed.endswith("row lock at db")
    assert right.endswith("row lock at db")


def test_a_request_that_nobody_answered_is_told_as_one_that_lapsed() -> None:
    for seed in range(12):
        played = scenario("errors-across-teams", seed)
        stepper = Stepper(ChaosOpsEnvironment(), played)
        seats = seat_policies(dict.fromkeys(TURN_ORDER, "noop"), played)
        while not stepper.done:
            stepper.take(seats[stepper.role](stepper.observation, stepper.role))
        view = stepper.observation.view
        lapsed = [each for each in view.paid or () if each.component is PaidFor.GRANT]
        told = [line for line in deed_words(stepper.steps, view) if line.startswith("grant ")]
        assert len(told) == len(lapsed)
        for line, credit in zip(told, lapsed, strict=True):
            assert line.startswith("grant -15.0: Oversight, ")
            assert f" by {credit.target} (" in line
            assert line.endswith("lapsed, and would have helped")
        if told:
            return
    raise AssertionError("no request that would have helped lapsed in twelve games")
