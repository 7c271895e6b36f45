import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.evaluation.classifiers import (
    Logistic,
    NaiveBayes,
    Nearest,
    Threshold,
    area_under_curve,
    balanced_accuracy,
    best_threshold,
    halves,
)


def bag(text: str) -> frozenset[str]:
    return frozenset(text.split())


def test_naive_bayes_names_the_label_whose_words_are_there() -> None:
    reader = NaiveBayes(
        [
            (bag("disk full db"), "disk"),
            (bag("disk near limit"), "disk"),
            (bag("lock waits db"), "lock"),
            (bag("lock cycle"), "lock"),
        ]
    )
    assert reader.label(bag("disk db")) == "disk"
    assert reader.label(bag("lock db")) == "lock"


def test_naive_bayes_falls_back_on_the_commonest_label_where_it_knows_no_word() -> None:
    reader = NaiveBayes([(bag("a"), "rare"), (bag("b"), "common"), (bag("c"), "common")])
    assert reader.label(bag("unheard")) == "common"


def test_naive_bayes_weighs_words_as_counted_by_hand() -> None:
    """Of three examples of x two have the word, of the one of y none has it.

    x: 3 * 2.5/4 = 1.875 against y: 1 * 0.5/2 = 0.25.
    """
    reader = NaiveBayes([(bag("w"), "x"), (bag("w"), "x"), (bag("v"), "x"), (bag("v u"), "y")])
    assert reader.label(bag("w")) == "x"
    assert reader.label(bag("u")) == "y"


def test_the_nearest_example_shares_the_rare_words() -> None:
    nearest = Nearest([(bag("the page db"), 1), (bag("the page cache"), 2), (bag("the page"), 3)])
    assert nearest.find(bag("the page cache new")) == 2
    assert nearest.find(bag("the page")) == 3


def test_of_equally_near_examples_the_first_is_taken() -> None:
    assert Nearest([(bag("a"), "first"), (bag("a"), "second")]).find(bag("a")) == "first"


@pytest.mark.parametrize("make", [NaiveBayes, Nearest])
def test_a_classifier_without_examples_is_refused(make: type) -> None:
    with pytest.raises(ValueError, match="at least one example"):
        make([])


def test_regression_learns_what_separates_and_ignores_what_does_not() -> None:
    examples = [({"x": float(i), "noise": float(i % 2)}, i >= 10) for i in range(20)]
    model = Logistic(examples)
    assert model.score({"x": 18.0, "noise": 0.0}) > 0.9
    assert model.score({"x": 1.0, "noise": 0.0}) < 0.1
    by_noise = [model.score({"x": 9.5, "noise": noise}) for noise in (0.0, 1.0)]
    assert abs(by_noise[0] - by_noise[1]) < 0.2


def test_regression_gives_both_classes_the_same_weight() -> None:
    """Nothing is known of either, so both are as likely, though one is nine times as frequent."""
    model = Logistic([({"x": 0.0}, i == 0) for i in range(10)])
    assert model.score({"x": 0.0}) == pytest.approx(0.5, abs=1e-6)


def test_regression_needs_both_classes() -> None:
    with pytest.raises(ValueError, match="both classes"):
        Logistic([({"x": 1.0}, True)])


def test_the_best_threshold_lies_between_the_classes() -> None:
    examples = [({"ok": value, "other": 1.0}, value >= 0.99) for value in (0.2, 0.9, 0.99, 1.0)]
    rule = best_threshold(examples)
    assert rule == Threshold("ok", pytest.approx(0.945), True)
    assert [rule.says(features) for features, _label in examples] == [False, False, True, True]


def test_numbers_that_do_not_differ_give_no_threshold() -> None:
    with pytest.raises(ValueError, match="differ"):
        best_threshold([({"x": 1.0}, True), ({"x": 1.0}, False)])


def test_balanced_accuracy_is_the_mean_of_the_classes() -> None:
    answers = [(True, True), (False, False), (False, False), (False, False), (True, False)]
    assert balanced_accuracy(answers) == (1.0 + 0.75) / 2.0


def test_always_no_has_half_of_a_balanced_accuracy_however_rare_yes_is() -> None:
    assert balanced_accuracy([(False, i == 0) for i in range(100)]) == 0.5


@pytest.mark.parametrize(
    ("yes", "no", "area"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0),
        ([0.1], [0.9], 0.0),
        ([0.5], [0.5], 0.5),
        ([0.9, 0.4], [0.5, 0.1], 0.75),
    ],
)
def test_the_area_under_the_curve_counts_won_pairs(
    yes: list[float], no: list[float], area: float
) -> None:
    scores = [(score, True) for score in yes] + [(score, False) for score in no]
    assert area_under_curve(scores) == area


def test_there_is_no_area_with_one_class_alone() -> None:
    assert area_under_curve([(0.3, True), (0.4, True)]) is None


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=6), st.integers(0, 3), max_size=30))
def test_halves_always_share_out_every_name_and_every_class(groups: dict[str, int]) -> None:
    first, second = halves(groups)
    assert first | second == set(groups)
    assert not first & second
    assert abs(len(first) - len(second)) <= 1 + len(set(groups.values()))
    for label in set(groups.values()):
        mine = {name for name, group in groups.items() if group == label}
        assert abs(len(first & mine) - len(second & mine)) <= 1


def test_halves_do_not_depend_on_the_order_of_the_names() -> None:
    names = {f"n{i}": i % 3 for i in range(17)}
    assert halves(names) == halves(dict(reversed(names.items())))


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=2, max_size=30))
def test_turning_the_scores_around_always_turns_the_area_around(
    scores: list[tuple[float, bool]],
) -> None:
    area = area_under_curve(scores)
    other = area_under_curve([(-score, so) for score, so in scores])
    assert (area is None) is (other is None)
    if area is not None and other is not None:
        assert math.isclose(area + other, 1.0)
