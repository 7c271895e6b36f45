"""What a person has missed since their last turn."""

from __future__ import annotations

import re

from chaosops.agents.runner import Stepper
from chaosops.play.turn_digest import TurnDigest, turn_digest
from tests.worlds import DEV, OVERSIGHT, SRE, Move, hand_made, move, play
from tui.plain.board import digest_lines


def _digest(moves: dict[int, Move], turns: int = 4, late: tuple[int, ...] = ()) -> TurnDigest:
    stepper = _played(moves, turns)
    return turn_digest(stepper.steps, stepper.observation, late)


def _played(moves: dict[int, Move], turns: int = 4) -> Stepper:
    return play(hand_made(), moves, turns=turns)


def test_the_news_begins_with_what_the_turns_paid_by_component() -> None:
    stepper = _played({})
    told = turn_digest(stepper.steps, stepper.observation)
    assert told.heading == "Since your last turn"
    assert told.lines[0].startswith("Points -")
    assert "time -8.0, impact -" in told.lines[0]


def test_a_cost_stands_first_in_the_headline_however_much_comes_after_it() -> None:
    told = _digest(
        {0: move("restart", "cart"), 1: move("investigate", "compactor", source="automation")}
    )
    assert told.headline.startswith("SRE: restart cart, lands in 1 min (wrong fix -25.0: ")
    assert told.headline.endswith(
        "Oversight looked at automation of compactor. Dev and Manager passed."
    )


def test_those_who_passed_are_told_in_one_line_beside_what_happened() -> None:
    told = _digest({0: move("investigate", "db", source="runtime")})
    assert "Oversight, Dev and Manager passed" in told.lines
    assert any(line.startswith("Found at db, runtime: ") for line in told.lines)
    assert "Found at db" in told.headline


def test_a_turn_that_ran_out_of_time_is_told_as_such() -> None:
    lost = "SRE: time ran out, the turn passed"
    told = _digest({}, late=(0,))
    assert lost in told.lines
    assert told.headline.startswith(lost)
    assert "Oversight, Dev and Manager passed" in told.lines
    stepper = _played({})
    assert f"- {lost}" in digest_lines(stepper.steps, stepper.observation, (0,))


def test_what_has_landed_since_is_told_once() -> None:
    moves = {0: move("drain", "cart")}
    landed = "Landed: drain cart (SRE): errors "
    assert len([line for line in _digest(moves).lines if line.startswith(landed)]) == 1
    assert not any(line.startswith(landed) for line in _digest(moves, turns=8).lines)


def test_plain_mode_tells_the_same_costs_and_landings() -> None:
    stepper = _played({0: move("restart", "cart")})
    lines = "\n".join(digest_lines(stepper.steps, stepper.observation))
    assert "wrong fix -25.0: restart cart did not help here" in lines
    assert "Landed: restart cart (SRE)" in lines
    assert "- Points -" in lines


def test_the_first_turn_of_the_game_has_the_page_for_news() -> None:
    stepper = _played({}, turns=0)
    told = turn_digest(stepper.steps, stepper.observation)
    assert told == TurnDigest(
        "The page", (stepper.observation.message,), stepper.observation.message
    )


def test_a_seat_that_has_not_played_yet_hears_of_all_turns_before_it() -> None:
    told = turn_digest(*_seat_after(2))
    assert "SRE and Oversight passed" in told.lines


def _seat_after(turns: int):
    stepper = _played({}, turns)
    assert stepper.role is DEV
    assert {step.role for step in stepper.steps} == {SRE, OVERSIGHT}
    return stepper.steps, stepper.observation


def test_a_wrong_fix_is_told_as_of_who_ordered_it_and_not_of_who_passed_then() -> None:
    told = _digest({0: move("drain", "cart")})
    line = "wrong fix -25.0: SRE's drain cart did not help here"
    assert line in told.lines
    assert "Oversight, Dev and Manager passed" in told.lines


def test_a_landing_tells_what_users_have_since() -> None:
    (line,) = (each for each in _digest({0: move("drain", "cart")}).lines if "Landed" in each)
    assert re.search(r"; users (still \d+\.\d|\d+\.\d to \d+\.\d) %$", line)
