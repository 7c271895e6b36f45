"""Stars: what each needs, and that neither a seat that passes nor a blind fix earns any."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from chaosops.agents.policies import expert_policy
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction
from chaosops.play.earned_stars import stars_of, withheld
from chaosops.play.stars import STARS, Star, shape_of
from tests.worlds import Move, hand_made, move, scenario

SRE, OVERSIGHT, DEV, MANAGER = TURN_ORDER
LOOK, CURE = move("investigate", "db", source="runtime"), move("terminate", "db")
NAMES = {"cause": "row_lock", "place": "db", "stake": "certain"}
NAMED = move("diagnose", None, **NAMES)


def stars(moves: Mapping[int, Move], *people: AgentRole) -> frozenset[Star]:
    """The stars of a game on `hand_made` with these moves, by turn."""
    return frozenset(Star) - frozenset(lacked(moves, *people))


def lacked(moves: Mapping[int, Move], *people: AgentRole) -> Mapping[Star, str]:
    """What each of the other stars lacked."""
    played = hand_made(max_steps=12)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    while not stepper.done:
        verb, target, args = moves.get(len(stepper.steps), ("noop", None, {}))
        stepper.take(ChaosOpsAction(stepper.role, verb, target, args))
    own = {step.turn for step in stepper.steps if step.role in people}
    found = withheld(played, stepper.steps, stepper.observation.view, own)
    earned = stars_of(played, stepper.steps, stepper.observation.view, own)
    assert earned == frozenset(Star) - frozenset(found)
    return found


def test_a_look_a_diagnosis_and_the_cure_earn_all_three() -> None:
    assert stars({0: LOOK, 4: NAMED, 8: CURE}, SRE) == frozenset(Star)


def test_a_fix_without_any_reading_earns_none_though_it_is_right() -> None:
    assert stars({0: CURE}, SRE) == frozenset()


def test_a_seat_that_only_passed_earns_none_whatever_the_others_do() -> None:
    assert stars({0: LOOK, 4: NAMED, 8: CURE}, MANAGER) == frozenset()


def test_nothing_is_earned_without_resolving_it() -> None:
    assert stars({0: LOOK, 4: NAMED}, SRE) == frozenset()


def test_the_cause_has_to_be_named_before_the_cure() -> None:
    assert Star.CAUSE not in stars({0: LOOK, 4: CURE}, SRE)


@pytest.mark.parametrize(
    "named",
    [{**NAMES, "cause": "db_deadlock"}, {**NAMES, "place": "cart"}, {"cause": "row_lock"}],
    ids=["another cause", "another place", "no place"],
)
def test_cause_and_place_have_to_be_right(named: dict[str, str]) -> None:
    assert Star.CAUSE not in stars({0: LOOK, 4: move("diagnose", None, **named), 8: CURE}, SRE)


def test_a_diagnosis_without_a_reading_that_shows_it_is_a_guess() -> None:
    moves = {0: move("investigate", "cart", source="metrics"), 4: NAMED, 8: LOOK, 12: CURE}
    assert stars(moves, SRE) == {Star.USERS, Star.CLEAN}


def test_who_took_the_telling_look_shares_the_star_of_who_names_it() -> None:
    assert Star.CAUSE in stars({0: LOOK, 2: NAMED, 4: CURE}, SRE)
    assert Star.CAUSE not in stars({0: LOOK, 2: NAMED, 3: move("resolve"), 4: CURE}, MANAGER)


def test_a_wrong_fix_of_ones_own_is_not_clean_and_one_of_a_teammate_is() -> None:
    look = move("investigate", "cart", source="metrics")
    moves = {0: LOOK, 2: move("restart", "cart"), 4: NAMED, 8: CURE}
    assert Star.CLEAN in stars(moves, SRE)
    assert Star.CLEAN not in stars({**moves, 2: look, 6: move("restart", "cart")}, SRE, DEV)


def test_the_budget_has_to_be_half_full() -> None:
    late = {0: LOOK, 4: NAMED, 36: CURE}
    assert Star.USERS not in stars(late, SRE)


def test_an_expert_in_all_seats_earns_all_in_most_games() -> None:
    found = []
    for seed in range(4):
        played = scenario("paying-ends-in-an-error", seed)
        stepper = Stepper(ChaosOpsEnvironment(), played)
        policy = expert_policy(seed)
        while not stepper.done:
            stepper.take(policy(stepper.observation, stepper.role))
        every = range(len(stepper.steps))
        found.append(stars_of(played, stepper.steps, stepper.observation.view, every))
        idle = stars_of(played, stepper.steps, stepper.observation.view, ())
        assert idle == frozenset()
    assert sum(len(each) for each in found) >= 10


def test_what_a_star_lacked_is_said_in_words_that_are_true_of_the_game() -> None:
    assert set(lacked({0: LOOK, 4: NAMED}, SRE).values()) == {"not resolved"}
    assert set(lacked({0: CURE}, SRE).values()) == {
        "terminate db in turn 1 was ordered without a reading near it"
    }
    assert set(lacked({0: LOOK, 4: NAMED, 8: CURE}, MANAGER).values()) == {"your seats only passed"}
    assert lacked({0: LOOK, 4: CURE}, SRE) == {Star.CAUSE: "no diagnosis was made"}
    wrong = move("diagnose", None, **{**NAMES, "cause": "db_deadlock"})
    assert lacked({0: LOOK, 4: wrong, 8: CURE}, SRE)[Star.CAUSE] == (
        "the diagnosis that stood at the cure was wrong"
    )
    look = move("investigate", "cart", source="metrics")
    lost = lacked({0: look, 4: NAMED, 8: LOOK, 12: CURE}, SRE)
    assert lost == {Star.CAUSE: "nobody had taken a telling look before the diagnosis"}
    seen = move("investigate", "cart", source="logs")
    moves = {0: LOOK, 2: seen, 4: NAMED, 6: move("restart", "cart"), 8: CURE}
    assert lacked(moves, SRE, DEV)[Star.CLEAN].startswith("wrong fix -25.0: Dev, ")


def test_stars_are_drawn_in_a_fixed_order() -> None:
    assert shape_of({Star.CLEAN, Star.USERS}) == "★☆★"
    assert set(STARS) == set(Star)
