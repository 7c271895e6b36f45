from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import AgentRole, Message, RoleView
from chaosops.env.models.readings import Chart, Part, Reading
from chaosops.text import COMPACT_TOKENS, Dialect, render_compact, render_observation
from chaosops.text.readings import (
    READING_CHARACTERS,
    part_facts,
    reading_texts,
    series_line,
    shape_of,
)
from chaosops.text.tokens import estimated_tokens
from chaosops.text_safety import has_unsafe
from tests.readings import (
    DIFF,
    EVERY_PART,
    LOG,
    SESSIONS,
    SHARDS,
    STATEMENT,
    STATUS,
    TRACES,
    charts,
    finding,
    hostile_parts,
    odd_parts,
)
from tests.strategies import HOSTILE, of_type
from tests.text.samples import seen
from tests.worlds import all_ids

PROGRAM = Dialect()


class Naming(Dialect):
    names_cells = True


def told(part: Part, dialect: Dialect = PROGRAM) -> list[str]:
    facts = part_facts(part, STATUS, dialect)
    return [facts.title, *facts.lines]


def test_a_chart_is_told_in_figures_and_in_since_when_each_series_moved() -> None:
    assert told(SHARDS) == [
        "cpu by shard, a value a minute from [-11] to [0]",
        "shard 0: 99 % now, 33 to 100 %, up from 34 % since [-3]",
        "shard 1: 34 % now, 33 to 34 %",
        "shard 2: 34 % at [-6], none since, 33 to 34 %",
        "[-9] migration CHG-1334",
        "[-2] automation autoscaler: scale",
    ]


def test_a_log_is_told_by_template_with_the_gravest_level_first() -> None:
    assert told(LOG) == [
        "log of db, 24 lines from [-2] to [0], by template with the newest line of each",
        "1 ERROR [0] on db-4fad: connection reset by peer",
        "13 WARN [-2] to [0] on db-8660 11, db-4fad 2: throttled 31 requests",
        "9 INFO [-1] on db-4fad: connection authorized",
        "1 INFO [-2] on db-4fad: checkpoint wrote 812",
    ]


def test_of_traces_the_longest_and_the_shortest_are_told_span_by_span() -> None:
    longest, shortest, other = told(TRACES)[1:]
    assert longest == (
        "3e9e1c [-1] 2060 ms, timeout, 3 spans: checkout POST /checkout 2060@0 [timeout] "
        ">payments GET /payments 2000@50 [timeout] >>db SELECT payments 1900@67 [timeout]"
    )
    assert shortest == "1d5ab0 [-1] 231 ms, ok, 1 span: checkout GET /checkout 231@0"
    assert other == "92b406 [0] 240 ms, ok, 3 spans"


def test_a_table_is_told_row_by_row_with_its_units_in_the_header() -> None:
    assert told(SESSIONS) == [
        "sessions (pid | state | age s | blocked by | query)",
        "5178 | active | 3613 | - | COPY cart_items TO STDOUT",
        "14988 | active | 0.48 | 5178 | SELECT * FROM payments",
        "902 | idle in transaction | 12.5 | - | SELECT * FROM logins",
    ]


def test_a_table_for_people_names_its_cells_and_leaves_out_the_empty_ones() -> None:
    assert told(SESSIONS, Naming())[:2] == [
        "sessions",
        "pid 5178: state active, age 3613 s, query COPY cart_items TO STDOUT",
    ]


def test_a_diff_is_told_with_who_made_it_and_a_statement_as_it_was_written() -> None:
    assert told(DIFF)[0] == (
        "[-9] config c125 of payments by maria, ticket CHG-1334, raise the pool"
    )
    assert told(DIFF)[2:4] == ["-max = 20", "-wait = 3 s"]
    assert told(STATEMENT) == ["policy of autoscaler", *STATEMENT.lines]


