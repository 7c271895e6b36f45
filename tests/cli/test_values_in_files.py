"""Every value that a recording may hold is refused with its field, or shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chaosops.recording.events import Note, Workload, new_header
from chaosops.recording.library import look
from chaosops.recording.reader import LogReader, Recording, read_recording
from chaosops.recording.seal import SealChain
from chaosops.recording.times import LATEST_MS, as_millis, local_minute, now_ms
from chaosops.recording.upkeep import add_note
from chaosops.text import render_observation
from tests.cli.helpers import run_here
from tests.recording.games import UI, record, scenario
from tui.screens.recordings.screen import about_of, line_of

Path_ = tuple[str | int, ...]

ENDLESS = "more than a float can hold"
"""Stands for a number that is JSON, and infinite to those who read it."""

ODD: list[Any] = [
    ENDLESS,
    None, True, -1, 0, 1, 2**31, 2**32, 2**53, 2**53 + 1, 2**63, 2**64, -(2**70), 10**30, -(10**9),
    253_402_300_800_000, LATEST_MS, LATEST_MS + 1, -62_135_596_800_001, 8_640_000_000_000_001,
    0.5, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf"),
    "", "x", " ", "x" * 300, "\x1b[31m", "\u202e", "\ud800", "a\nb", "../../etc", "NaN", "[b]",
    [], [None], {}, {"a": 1}, [[[[]]]],
]  # fmt: skip
"""Times before 1970 and past the year 9999, endless and tiny numbers, no numbers, other kinds."""

Event = dict[str, Any]


@cache
def events() -> tuple[str, ...]:
    """The lines of a short game that a person ended, with a rating, as JSON text without seals."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = record(Path(folder), turns=3)
        whole = record(Path(folder), seed=8)
        load = Workload(mental=1, physical=2, temporal=3, performance=4, effort=5, frustration=6)
        add_note(whole, Note(at_ms=5, quality=3, comment="neat", workload=load))
        *_, footer, note = map(_body, whole.read_bytes().splitlines())
        lines = [_body(line) for line in path.read_bytes().splitlines()]
        total = sum(json.loads(line)["frame"]["reward"] for line in lines[1:])
        end = json.loads(footer)
        end["footer"].update(turns=3, cumulative_reward=total, reason="abandoned", resolved=False)
        return (*lines, json.dumps(end), note)


def _body(line: bytes) -> str:
    return (line.rpartition(b',"seal":')[0] + b"}").decode()


def places(value: Any, at: Path_ = ()) -> Iterator[Path_]:
    """Every place in JSON values, containers too."""
    if at:
        yield at
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*at, key))


@cache
def all_places() -> tuple[tuple[int, Path_], ...]:
    return tuple((i, at) for i, line in enumerate(events()) for at in places(json.loads(line)))


def changed(folder: Path, line: int, at: Path_, value: Any) -> Path:
    """The game with one value changed, and sealed as if it had been written so."""
    bodies = list(events())
    event: Any = json.loads(bodies[line])
    inside = event
    for step in at[:-1]:
        inside = inside[step]
    inside[at[-1]] = value
    bodies[line] = json.dumps(event, separators=(",", ":")).replace(json.dumps(ENDLESS), "1e999")
    chain = SealChain()
    path = folder / "game.jsonl"
    path.write_bytes(b"".join(chain.line(body.encode("ascii")) for body in bodies))
    return path


def check(folder: Path, line: int, at: Path_, value: Any, capsys: Any) -> None:
    path = changed(folder, line, at, value)
    named = [str(step) for step in at if isinstance(step, str)]
    shown = []
    for words in (
        ("recordings", "list"),
        ("recordings", "list", "--since", "2001-02-03"),
        ("recordings", "list", "--json"),
        ("recordings", "show"),
        ("recordings", "show", "--json"),
        ("recordings", "verify", "--jobs", "1"),
        ("recordings", "stats", "--policy", "noop"),
        ("recordings", "stats", "--policy", "noop", "--json"),
    ):
        outcome = run_here(capsys, *words, str(path))
        assert outcome.code in (0, 1), words
        assert "Traceback" not in outcome.err, words
        if "--json" in words:
            for text in outcome.out.splitlines() if words[1] == "list" else [outcome.out]:
                if text:
                    json.loads(text, parse_constant=pytest.fail)
        if outcome.code:
            shown.append(outcome.out + outcome.err)
    entry = look(path)
    assert line_of(entry).plain
    assert about_of(entry).plain
    refused = refusal(path)
    if entry.problem:
        assert shown
        assert is_placed(entry.problem, named), entry.problem
    if refused:
        assert is_placed(refused, named), refused
    if not refused:
        told(read_recording(path))


def is_placed(why: str, named: list[str]) -> bool:
    """Whether a refusal names the field; what is no JSON has none, and is named itself."""
    return "line " in why and any(
        word in why for word in (*named, "is no JSON number", "nested too deep")
    )


def refusal(path: Path) -> str:
    """Why the game cannot be read as a whole; empty where it can."""
    from chaosops.errors import RecordingError

    try:
        with LogReader(path) as log:
            for _turn in log:
                pass
    except RecordingError as error:
        return str(error)
    return ""


def told(recording: Recording) -> None:
    """What was taken is told."""
    for frame in recording.frames:
        assert render_observation(frame.observation)


@pytest.mark.slow
@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_every_value_that_a_file_may_hold_is_refused_with_its_field_or_shown(
    data: st.DataObject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = data.draw(st.sampled_from(range(len(events()))))
    deep = data.draw(st.booleans())
    where = [at for i, at in all_places() if i == line and (deep or len(at) < 4)]
    at = data.draw(st.sampled_from(where))
    value = data.draw(st.sampled_from(ODD) | st.integers() | st.floats())
    check(tmp_path, line, at, value, capsys)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("line", "at"),
    [
        (0, ("header", "started_at_ms")),
        (2, ("human", "shown_at_ms")),
        (4, ("footer", "ended_at_ms")),
        (4, ("footer", "cumulative_reward")),
        (5, ("note", "at_ms")),
        (1, ("frame", "reward")),
    ],
)
@pytest.mark.parametrize("value", [10**15, -1, 1e308, 10**30, LATEST_MS], ids=str)
def test_a_time_or_a_sum_out_of_bounds_is_refused_with_its_field_or_shown(
    line: int, at: Path_, value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check(tmp_path, line, at, value, capsys)


def test_the_last_time_that_a_file_may_hold_is_a_date() -> None:
    assert local_minute(0)[:4] in ("1969", "1970")
    assert local_minute(LATEST_MS)[:7] == "9999-12"


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Niue", "America/New_York"])
def test_it_is_a_date_in_every_time_zone(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert local_minute(LATEST_MS)[:7] == "9999-12"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("seconds", [-1e9, -0.5, 0.0, 1e300, 2.6e11])
def test_a_clock_that_is_set_to_no_such_date_still_makes_a_recording(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: seconds)
    assert 0 <= now_ms() == as_millis(seconds) <= LATEST_MS
    header = new_header(scenario(), seats={}, ui=UI, max_turns=4)
    assert header.started_at_ms == now_ms()
