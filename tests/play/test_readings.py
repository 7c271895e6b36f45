from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import AgentRole, Message
from chaosops.env.models.readings import Chart, Diff, Table
from chaosops.play.readings import (
    WINDOWS,
    ComparedLine,
    LogFilter,
    Sorting,
    filtered,
    instances_of,
    known_findings,
    last_minute,
    levels_of,
    paired,
    sorted_rows,
    windowed,
)
from tests.readings import DIFF, LOG, SESSIONS, SHARDS, charts, finding, odd_parts
from tests.strategies import of_type
from tests.text.samples import seen
from tests.worlds import all_ids


@pytest.mark.parametrize(
    ("wanted", "minutes"),
    [
        (LogFilter(), [-2, -2, -1, -1, 0, 0]),
        (LogFilter(level="WARN"), [-2, -1, 0, 0]),
        (LogFilter(level="ERROR"), [0]),
        (LogFilter(instance="db-8660"), [-2, -1]),
        (LogFilter(words="THROTTLED 4fad"), [0]),
        (LogFilter(template="throttled * requests"), [-2, -1, 0]),
        (LogFilter(level="WARN", instance="db-4fad", words="throttled"), [0]),
        (LogFilter(words="nowhere"), []),
    ],
)
def test_a_log_is_filtered_by_level_instance_words_and_template(
    wanted: LogFilter, minutes: list[int]
) -> None:
    assert [entry.minute for entry in filtered(LOG, wanted).entries] == minutes


def test_what_a_log_can_be_filtered_by_is_what_is_in_it() -> None:
    assert levels_of(LOG) == ("ERROR", "WARN", "INFO")
    assert instances_of(LOG) == ("db-4fad", "db-8660")


def column(table: Table, at: int) -> list[object]:
    return [row[at] for row in table.rows]


def test_a_table_is_sorted_by_any_column_with_empty_cells_last_both_ways() -> None:
    assert column(sorted_rows(SESSIONS, Sorting(2)), 2) == [0.48, 12.5, 3613.0]
    assert column(sorted_rows(SESSIONS, Sorting(2, descending=True)), 2) == [3613.0, 12.5, 0.48]
    for descending in (False, True):
        assert column(sorted_rows(SESSIONS, Sorting(3, descending)), 3) == [5178, None, None]
    assert sorted_rows(SESSIONS, None) == sorted_rows(SESSIONS, Sorting(99)) == SESSIONS


@given(of_type(Table), st.integers(-1, 3), st.booleans())
def test_sorting_any_table_keeps_every_row(table: Table, at: int, descending: bool) -> None:
    made = sorted_rows(table, Sorting(at, descending))
    assert sorted(map(repr, made.rows)) == sorted(map(repr, table.rows))


def test_a_window_shows_the_last_minutes_and_the_marks_in_them() -> None:
    shown = windowed(SHARDS, 3)
    assert shown.start == -2
    assert shown.series[0].values == (99.0, 100.0, 99.0)
    assert [mark.kind for mark in shown.marks] == ["automation"]
    assert windowed(SHARDS, 60) == SHARDS


@given(charts(), st.sampled_from(WINDOWS))
def test_a_window_always_ends_with_the_newest_minute(chart: Chart, minutes: int) -> None:
    shown = windowed(chart, minutes)
    assert last_minute(shown) == last_minute(chart)
    assert [s.values for s in shown.series] == [s.values[-minutes:] for s in chart.series]
    assert all(shown.start <= mark.minute <= last_minute(chart) for mark in shown.marks)


def test_a_diff_pairs_what_was_removed_with_what_came_in_its_place() -> None:
    assert paired(DIFF) == (
        ComparedLine("[pool]", "[pool]"),
        ComparedLine("max = 20", "max = 200"),
        ComparedLine("wait = 3 s", None),
        ComparedLine("min = 5", "min = 5"),
        ComparedLine(None, "idle = 60 s"),
    )


@given(of_type(Diff))
def test_the_two_sides_of_any_diff_are_its_lines(diff: Diff) -> None:
    pairs = paired(diff)
    before = [
        line[1:] if line[:1] in ("-", " ") else line for line in diff.lines if line[:1] != "+"
    ]
    after = [line[1:] if line[:1] in ("+", " ") else line for line in diff.lines if line[:1] != "-"]
    assert [pair.before for pair in pairs if pair.before is not None] == before
    assert [pair.after for pair in pairs if pair.after is not None] == after


def test_odd_parts_can_be_narrowed_and_sorted() -> None:
    for part in odd_parts():
        if isinstance(part, Chart):
            assert windowed(part, 10).title == part.title
        if isinstance(part, Table):
            assert len(sorted_rows(part, Sorting(0)).rows) == len(part.rows)


def test_a_role_knows_its_own_findings_and_those_that_were_shared_with_it_once() -> None:
    (first, *_) = seen(all_ids()[0])
    own, theirs = finding(SHARDS), finding(LOG)._replace(role=AgentRole.DEV)
    wordless = theirs._replace(reading=None)
    messages = tuple(
        Message(minute, AgentRole.DEV, None, "look", None, found)
        for minute, found in enumerate((theirs, theirs, wordless))
    )
    mine = Message(4, first.view.role, None, "look", None, own)
    view = first.view._replace(findings=(own,), channel=(*messages, mine), inbox=())
    known = known_findings(view)
    assert [(k.finding, k.number, k.sender) for k in known] == [
        (own, 1, None),
        (theirs, None, AgentRole.DEV),
    ]
