import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.errors import RecordingError
from chaosops.recording.events import Note
from chaosops.recording.layout import columns
from chaosops.recording.library import RecordedOutcome, look
from chaosops.recording.lines import MAX_LINE
from chaosops.recording.reader import LogReader, OtherVersion, read_recording
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.upkeep import add_note
from chaosops.recording.verdict import VerificationStatus
from chaosops.recording.verify import Verification, verify
from chaosops.version import __version__
from tests.recording.games import record
from tests.recording.samples import Event, edited, frames, write_log


def complaint(path: Path) -> str:
    with pytest.raises(RecordingError) as caught:
        read_recording(path)
    text = str(caught.value)
    assert "\n" not in text
    assert str(path) in text
    return text


@pytest.mark.few(1)
@pytest.mark.parametrize("turns", [5, None])
def test_the_seal_of_a_game_is_that_of_its_last_line_whatever_was_said_afterwards(
    turns: int | None, tmp_path: Path
) -> None:
    path = record(tmp_path, turns=turns)
    last = json.loads(path.read_bytes().splitlines()[-1])["seal"]
    if turns is None:
        add_note(path, Note(at_ms=1, quality=4))
    check = Verification(path, ScenarioBook())
    assert list(check.turns())
    with LogReader(path) as log:
        assert list(log)
    assert log.seal == check.seal == last


@pytest.mark.slow
def test_a_last_line_torn_anywhere_costs_only_that_line(tmp_path: Path) -> None:
    path = write_log(tmp_path, frames(2))
    lines = path.read_bytes().splitlines(keepends=True)[:-1]
    start = sum(map(len, lines[:-1]))
    whole = b"".join(lines)
    for stop in range(start + 1, len(whole)):
        path.write_bytes(whole[:stop])
        recording = read_recording(path)
        assert recording.frames == frames(2)[:1]
        assert recording.warnings == ("line 3 is incomplete and was left out",)
        assert path.stat().st_size == stop
    path.write_bytes(whole[:start])
    assert read_recording(path).warnings == ()


def test_a_torn_footer_leaves_every_turn(tmp_path: Path) -> None:
    path = write_log(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    recording = read_recording(path)
    assert recording.frames == frames()
    assert recording.footer is None
    assert len(recording.warnings) == 1


def test_zeros_after_a_power_cut_count_as_a_torn_line(tmp_path: Path) -> None:
    path = write_log(tmp_path)
    with path.open("ab") as file:
        file.write(bytes(512))
    assert len(read_recording(path).warnings) == 1


def test_a_broken_line_in_the_middle_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = write_log(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3][:40] + b"\n"
    path.write_bytes(b"".join(lines))
    assert "line 4: not a JSON object" in complaint(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"hello\n",
        b"[]\n",
        b"null\n",
        b'{"kind":"turn"}\n',
        b'{"kind":"header"',
        b'{"kind":["header"]}\n',
        b"\xff\xfe\x00",
        b"\x1f\x8b\x08\x00 gzip",
        b"[" * 100_000 + b"\n",
        b"1" * 5_000 + b"\n",
        b'{"kind":NaN}\n',
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_file_that_is_no_recording_is_refused_with_the_cure(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(content)
    text = complaint(path)
    assert "line 1" in text
    assert "choose a .jsonl file that the game wrote" in text


def test_a_folder_and_a_missing_file_are_refused_with_the_reason(tmp_path: Path) -> None:
    assert "it is a folder" in complaint(tmp_path)
    assert "No such file" in complaint(tmp_path / "gone.jsonl")


def test_a_line_without_an_end_is_not_read_into_memory(
    tmp_path: Path,
) -> None:
    path = write_log(tmp_path)
    with path.open("ab") as file:
        file.write(b" " * (MAX_LINE + 1))
    assert "line 9: the line is longer than 1024 KiB" in complaint(path)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"schema_version": 2, "chaosops": "9.0.1"},
            (
                "header.schema_version: its log format is 2, but this version reads 1; chaosops "
                f"9.0.1 wrote it, and this is {__version__}: update ChaosOps, or export it with "
                "chaosops 9.0.1"
            ),
        ),
        (
            {"schema_version": 0, "chaosops": "0.0.1"},
            (
                "its log format is 0, but this version reads 1; chaosops 0.0.1 wrote it, and this "
                f"is {__version__}: export it with chaosops 0.0.1"
            ),
        ),
        (
            {"schema_version": 2, "chaosops": ["x"]},
            (
                f"an unknown version of chaosops wrote it, and this is {__version__}: update "
                "ChaosOps, or export it with the chaosops that wrote it"
            ),
        ),
        (
            {"columns": columns() | {"Alert": ["minute"], "Weather": ["rain"]}},
            "header.columns: the columns of Alert, Weather differ from those of this version",
        ),
        (
            {"weather": "rain", "chaosops": "9.0.1"},
            "header.weather: extra inputs are not permitted; chaosops 9.0.1 wrote it",
        ),
    ],
)
def test_a_log_of_another_version_says_what_differs_and_the_cure(
    changes: Event, says: str, tmp_path: Path
) -> None:
    path = edited(write_log(tmp_path), 1, lambda event: event["header"].update(changes))
    with pytest.raises(OtherVersion):
        read_recording(path)
    assert f"{path}, line 1: " in complaint(path)
    assert says in complaint(path)
    assert look(path).outcome is RecordedOutcome.OTHER_VERSION
    assert says in look(path).problem
    verdict = verify(path)
    assert verdict.status is VerificationStatus.OTHER_VERSION
    assert says in verdict.message