def test_what_does_not_fit_is_counted() -> None:
    long = SESSIONS._replace(rows=SESSIONS.rows * 40)
    (text,) = reading_texts(Reading(0, "runtime", "db", (long,)), STATUS, PROGRAM, room=300)
    rows = text.count(" | ") // 4 - 1
    assert rows >= 2
    assert text.endswith(f"; rows left out: {120 - rows}")
    assert len(text) <= 300


def test_a_long_part_leaves_room_for_the_others() -> None:
    long = SESSIONS._replace(rows=SESSIONS.rows * 40)
    texts = reading_texts(Reading(0, "runtime", "db", (long, SHARDS, DIFF)), STATUS, PROGRAM)
    assert "shard 0: 99 % now" in texts[1]
    assert "+idle = 60 s" in texts[2]


@given(st.lists(of_type(Part), max_size=8), st.integers(480, 3_000))
def test_any_reading_is_told_within_its_room_on_lines_of_its_own(
    parts: list[Part], room: int
) -> None:
    reading = Reading(0, "runtime", "db", tuple(parts))
    texts = reading_texts(reading, STATUS, PROGRAM, room=room)
    assert len(texts) == len(parts)
    assert sum(map(len, texts)) <= room
    assert not any(has_unsafe(text) or "\n" in text for text in texts)


@given(charts())
def test_a_chart_in_words_always_has_the_newest_value_of_each_series(chart: Chart) -> None:
    for series in chart.series:
        shape = shape_of(series.values, chart.start)
        assert shape is not None
        line = series_line(series, chart.start, STATUS, PROGRAM)
        after = line.partition(": ")[2].split()[0].rstrip(",")
        assert float(after) == pytest.approx(shape.now, rel=1e-3, abs=1e-4)


def test_parts_with_nothing_in_them_are_told_as_that() -> None:
    for part in odd_parts():
        assert part_facts(part, STATUS, PROGRAM).text()
        assert part_facts(part, STATUS, Naming()).text()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_reading_makes_no_line_and_no_escape(text: str) -> None:
    reading = Reading(0, "runtime", "db", hostile_parts(text))
    for told_text in reading_texts(reading, STATUS, PROGRAM):
        assert not has_unsafe(told_text)
        assert "\n" not in told_text


def looked(view: RoleView) -> RoleView:
    return view._replace(findings=(finding(*EVERY_PART),), channel=(), inbox=())


def test_a_prompt_tells_what_the_instrument_showed_below_its_finding() -> None:
    (first, *_) = seen(all_ids()[0])
    words = render_observation(first._replace(view=looked(first.view)))
    assert "- finding 0: [0] sre, runtime of db: runtime of db\n- finding 0, cpu by shard" in words
    assert "shard 0: 99 % now" in words
    assert sum(len(line) for line in words.splitlines() if "finding 0, " in line) < (
        READING_CHARACTERS + 20 * len(EVERY_PART)
    )


def test_a_compact_prompt_tells_as_much_of_it_as_fits() -> None:
    (first, *_) = seen(all_ids()[0])
    observation = first._replace(view=looked(first.view))
    assert "finding 0, cpu by shard" in render_compact(observation, tokens=2_000)
    tight = render_compact(observation)
    assert "finding 0: [0] sre, runtime of db" in tight
    assert estimated_tokens(tight) < COMPACT_TOKENS


def test_a_finding_that_is_shared_shares_what_the_instrument_showed() -> None:
    (first, *_) = seen(all_ids()[0])
    found = finding(SHARDS)._replace(role=AgentRole.DEV)
    for sender, is_told in ((AgentRole.DEV, True), (first.view.role, False)):
        message = Message(0, sender, None, "look", None, found)
        view = first.view._replace(channel=(message,), inbox=(), findings=())
        words = render_observation(first._replace(view=view))
        assert ("shard 0: 99 % now" in words) is is_told
        assert (
            "shard 0: 99 % now" in render_compact(first._replace(view=view), tokens=2_000)
        ) is is_told
