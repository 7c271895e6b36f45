from __future__ import annotations

import re
from pathlib import Path

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.play.action_form.typed import CommandError
from chaosops.play.readings import LogFilter
from chaosops.play.session import Roster, Session
from chaosops.text_safety import has_unsafe
from tests.readings import (
    DIFF,
    LOG,
    SESSIONS,
    SHARDS,
    STATEMENT,
    STATUS,
    TRACES,
    hostile_parts,
    odd_parts,
)
from tests.strategies import HOSTILE
from tests.tui.games import UI
from tests.tui.instruments.test_in_game import situation
from tests.tui.plain_games import SPELLED_OUT, played, recording_of
from tui.plain.instruments import (
    _at,
    _filtered,
    _last,
    _one_part,
    _opened,
    _request,
    _sorted,
    part_lines,
)

SRE, DEV = AgentRole.SRE, AgentRole.DEV


def session(*people: AgentRole, folder: Path | None = None) -> Session:
    mates = {role: pass_turn for role in TURN_ORDER if role not in people}
    roster = Roster(frozenset(people), mates, dict.fromkeys(mates, "noop"))
    return Session(situation(), roster, recordings=folder, ui=UI)


def test_a_look_is_told_in_the_turn_in_which_it_is_taken() -> None:
    said = played(session(SRE), "look runtime db")
    after = said[said.index("You: investigate runtime of db") :]
    assert after.index("Finding 1, runtime of db at ") < after.index("Turn 5 of")
    assert "Instances:" in after
    assert re.search(r"zone z\d, build r\d{3,4}", after)


def test_a_finding_is_opened_filtered_and_sorted_by_its_number() -> None:
    said = played(
        session(SRE),
        "look runtime db",
        "finding 1 sort cpu",
        "look logs db",
        "finding 2 filter warn",
        "finding 3",
        "finding 1 frobnicate",
        "finding",
    )
    assert "instances by cpu, highest first:" in said
    assert "WARN and above:" in said
    assert "No finding '3': you have 2." in said
    assert "'frobnicate' opens nothing" in said
    assert "- finding 2: " in said
    assert not SPELLED_OUT.search(said)


def test_a_chart_is_told_in_figures_and_in_since_when_it_moved() -> None:
    assert part_lines(SHARDS, STATUS)[:3] == [
        "Cpu by shard, a value a minute from 09:49 to 10:00:",
        "- shard 0: 99 % now, 33 to 100 %, up from 34 % since 09:57",
        "- shard 1: 34 % now, 33 to 34 %",
    ]
    lines, looks = _at("09:57", [SHARDS], STATUS)
    assert lines == [
        "cpu by shard at 09:57:",
        "- shard 0 60 %",
        "- shard 1 33 %",
        "- shard 2 no value",
    ]
    assert [look.cursor for look in looks] == [-3]
    lines, looks = _last("3", [SHARDS], STATUS)
    assert "from 09:58 to 10:00" in lines[0]
    assert [look.minutes for look in looks] == [3]


def test_a_log_is_filtered_by_level_instance_and_words() -> None:
    lines, (look,) = _filtered("warn db-4fad throttled", [LOG], STATUS)
    assert lines == [
        "2 of 24 lines of db, WARN and above, db-4fad, with throttled:",
        "- 10:00 db-4fad WARN throttled 31 requests, 2 lines like it",
    ]
    assert look.filter == LogFilter("WARN", "db-4fad", "throttled")
    assert look.rows == (0, 0)


def test_a_table_is_sorted_by_a_column_either_way() -> None:
    lines, (look,) = _sorted("age", [SESSIONS], STATUS)
    assert [line.split(":")[0] for line in lines[1:]] == ["- pid 5178", "- pid 902", "- pid 14988"]
    assert (look.sorted_by, look.descending) == ("age", True)
    lines, _ = _sorted("age up", [SESSIONS], STATUS)
    assert [line.split(":")[0] for line in lines[1:]] == ["- pid 14988", "- pid 902", "- pid 5178"]