def test_the_words_of_another_version_are_made_safe(tmp_path: Path) -> None:
    changes = {"schema_version": 2, "chaosops": "\x1b[2J\n" + "9" * 500}
    path = edited(write_log(tmp_path), 1, lambda event: event["header"].update(changes))
    assert "\x1b" not in complaint(path)
    assert len(complaint(path)) < 500 + len(str(path))


def put(*keys: str | int, value: object) -> Callable[[Event], object]:
    def change(event: Event) -> None:
        inner: Any = event
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("line", "change", "place"),
    [
        (1, put("header", "seed", value=-1), "header.seed"),
        (1, put("header", "hostname", value="x"), "header.hostname"),
        (1, put("header", "seats", "boss", value={"kind": "human"}), "header.seats.boss"),
        (1, put("header", value=None), "header"),
        (2, put("kind", value="header"), "a second header"),
        (2, put("kind", value="chapter"), "kind"),
        (2, put("frame", "turn", value=1), "frame.turn"),
        (2, put("frame", "reward", value=9.0), "frame.reward"),
        (2, put("frame", "breakdown", 0, value=100.0), "frame.reward"),
        (2, put("frame", "breakdown", 0, value="much"), "frame.breakdown.resolved_bonus"),
        (2, put("frame", "role", value="dev"), "frame.role"),
        (2, put("action", "role", value="dev"), "frame.role"),
        (2, put("frame", "done", value=True), "frame.turn: the episode was over"),
        (2, put("human", "source", value="ghost"), "human.source"),
        (2, put("human", "latency_ms", value=-5), "human.latency_ms"),
        (2, put("human", "address", value="x"), "human.address"),
        (2, put("note", value="x"), "note: extra inputs are not permitted"),
        (2, put("seal", value=7), "seal"),
        (2, put("marks", value=[]), "marks"),
        (8, put("footer", "turns", value=5), "footer.turns"),
        (8, put("footer", "cumulative_reward", value=0.5), "footer.cumulative_reward"),
        (8, put("footer", "reason", value="bored"), "footer.reason"),
    ],
)
def test_an_edited_field_is_an_error_that_names_line_and_field(
    line: int, change: Callable[[Event], object], place: str, tmp_path: Path
) -> None:
    text = complaint(edited(write_log(tmp_path), line, change))
    assert place in text
    assert f"line {line}" in text or "over" in text


def test_turns_out_of_order_are_refused(tmp_path: Path) -> None:
    path = write_log(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[6], lines[7] = lines[7], lines[6]
    path.write_bytes(b"".join(lines))
    assert "line 7: footer.turns" in complaint(path)
    lines[6], lines[7] = lines[7], lines[6]
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    assert "line 2" in complaint(path)


@pytest.mark.parametrize("again", [7, 8])
def test_nothing_may_follow_the_footer(again: int, tmp_path: Path) -> None:
    path = write_log(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[again - 1]]))
    assert "line 9: an event other than a note after the footer" in complaint(path)


def test_more_turns_than_the_header_allows_are_refused(tmp_path: Path) -> None:
    path = edited(write_log(tmp_path), 1, lambda event: event["header"].update(max_turns=4))
    assert "line 6: frame.turn: the header allows 4 turns" in complaint(path)


@pytest.mark.parametrize("turns", [0, -4, 3, 5, 41, 10_004])
def test_a_length_that_is_no_whole_number_of_rounds_is_refused_with_its_field(
    turns: int, tmp_path: Path
) -> None:
    path = edited(write_log(tmp_path), 1, lambda event: event["header"].update(max_turns=turns))
    assert "header.max_turns" in complaint(path)


def test_text_in_a_file_is_made_safe(tmp_path: Path) -> None:
    hostile = "\x1b]0;x\x07\ud800\u202e"
    path = edited(write_log(tmp_path), 2, put("frame", "message", value=hostile))
    assert read_recording(path).turns[0].frame.message == "\ufffd]0;x\ufffd\ufffd\ufffd"


@given(content=st.binary(max_size=200), line=st.integers(0, 8))
def test_no_bytes_in_a_log_ever_raise_anything_else(
    content: bytes, line: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write_log(tmp_path_factory.mktemp("log"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:line], content, *lines[line + 1 :]]))
    with suppress(RecordingError):
        assert read_recording(path).header.scenario == "first-outage"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(data=st.data(), value=json_values)
def test_no_value_in_place_of_another_ever_raises_anything_else(
    data: st.DataObject, value: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write_log(tmp_path_factory.mktemp("log"), frames(5))
    lines = path.read_text().splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    event = json.loads(lines[number])
    inner = event
    while True:
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        key = data.draw(st.sampled_from(keys))
        child = inner[key]
        if not isinstance(child, dict | list) or not child or data.draw(st.booleans()):
            inner[key] = value
            break
        inner = child
    lines[number] = json.dumps(event)
    path.write_text("\n".join(lines) + "\n")
    with suppress(RecordingError):
        assert len(read_recording(path).turns) == 5
