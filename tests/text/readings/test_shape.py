from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chaosops.text.readings import shape_of
from tests.readings import SHARDS, values


def test_the_shape_of_a_series_is_its_bounds_and_since_when_it_has_moved() -> None:
    shape = shape_of(SHARDS.series[0].values, SHARDS.start)
    assert shape is not None
    assert (shape.low, shape.high, shape.high_at, shape.now) == (33.0, 100.0, -1, 99.0)
    # 60 % at minute -3 is the first value above the 33 to 34 % of the first third.
    assert (shape.usual, shape.since, shape.rose) == (34.0, -3, True)


def test_a_series_that_only_scatters_has_not_moved() -> None:
    shape = shape_of(SHARDS.series[1].values, SHARDS.start)
    assert shape is not None
    assert shape.since is None


def test_a_series_that_was_away_and_is_back_has_not_moved() -> None:
    shape = shape_of((5.0, 5.1, 5.0, 5.0, 40.0, 41.0, 5.0, 5.1, 5.0), 0)
    assert shape is not None
    assert shape.since is None
    assert (shape.high, shape.high_at) == (41.0, 5)


def test_one_value_back_among_the_usual_ones_does_not_begin_a_movement_anew() -> None:
    shape = shape_of((5.0, 5.0, 5.0, 5.0, 9.0, 9.0, 5.0, 9.0, 9.0), 0)
    assert shape is not None
    assert shape.since == 4


def test_a_jump_in_the_newest_value_alone_is_a_movement_since_then() -> None:
    shape = shape_of((5.0, 5.0, 5.0, 5.0, 9.0, 5.0, 5.0, 9.0), 0)
    assert shape is not None
    assert shape.since == 7


def test_nothing_is_said_of_a_movement_in_fewer_than_six_values() -> None:
    shape = shape_of((1.0, 1.0, 1.0, 1.0, 90.0), 0)
    assert shape is not None
    assert shape.since is None


def test_a_series_that_ends_early_has_its_newest_value_at_its_minute() -> None:
    shape = shape_of(SHARDS.series[2].values, SHARDS.start)
    assert shape is not None
    assert (shape.now, shape.now_at, shape.gaps) == (34.0, -6, 6)


@given(st.lists(values, max_size=60), st.integers(-60, 60))
def test_a_shape_always_holds_what_was_collected(series: list[float | None], start: int) -> None:
    shape = shape_of(series, start)
    known = [(start + i, value) for i, value in enumerate(series) if value is not None]
    if not known:
        assert shape is None
        return
    assert shape is not None
    assert (shape.now_at, shape.now) == known[-1]
    assert shape.low == min(value for _, value in known)
    assert shape.high == dict(known)[shape.high_at] == max(value for _, value in known)
    assert shape.gaps == len(series) - len(known)
    if shape.since is not None:
        assert dict(known)[shape.since] != shape.usual
        assert shape.rose == (shape.now > shape.usual)
