"""A shift is drawn from proven seeds: different situations on one fleet, the hardest one last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.engine import ENGINE
from chaosops.env.models import Difficulty
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.proven_seeds import (
    LEVELS,
    ProvenSeeds,
    ProvenSeedsError,
    ProvenSituation,
    shipped_seeds,
)
from chaosops.play.shifts.codes import LENGTHS, ShiftPlan
from chaosops.play.shifts.drawing import drawn


def situation(name: str, level: Difficulty, topology: str = "shop") -> ProvenSituation:
    return ProvenSituation(name, level, topology, "0" * 16, (1, 2, 3))


def seeds(*situations: ProvenSituation) -> ProvenSeeds:
    return ProvenSeeds(ENGINE, {one.id: one for one in situations})


@given(st.sampled_from(LEVELS), st.sampled_from(LENGTHS), st.integers(0, 2**32 - 1))
def test_every_shift_has_different_situations_on_one_fleet_with_proven_seeds(
    level: Difficulty, incidents: int, seed: int
) -> None:
    proven = shipped_seeds()
    found = drawn(ShiftPlan(level, incidents, seed), proven)
    assert len({one.situation.id for one in found}) == incidents
    assert len({one.situation.topology for one in found}) == 1
    assert all(one.seed in proven.situations[one.situation.id].seeds for one in found)
    assert level in {one.situation.level for one in found}
    levels = [LEVELS.index(one.situation.level) for one in found]
    assert levels == sorted(levels)
    assert found == drawn(ShiftPlan(level, incidents, seed), proven)


def test_a_level_is_filled_up_from_the_next_one_only_if_it_has_to_be() -> None:
    easy = [situation(f"easy-{k}", Difficulty.EASY) for k in range(4)]
    medium = [situation(f"medium-{k}", Difficulty.MEDIUM) for k in range(2)]
    proven = seeds(*easy, *medium)
    for seed in range(20):
        assert {one.situation for one in drawn(ShiftPlan(Difficulty.EASY, 3, seed), proven)} <= {
            *easy
        }
        chosen = [one.situation for one in drawn(ShiftPlan(Difficulty.MEDIUM, 3, seed), proven)]
        assert chosen[0] in easy
        assert set(chosen[1:]) == {*medium}


def test_a_fleet_with_too_few_situations_is_left_out() -> None:
    many = [situation(f"shop-{k}", Difficulty.MEDIUM) for k in range(3)]
    few = [situation(f"zone-{k}", Difficulty.MEDIUM, "zones") for k in range(2)]
    for seed in range(20):
        found = drawn(ShiftPlan(Difficulty.MEDIUM, 3, seed), seeds(*many, *few))
        assert {one.situation for one in found} == {*many}


def test_a_shift_that_no_fleet_has_enough_for_says_what_to_do() -> None:
    few = seeds(situation("only", Difficulty.MEDIUM))
    with pytest.raises(ChaosOpsError, match="choose another level, or fewer incidents"):
        drawn(ShiftPlan(Difficulty.MEDIUM, 3, 0), few)


def test_seeds_of_another_engine_are_refused_with_the_cure() -> None:
    stale = shipped_seeds()._replace(engine=ENGINE - 1)
    with pytest.raises(ProvenSeedsError, match=f"engine {ENGINE - 1}.*install chaosops again"):
        drawn(ShiftPlan(Difficulty.MEDIUM, 3, 0), stale)
