from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models.readings import Chart
from chaosops.play.readings import last_minute
from tests.readings import charts
from tui.widgets.instruments.axis import Axis, axis_for, minute_ticks
from tui.widgets.instruments.plot import Plot

numbers = st.floats(-1e12, 1e12) | st.floats(0, 1) | st.floats(-1e-9, 1e-9)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0.0, 100.0), ["0", "25", "50", "75", "100"]),
        ((0.03, 2.2), ["0", "1", "2", "3"]),
        ((34.0, 99.0), ["0", "25", "50", "75", "100"]),
        ((0.0, 0.05), ["0.00", "0.02", "0.04", "0.06"]),
        ((870.0, 12_900.0), ["0", "5k", "10k", "15k"]),
        ((0.0, 0.0), ["0", "0.25", "0.50", "0.75", "1.00"]),
        ((-3.0, 4.0), ["-4", "-2", "0", "2", "4"]),
    ],
)
def test_an_axis_has_round_ticks_around_the_data(
    values: tuple[float, ...], labels: list[str]
) -> None:
    axis = axis_for(values, ticks=4)
    shown = [axis.label(tick) for tick in axis.ticks()]
    assert shown == [label.replace("0.00", "0") for label in labels]


def test_an_axis_can_be_fitted_to_the_data_instead_of_beginning_at_zero() -> None:
    assert axis_for((55.0, 61.0), ticks=4, from_zero=False) == Axis(54.0, 62.0, 2.0)


@given(st.lists(numbers, min_size=1, max_size=60), st.integers(1, 12), st.booleans())
def test_the_bounds_of_an_axis_always_hold_the_data(
    values: list[float], ticks: int, from_zero: bool
) -> None:
    axis = axis_for(values, ticks=ticks, from_zero=from_zero)
    assert axis.low <= min(values)
    assert max(values) <= axis.high
    assert axis.low < axis.high
    assert 1 <= len(axis.ticks()) <= 3 * ticks + 3
    assert all(axis.label(tick) for tick in axis.ticks())
    assert all(a < b for a, b in pairwise(axis.ticks()))


@given(charts(), st.integers(1, 120), st.integers(1, 40), st.booleans())
def test_a_plot_always_shows_the_newest_value_of_the_line_on_top(
    chart: Chart, width: int, height: int, from_zero: bool
) -> None:
    known = [v for s in chart.series for v in s.values if v is not None]
    axis = axis_for(known, ticks=4, from_zero=from_zero)
    plot = Plot(width, height, axis, chart.start, last_minute(chart))
    for number, series in enumerate(chart.series):
        plot.draw(number, series.values, chart.start)
    top = chart.series[-1]
    place, newest = max((i, v) for i, v in enumerate(top.values) if v is not None)
    cell = plot.cell(plot.column(chart.start + place), plot.row(newest))
    assert cell.line == len(chart.series) - 1
    assert cell.sign != " "


@given(st.integers(-60, 60), st.integers(0, 90), st.integers(1, 200))
def test_each_minute_of_a_plot_has_a_column_and_each_column_a_minute(
    first: int, span: int, width: int
) -> None:
    plot = Plot(width, 4, Axis(0.0, 1.0, 0.5), first, first + span)
    for minute in range(first, first + span + 1):
        assert 0 <= plot.column(minute) < width
    for column in range(width):
        assert first <= plot.minute(column) <= first + span


def test_a_missing_value_interrupts_the_line() -> None:
    plot = Plot(6, 1, Axis(0.0, 1.0, 1.0), 0, 11)
    plot.draw(0, (0.0,) * 4 + (None,) * 4 + (0.0,) * 4, 0)
    assert [plot.cell(x, 0).line for x in range(6)] == [0, 0, None, None, 0, 0]


def test_times_of_day_stand_at_round_minutes() -> None:
    # Paged at 10:00; the last hour in 60 cells.
    assert minute_ticks(-59, 0, 60, 600) == (-50, -40, -30, -20, -10, 0)
    assert minute_ticks(-9, 0, 60, 600) == tuple(range(-8, 1, 2))