def test_requests_are_told_the_longest_first_and_any_of_them_span_by_span() -> None:
    lines = part_lines(TRACES, STATUS)
    heads = [line for line in lines if line.startswith("- request")]
    assert [head.split()[2] for head in heads] == ["3e9e1c", "92b406", "1d5ab0"]
    assert "- level 3: db SELECT payments, 1900 ms from 67 ms on, timeout" in lines
    told, (look,) = _request("92b406", [TRACES], STATUS)
    assert told[-1] == "- level 3: db SELECT payments, 10 ms from 67 ms on"
    assert look.chosen == "92b406"


def test_a_diff_is_told_without_signs_and_a_statement_as_it_was_written() -> None:
    lines = part_lines(DIFF, STATUS)
    assert "by maria, ticket CHG-1334" in lines[0]
    assert lines[1:4] == ["- as before: [pool]", "- removed: max = 20", "- removed: wait = 3 s"]
    assert part_lines(STATEMENT, STATUS)[1:] == [f"- {line}" for line in STATEMENT.lines]


def test_a_part_is_named_by_its_number_or_by_a_part_of_its_name() -> None:
    parts = [SHARDS, SESSIONS]
    assert _one_part("2", parts, STATUS) == _one_part("sess", parts, STATUS)
    with pytest.raises(CommandError, match="its parts are cpu by shard, sessions"):
        _one_part("nowhere", parts, STATUS)


@pytest.mark.parametrize(
    ("tell", "words", "parts", "why"),
    [
        (_filtered, "error", [SHARDS], "it has no log"),
        (_sorted, "age", [SHARDS], "it has no table"),
        (_sorted, "agee", [SESSIONS], "did you mean age.* columns are pid, state, age"),
        (_sorted, "", [SESSIONS], "its columns are"),
        (_last, "many", [SHARDS], "from 1 to 60"),
        (_last, "0", [SHARDS], "from 1 to 60"),
        (_at, "23:59", [SHARDS], "from 09:49 to 10:00"),
        (_at, "noon", [SHARDS], "give a time"),
        (_request, "zz", [TRACES], "its requests are 3e9e1c, 92b406, 1d5ab0"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_can(tell, words, parts, why) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CommandError, match=why):
        tell(words, parts, STATUS)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_in_a_reading_is_said_on_lines_of_its_own(text: str) -> None:
    from chaosops.play.plain_dialect import on_one_line

    for part in hostile_parts(text):
        for line in part_lines(part, STATUS):
            said = on_one_line(line)
            assert not has_unsafe(said)
            assert "\n" not in said


def test_odd_parts_are_told_too() -> None:
    for part in odd_parts():
        lines, looks = _opened([part], STATUS)
        assert lines
        assert len(looks) == 1


def test_who_shares_a_keyboard_reads_a_look_before_the_next_one_sits_down() -> None:
    said = played(session(SRE, DEV), "", "look runtime db", "", "", "pass")
    told = said.index("Finding 1, runtime of db")
    assert told < said.index("Press Enter to continue:") < said.index("Hand over to Dev")


def test_what_is_opened_in_plain_mode_is_recorded_with_the_turn(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "look runtime db", "finding 1 sort cpu", "pass")
    human = recording_of(game).turns[4].human
    found = {(look.title, look.sorted_by) for look in human.instruments}
    assert ("instances", "cpu") in found
    assert ("shards", "cpu") in found


def test_a_shared_finding_is_opened_by_its_letter() -> None:
    def sharing(observation, role):  # type: ignore[no-untyped-def]
        if role is DEV and not observation.view.findings:
            return ChaosOpsAction(role, ActionType.INVESTIGATE, "checkout", {"source": "config"})
        if role is DEV:
            return ChaosOpsAction(role, ActionType.COMMUNICATE, None, {"to": "all", "finding": 0})
        return pass_turn(observation, role)

    mates = {role: sharing for role in TURN_ORDER if role is not SRE}
    roster = Roster(frozenset({SRE}), mates, dict.fromkeys(mates, "noop"))
    game = Session(situation(), roster, recordings=None, ui=UI)
    said = played(game, "pass", "pass", "finding", "finding a")
    assert "- finding a: " in said
    assert "config of checkout at 22:58, shared by Dev:" in said
    assert "loaded hash" in said
