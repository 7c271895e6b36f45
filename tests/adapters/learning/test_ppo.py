from __future__ import annotations

from random import Random

import pytest

from chaosops.adapters.learning.encoding import Seen
from chaosops.adapters.learning.linear import LinearPolicy
from chaosops.adapters.learning.ppo import Decision, Ppo, PpoSettings

ALWAYS = ((0, 1.0),)
TWO, FOUR = ((0,), (1,)), ((0,), (1,), (2,), (3,))


def trained(paid: dict[int, float], possible: tuple[int, ...], batches: int = 30) -> LinearPolicy:
    """A policy after batches of games of one turn, where each move pays what is given."""
    policy, random = LinearPolicy.blank(FOUR, 2), Random(1)
    learner = Ppo(policy, PpoSettings())
    for _batch in range(batches):
        games = []
        for _game in range(20):
            move, chance = policy.sample(Seen(ALWAYS, (None,) * 4, possible), random)
            games.append([Decision(ALWAYS, possible, move, chance, paid[move])])
        learner.improve(games)
    return policy


def test_the_move_that_pays_most_becomes_the_likeliest() -> None:
    policy = trained({0: -1.0, 1: 0.5, 2: 1.0, 3: 0.0}, (0, 1, 2, 3))
    chances = policy.chances(ALWAYS, (0, 1, 2, 3))
    assert chances[2] > 0.6
    assert policy.best(Seen(ALWAYS, (None,) * 4, (0, 1, 2, 3))) == 2
    assert policy.value[0] > 0.5


def test_a_move_that_is_not_possible_is_never_drawn_and_keeps_its_weights() -> None:
    policy = trained({0: 0.0, 1: 1.0}, (0, 1))
    assert policy.rows[2] == policy.rows[3] == [0.0, 0.0]
    assert policy.rows[1][0] > 0.0


def test_a_probability_moves_little_beyond_the_clipping_range_in_one_batch() -> None:
    policy = LinearPolicy.blank(TWO, 1)
    batch = [
        [Decision(ALWAYS, (0, 1), 0, 0.5, 1.0)],
        [Decision(ALWAYS, (0, 1), 1, 0.5, -1.0)],
    ]
    Ppo(policy, PpoSettings(passes=500, rate=0.01, entropy=0.0)).improve(batch)
    # Momentum goes on for some steps after the last slope.
    assert 0.6 < policy.chances(ALWAYS, (0, 1))[0] < 0.7


def test_a_turn_is_credited_with_what_comes_after_it() -> None:
    policy = LinearPolicy.blank(TWO, 3)
    first, last = ((1, 1.0),), ((2, 1.0),)
    learner = Ppo(policy, PpoSettings())
    for _batch in range(60):
        games = []
        for move in (0, 1):
            chance = policy.chances(first, (0, 1))[move]
            later = 1.0 if move == 1 else 0.0
            games.append(
                [
                    Decision(first, (0, 1), move, chance, 0.0),
                    Decision(last, (0,), 0, 1.0, later),
                ]
            )
        learner.improve(games)
    assert policy.chances(first, (0, 1))[1] > 0.9


def test_chances_add_up_to_one_and_large_scores_do_no_harm() -> None:
    policy = LinearPolicy(FOUR[:3], [[900.0], [-900.0], [899.0]], [0.0])
    chances = policy.chances(ALWAYS, (0, 1, 2))
    assert sum(chances) == pytest.approx(1.0)
    assert chances[0] == pytest.approx(0.731, abs=0.001)
    assert policy.chances(ALWAYS, (1,)) == [1.0]


def test_an_empty_batch_changes_nothing() -> None:
    policy = LinearPolicy.blank(TWO, 1)
    Ppo(policy, PpoSettings()).improve([[]])
    assert policy == LinearPolicy.blank(TWO, 1)


def test_what_moves_have_in_common_is_learned_from_each_of_them() -> None:
    policy = LinearPolicy.blank(((0, 1), (0, 2), (0, 3), (4,)), 1)
    learner = Ppo(policy, PpoSettings())
    for _batch in range(10):
        games = []
        for move in (0, 1, 3):
            chance = policy.chances(ALWAYS, (0, 1, 3))[(0, 1, 3).index(move)]
            paid = 1.0 if move == 3 else -1.0
            games.append([Decision(ALWAYS, (0, 1, 3), move, chance, paid)])
        learner.improve(games)
    assert policy.rows[3] == [0.0]
    assert policy.scores(ALWAYS, (2,)) < [-0.2]
    assert policy.scores(ALWAYS, (3,)) > [0.2]
