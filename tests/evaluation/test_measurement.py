import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import Difficulty
from chaosops.evaluation.measurement import (
    MEDIUM_UP,
    Figure,
    FigureBound,
    Sample,
    judge,
    level_rows,
    mean_of,
)

SHARES = st.floats(0.0, 1.0)


def test_a_bound_over_a_base_is_counted_from_it() -> None:
    measured = judge(
        "g", "a", "share", FigureBound(at_most=0.2, over_base=True), Figure(0.9, 10, (), 0.3)
    )
    assert measured.at_most == pytest.approx(0.5)
    assert measured.margin == pytest.approx(-0.4)
    assert measured.passes is False


def test_a_bound_over_a_large_base_never_asks_for_more_than_everything() -> None:
    measured = judge(
        "g", "a", "share", FigureBound(at_most=0.2, over_base=True), Figure(1.0, 10, (), 0.9)
    )
    assert measured.at_most == 1.0


def test_a_range_holds_at_both_of_its_ends() -> None:
    band = FigureBound(0.15, 0.60)
    for value, passes in ((0.14, False), (0.15, True), (0.60, True), (0.61, False)):
        assert judge("g", "a", "share", band, Figure(value, 1)).passes is passes


def test_what_was_not_measured_neither_passes_nor_fails() -> None:
    measured = judge("g", "a", "share", FigureBound(at_most=0.2), Figure(None, 0))
    assert (measured.figure, measured.margin, measured.passes) == (None, None, None)


def test_only_the_levels_of_the_gate_count_and_the_rows_have_all() -> None:
    samples = [
        Sample(Difficulty.EASY, "a", 1.0),
        Sample(Difficulty.MEDIUM, "a", 0.0),
        Sample(Difficulty.HARD, "b", 1.0),
        Sample(Difficulty.HARD, "b", 0.0),
    ]
    figure = mean_of(samples, MEDIUM_UP)
    assert figure.value == pytest.approx(1.0 / 3.0)
    assert figure.n == 3
    rows = {(row.kind, row.name): (row.figure, row.n) for row in figure.rows}
    assert rows == {
        ("level", "easy"): (1.0, 1),
        ("level", "medium"): (0.0, 1),
        ("level", "hard"): (0.5, 2),
        ("situation", "a"): (0.5, 2),
        ("situation", "b"): (0.5, 2),
    }


def test_levels_without_samples_have_no_row() -> None:
    assert level_rows([]) == ()
    assert mean_of([], MEDIUM_UP).value is None


@given(value=SHARES, low=SHARES, high=SHARES)
def test_a_gate_always_passes_where_its_margin_is_not_negative(
    value: float, low: float, high: float
) -> None:
    measured = judge("g", "a", "share", FigureBound(low, high), Figure(value, 1))
    assert measured.passes is (low <= value + 1e-9 and value <= high + 1e-9)
