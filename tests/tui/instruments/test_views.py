from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chaosops.env.models.readings import Chart, Part, Reading, Series
from chaosops.play.readings import LogFilter, Looking
from chaosops.text.figures import figure
from chaosops.text.readings import shape_of
from tests.readings import (
    DIFF,
    EVERY_PART,
    LOG,
    SESSIONS,
    SHARDS,
    SIGNALS,
    STATEMENT,
    STATUS,
    TRACES,
    charts,
    hostile_parts,
    odd_parts,
)
from tests.strategies import of_type
from tests.tui.games import HOSTILE, press, settled, text_of
from tests.tui.instruments.screens import SMALL, WIDE, WIDEST, Shown, point
from tui.widgets.instruments.chart_face import ChartState, draw_chart
from tui.widgets.instruments.deck import pages_for
from tui.widgets.instruments.trace_face import TraceState, draw_traces

SIZES = (SMALL, WIDE)
sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])


@sizes
async def test_a_chart_has_axes_marks_a_legend_and_the_newest_value(size: tuple[int, int]) -> None:
    shown = Shown((SHARDS,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        text = text_of(shown.app)
        for word in ("100┤", "0┤", "10:00", "shard 0 99 % at 10:00, newest", "◆ 09:58 automation"):
            assert word in text
        # Newest, lowest and highest of each series, from the sample.
        assert "shard 0 %       99      33     100" in text
        assert "shard 2 %        -      33      34" in text
        assert "▼" in text


@pytest.mark.few(1)
@sizes
async def test_the_cursor_of_a_chart_reads_values_and_goes_from_mark_to_mark(
    size: tuple[int, int],
) -> None:
    shown = Shown((SHARDS,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "left", "left", "left")
        assert "shard 0 60 % at 09:57, 3 min before the newest" in text_of(shown.app)
        await press(pilot, "home")
        assert "shard 0 34 % at 09:49" in text_of(shown.app)
        await press(pilot, "n")
        assert "at 09:51" in text_of(shown.app)
        await press(pilot, "n")
        assert "at 09:58" in text_of(shown.app)
        await press(pilot, "b", "down")
        assert "shard 1 33 % at 09:51" in text_of(shown.app)
        await press(pilot, "end")
        assert "newest" in text_of(shown.app)


async def test_the_mark_at_the_cursor_is_the_one_that_is_named() -> None:
    shown = Shown((SHARDS,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert "◆ 09:58" in text_of(shown.app)
        await press(pilot, "home", "n")
        (named,) = [line for line in text_of(shown.app).split("\n") if "automation" in line]
        assert named.strip("│ ").startswith("▼ 09:51")


@pytest.mark.few(1)
@sizes
async def test_the_window_of_a_chart_gets_shorter_and_longer(size: tuple[int, int]) -> None:
    shown = Shown((SHARDS,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, *("left_square_bracket",) * 5)
        assert "last 10 min" in text_of(shown.app)
        assert shown.view.looking().minutes == 10
        await press(pilot, *("right_square_bracket",) * 5)
        assert "last 12 min" in text_of(shown.app)


async def test_series_of_one_unit_share_a_scale_and_others_have_their_own() -> None:
    shown = Shown((SIGNALS,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert "1000┤" in text_of(shown.app)
        await press(pilot, "down")
        assert "3┤" in text_of(shown.app)
        await press(pilot, "down")
        text = text_of(shown.app)
        assert "60┤" in text
        assert "a p50" in text
        assert "b p95" in text


async def test_the_scale_can_be_fitted_to_the_data() -> None:
    memory = Chart(
        "chart", "memory", -5, (Series("db", "%", (55.0, 56.0, 57.0, 58.0, 59.0, 61.0)),)
    )
    shown = Shown((memory,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert " 0┤" in text_of(shown.app)
        await press(pilot, "z")
        text = text_of(shown.app)
        assert "fitted to the data" in text
        assert " 0┤" not in text


async def test_the_pointer_reads_a_minute_and_chooses_a_series() -> None:
    shown = Shown((SHARDS,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await point(pilot, 40, 8)
        looking = shown.view.looking()
        assert looking.cursor is not None
        assert -11 < looking.cursor < 0
        lines = text_of(shown.app).splitlines()
        row = next(i for i, line in enumerate(lines) if "c shard 2" in line)
        await point(pilot, 8, row)
        assert shown.view.looking().chosen == "shard 2"


@pytest.mark.few(1)
@sizes
async def test_a_log_is_filtered_by_keys_and_by_words(size: tuple[int, int]) -> None:
    shown = Shown((LOG,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        assert "24 lines: all levels, all instances" in text_of(shown.app)
        await press(pilot, "l")
        assert "14 of 24 lines: WARN and above" in text_of(shown.app)
        await press(pilot, "i")
        assert "3 of 24 lines: WARN and above, db-4fad" in text_of(shown.app)
        await press(pilot, "slash", *"reset", "enter")
        assert '1 of 24 lines: WARN and above, db-4fad, with "reset"' in text_of(shown.app)
        assert shown.view.looking() == Looking(
            "logs", "db", filter=LogFilter("WARN", "db-4fad", "reset"), rows=(0, 0)
        )
        await press(pilot, "escape")
        assert "24 lines: all levels" in text_of(shown.app)


@pytest.mark.few(1)
@sizes
async def test_a_log_counts_its_lines_by_template_and_shows_those_of_one(
    size: tuple[int, int],
) -> None:
    shown = Shown((LOG,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        beside = "13 " in text_of(shown.app) and "throttled * requests" in text_of(shown.app)
        assert beside is (size == WIDE)
        await press(pilot, "t")
        assert "throttled * requests" in text_of(shown.app)
        await press(pilot, "down", "down", "enter")
        assert "13 of 24 lines" in text_of(shown.app)
        assert "throttled 31 requests" in text_of(shown.app)


@sizes
async def test_requests_are_listed_the_longest_first_and_one_is_a_waterfall(
    size: tuple[int, int],
) -> None:
    shown = Shown((TRACES,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        text = text_of(shown.app)
        assert text.index("3e9e1c") < text.index("92b406") < text.index("1d5ab0")
        assert "db SELECT payments" in text
        await press(pilot, "down", "down")
        assert "db SELECT payments: 67 to 1967 ms, timeout" in text_of(shown.app)
        await press(pilot, "right")
        assert shown.view.looking().chosen == "92b406"
        assert "checkout POST /checkout: 0 to 240 ms, ok" in text_of(shown.app)


async def test_the_pointer_chooses_a_request_and_a_span() -> None:
    shown = Shown((TRACES,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await point(pilot, 8, 3)
        assert shown.view.looking().chosen == "92b406"
        lines = text_of(shown.app).splitlines()
        row = next(i for i, line in enumerate(lines) if "db SELECT payments" in line)
        await point(pilot, 12, row)
        assert "db SELECT payments: 67 to 77 ms, ok" in text_of(shown.app)


async def test_another_request_stands_beside_the_chosen_one_where_there_is_room() -> None:
    shown = Shown((TRACES,))
    async with shown.app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        line = next(line for line in text_of(shown.app).splitlines() if "checkout POST" in line)
        assert "checkout GET /checkout" in line
        await press(pilot, "z")
        line = next(line for line in text_of(shown.app).splitlines() if line.count("took") == 2)
        assert line.count("2.1 s") == 2


@pytest.mark.few(1)
@sizes
async def test_a_table_is_sorted_by_the_column_of_the_cursor(size: tuple[int, int]) -> None:
    shown = Shown((SESSIONS,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        order = ("5178", "14988", "902")
        assert pids(shown) == order
        await press(pilot, "s")
        assert pids(shown) == ("14988", "5178", "902")
        await press(pilot, "s")
        assert pids(shown) == ("902", "5178", "14988")
        looking = shown.view.looking()
        assert (looking.sorted_by, looking.descending, looking.rows) == ("pid", False, (0, 2))
        await press(pilot, "o")
        assert pids(shown) == order


async def test_a_click_on_a_header_sorts_by_it() -> None:
    shown = Shown((SESSIONS,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        lines = text_of(shown.app).splitlines()
        row = next(i for i, line in enumerate(lines) if "age s" in line)
        await point(pilot, lines[row].index("age s") + 1, row)
        assert shown.view.looking().sorted_by == "age"
        assert "age s ▼" in text_of(shown.app)


def pids(shown: Shown) -> tuple[str, ...]:
    """The first cell of each row, from the top."""
    rows = text_of(shown.app).splitlines()
    words = [line.replace("│", " ").split() for line in rows]
    return tuple(line[0] for line in words if line and line[0] in ("5178", "14988", "902"))


async def test_the_highlighted_row_is_told_in_full_where_the_table_is_too_wide() -> None:
    long = SESSIONS._replace(
        rows=tuple((*row[:4], f"{row[4]} {'x' * 60} END") for row in SESSIONS.rows)
    )
    shown = Shown((long,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert "x END" in text_of(shown.app)
        assert "age 3613 s" in text_of(shown.app)


@sizes
async def test_a_diff_has_two_sides_where_there_is_room(size: tuple[int, int]) -> None:
    shown = Shown((DIFF,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        text = text_of(shown.app)
        assert "maria" in text
        assert "CHG-1334" in text
        line = next(line for line in text.splitlines() if "max = 20 " in f"{line} ")
        assert ("max = 200" in line) is (size == WIDE)


@sizes
async def test_a_statement_is_shown_as_it_was_written(size: tuple[int, int]) -> None:
    shown = Shown((STATEMENT,))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        assert "Adds instances above 70 % CPU." in text_of(shown.app)


async def test_a_look_that_showed_nothing_says_so() -> None:
    shown = Shown(())
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert "The instrument showed nothing else." in text_of(shown.app)
        await press(pilot, "comma", "semicolon", "full_stop", "question_mark", "escape")
        assert shown.app.is_running


async def test_parts_are_tabs_where_there_is_little_room_and_panes_where_there_is_more() -> None:
    for size, panes in ((SMALL, 1), (WIDEST, 2)):
        shown = Shown((SESSIONS, SHARDS))
        async with shown.app.run_test(size=size) as pilot:
            await settled(pilot)
            assert sum(view.display for view in shown.screen.query("PartView, .part")) == panes
            await press(pilot, "comma")
            assert "shard 0 99 %" in text_of(shown.app)
            await press(pilot, "left")
            assert "shard 0 100 % at 09:59" in text_of(shown.app)


@pytest.mark.slow
async def test_findings_follow_each_other_and_two_stand_beside_each_other_at_160_columns() -> None:
    shown = Shown((SHARDS,), (LOG,), (DIFF,))
    async with shown.app.run_test(size=WIDEST) as pilot:
        await settled(pilot)
        await press(pilot, "greater_than_sign")
        assert "24 lines" in text_of(shown.app)
        await press(pilot, "v")
        assert "24 lines" in text_of(shown.app)
        assert "shard 0 99 %" in text_of(shown.app)
        await press(pilot, "greater_than_sign")
        assert "24 lines" in text_of(shown.app)
        assert "max = 200" in text_of(shown.app)
        await pilot.resize_terminal(*WIDE)
        await settled(pilot)
        assert "24 lines" not in text_of(shown.app)


async def test_what_is_in_view_is_told_as_it_changes_and_nothing_at_the_end() -> None:
    shown = Shown((SHARDS,), (LOG,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(
            pilot, "left_square_bracket", "left_square_bracket", "left_square_bracket", "left"
        )
        assert [(w.known.place, w.looking.minutes, w.looking.cursor) for w in shown.told[-1]] == [
            (0, 10, -1)
        ]
        await press(pilot, "greater_than_sign")
        assert [(w.known.place, w.looking.part) for w in shown.told[-1]] == [(1, "logs")]
    assert shown.told[-1] == ()


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_is_shown_in_every_instrument_and_does_nothing(text: str) -> None:
    shown = Shown(*((part,) for part in hostile_parts(text)))
    async with shown.app.run_test(size=WIDE, tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        for _ in range(6):
            await press(pilot, "down", "s", "l", "t", "k")
            seen = text_of(shown.app)
            assert not any(sign in seen for sign in "\x1b\x9b\u202e\u2066\ud800\x07")
            await press(pilot, "greater_than_sign")
        assert shown.app.is_running


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1, 1), (20, 5), (80, 24), (200, 50)])
async def test_odd_parts_are_shown_at_any_size(size: tuple[int, int]) -> None:
    shown = Shown(tuple(odd_parts()))
    async with shown.app.run_test(size=size) as pilot:
        await settled(pilot)
        for _ in odd_parts():
            await press(pilot, "down", "left", "comma")
        await pilot.resize_terminal(size[0] + 30, size[1] + 3)
        await settled(pilot)
        assert shown.app.is_running


async def test_without_colour_the_highlighted_series_and_each_line_are_still_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = Shown((SHARDS,))
    async with shown.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        strips = shown.app.screen._compositor.render_strips()
        colours = {
            segment.style.color.triplet
            for strip in strips
            for segment in strip
            if segment.style and segment.style.color and segment.style.color.triplet
        }
        assert all(len(set(colour)) == 1 for colour in colours), "grey is all that is left"
        text = text_of(shown.app)
        assert "▸a shard 0" in text
        assert " b shard 1" in text


@given(charts(), st.integers(1, 220), st.integers(1, 60), st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_chart_is_drawn_in_its_room_with_the_newest_value_of_the_chosen_series(
    chart: Chart, width: int, height: int, data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(0, len(chart.series) - 1))
    state = ChartState(
        chart,
        data.draw(st.sampled_from([60, 30, 15, 10])),
        chosen,
        from_zero=data.draw(st.booleans()),
        has_cursor=data.draw(st.booleans()),
    )
    face = draw_chart(state, STATUS, width, height)
    assert len(face.lines) == height
    assert all(line.cell_length <= width for line in face.lines)
    if face.plot is not None:
        values = state.window.series[chosen].values
        newest = "-" if values[-1] is None else figure(values[-1])
        legend = next(y for y, number in face.series_at.items() if number == chosen)
        row = face.lines[legend].plain[face.legend_left :]
        assert row.startswith("▸")
        if len(newest) < 8 and width >= 30:
            assert f" {newest} " in f"{row} "
        shape = shape_of(values, state.window.start)
        if shape is not None:
            column, line = face.plot.column(shape.now_at), face.plot.row(shape.now)
            assert face.plot.cell(column, line).line == chosen


@given(of_type(Reading), st.integers(1, 220), st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_the_parts_of_any_reading_are_each_on_one_page_that_fits(
    reading: Reading, width: int, height: int
) -> None:
    pages = pages_for(reading.parts, width, height)
    placed = [number for page in pages for row in page for number in row.parts]
    assert placed == list(range(len(reading.parts)))
    for page in pages:
        assert sum(row.height for row in page) <= max(1, height)
        assert all(row.height >= 1 for row in page)


def test_requests_are_drawn_in_their_room() -> None:
    for width in (1, 30, 78, 130):
        for height in (1, 3, 8, 30):
            face = draw_traces(TraceState(TRACES.traces, 0, 1, 2), STATUS, width, height)
            assert len(face.lines) == height
            assert all(line.cell_length <= width for line in face.lines)


def test_every_part_has_a_view() -> None:
    assert {type(part) for part in EVERY_PART} == set(Part.__args__)  # type: ignore[attr-defined]
