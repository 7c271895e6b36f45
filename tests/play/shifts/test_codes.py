"""A shift code gives the same shift, or says in a line why it gives none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import Difficulty
from chaosops.evaluation.proven_seeds import LEVELS, ProvenSeeds, ProvenSituation
from chaosops.play.shifts import codes
from chaosops.play.shifts.codes import (
    LENGTHS,
    MAX_SHIFT_SEED,
    ShiftCodeError,
    ShiftPlan,
    code_of,
    plan_of,
)
from chaosops.version import __version__
from tests.strategies import HOSTILE

ONE = ProvenSituation("some-page", Difficulty.MEDIUM, "shop", "0123456789abcdef", (1_000, 1_001))
SEEDS = ProvenSeeds(7, {ONE.id: ONE})
OTHER = SEEDS._replace(engine=8)
PLAN = ShiftPlan(Difficulty.MEDIUM, 3, 1_255)
PLANS = st.builds(
    ShiftPlan, st.sampled_from(LEVELS), st.sampled_from(LENGTHS), st.integers(0, MAX_SHIFT_SEED)
)


@given(PLANS)
def test_every_code_gives_the_plan_that_it_was_made_of(plan: ShiftPlan) -> None:
    assert plan_of(code_of(plan, SEEDS), SEEDS) == plan


@given(PLANS, PLANS)
def test_two_plans_never_have_one_code(one: ShiftPlan, other: ShiftPlan) -> None:
    assert (code_of(one, SEEDS) == code_of(other, SEEDS)) is (one == other)


@given(PLANS)
def test_case_blanks_and_letters_that_look_like_digits_make_no_difference(plan: ShiftPlan) -> None:
    code = code_of(plan, SEEDS)
    head, level, rest = code.split("-", 2)
    misread = rest.replace("0", "O").replace("1", "l").lower()
    assert plan_of(f"  {head}-{level.lower()}-{misread}\n", SEEDS) == plan


def test_a_code_is_short_enough_to_be_typed() -> None:
    code = code_of(ShiftPlan(Difficulty.HARD, 8, 32**4 - 1), SEEDS)
    assert code.startswith(f"{__version__}-H8-ZZZZ-")
    assert len(code) == len(__version__) + 14


@given(st.text() | st.sampled_from(HOSTILE))
def test_other_texts_are_no_codes_and_that_is_said_in_one_line(text: str) -> None:
    with pytest.raises(ShiftCodeError) as caught:
        plan_of(text, SEEDS)
    assert "\n" not in str(caught.value)
    assert "'chaosops shift --new'" in str(caught.value)


def test_a_text_that_is_no_code_is_told_what_one_looks_like() -> None:
    with pytest.raises(ShiftCodeError, match="it should look like") as caught:
        plan_of("checkout-times-out", SEEDS)
    assert code_of(PLAN, SEEDS) in str(caught.value)


@given(PLANS, st.data())
def test_a_changed_character_hardly_ever_gives_another_shift(
    plan: ShiftPlan, data: st.DataObject
) -> None:
    code = code_of(plan, SEEDS)
    at = data.draw(st.integers(len(__version__) + 1, len(code) - 1))
    char = data.draw(st.sampled_from("0123456789ABCDEFGHJKMNPQRSTVWXYZ"))
    typo = code[:at] + char + code[at + 1 :]
    if typo == code:
        return
    try:
        found = plan_of(typo, SEEDS)
    except ShiftCodeError:
        return
    # Two characters find all but one typo in a thousand.
    assert code_of(found, SEEDS) == typo


def test_a_typo_is_called_one() -> None:
    code = code_of(PLAN, SEEDS)
    typo = code.replace("-M3-", "-E3-")
    with pytest.raises(ShiftCodeError, match="has a typo: copy it again"):
        plan_of(typo, SEEDS)


def test_a_code_of_another_version_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "__version__", "9.8.7")
    foreign = code_of(PLAN, OTHER)
    monkeypatch.undo()
    with pytest.raises(ShiftCodeError) as caught:
        plan_of(foreign, SEEDS)
    assert f"is of chaosops 9.8.7, and this is {__version__}: install" in str(caught.value)


def test_a_code_of_another_version_that_draws_the_same_is_welcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(codes, "__version__", "9.8.7")
    code = code_of(PLAN, SEEDS)
    monkeypatch.undo()
    assert plan_of(code, SEEDS) == PLAN


def test_a_code_of_the_same_version_with_another_engine_is_refused() -> None:
    with pytest.raises(ShiftCodeError, match=f"another build of chaosops {__version__}"):
        plan_of(code_of(PLAN, OTHER), SEEDS)


def test_random_seeds_are_small_enough_for_a_short_code() -> None:
    assert all(0 <= codes.random_seed() < 32**4 for _ in range(50))
