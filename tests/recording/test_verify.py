import gzip
import json
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import POLICY_NAMES
from chaosops.env.engine import ENGINE
from chaosops.errors import RecordingError
from chaosops.recording.bulk import BATCH, BATCH_BYTES, batches, verify_many
from chaosops.recording.events import MAX_NOTES, Note
from chaosops.recording.library import look
from chaosops.recording.lines import MAX_LINE, MAX_VALUES
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.script import Script
from chaosops.recording.seal import SealChain
from chaosops.recording.upkeep import add_note
from chaosops.recording.verdict import Verdict, VerificationStatus
from chaosops.recording.verify import verify
from tests.datasets.games import game as exported_game
from tests.datasets.games import resealed
from tests.recording.games import flip, leaves, outcome, record, rewrite, scenario
from tests.strategies import HOSTILE

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole game, with messages, findings and fixes in it."""
    return record(tmp_path_factory.mktemp("game"))


@pytest.fixture
def game(original: Path) -> bytes:
    return original.read_bytes()


def judge(path: Path, content: bytes) -> Verdict:
    path.write_bytes(content)
    return verify(path)


@pytest.mark.few(1)
@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_a_recording_as_it_was_written_is_proved(policy: str, tmp_path: Path) -> None:
    verdict = verify(record(tmp_path, policy=policy))
    assert verdict.ok, verdict.message
    assert verdict.finished
    assert verdict.turns == len(outcome(policy=policy).steps)


@pytest.mark.few(1)
@pytest.mark.parametrize("turns", [0, 1, 9])
def test_an_unfinished_game_is_proved_as_far_as_it_goes(turns: int, tmp_path: Path) -> None:
    verdict = verify(record(tmp_path, turns=turns))
    assert verdict.ok, verdict.message
    assert not verdict.finished
    assert verdict.turns == turns


@pytest.mark.slow
@settings(max_examples=25)
@given(data=st.data())
def test_any_value_of_any_frame_that_is_flipped_is_named_by_turn_and_field(
    data: st.DataObject, original: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert_a_flip_is_named(data, original, tmp_path_factory.mktemp("flip") / "game.jsonl")


@pytest.mark.slow
@settings(max_examples=150)
@given(data=st.data())
def test_any_of_many_values_that_is_flipped_is_named_by_turn_and_field(
    data: st.DataObject, original: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert_a_flip_is_named(data, original, tmp_path_factory.mktemp("flip") / "game.jsonl")


def assert_a_flip_is_named(data: st.DataObject, original: Path, path: Path) -> None:
    game = original.read_bytes()
    lines = game.splitlines()
    turn = data.draw(st.integers(0, len(lines) - 3), label="turn")
    event = json.loads(lines[turn + 1])
    parts = {"action": event["action"], "frame": event["frame"]}
    leaf = data.draw(st.sampled_from(sorted(leaves(parts), key=str)), label="leaf")
    path.write_bytes(game)
    verdict = verify(rewrite(path, turn + 2, lambda event: flip(event, leaf)))
    assert verdict.status is VerificationStatus.EDITED
    assert verdict.turn == verdict.turns == turn
    named = verdict.field.replace(".moved.", ".view.")
    assert f"{named}.".startswith(f"{field_of(leaf)}.")


def field_of(leaf: tuple[str | int, ...]) -> str:
    """The field that holds a value, in a view the whole part: how parts are written may differ."""
    steps = [str(step) for step in leaf]
    if steps[1:2] == ["observation"] and steps[2] in ("view", "moved"):
        return f"frame.observation.view.{steps[3]}"
    if steps[1] == "breakdown":
        return "frame.breakdown"
    return ".".join(steps)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda event: event["human"].update(latency_ms=5), "human"),
        (lambda event: event["human"].update(latency_ms="5"), "human.latency_ms"),
        (lambda event: event.update(seal="0" * 16), "human"),
        (lambda event: event.update(seal=0), "seal"),
        (lambda event: event["marks"].update(target="00000000"), "marks.target"),
        (lambda event: event.pop("marks"), "marks"),
        (lambda event: event["frame"]["observation"].update(step=True), "frame.observation.step"),
        (lambda event: event["frame"].update(note="x"), "frame.note"),
        (lambda event: event.update(frame=[]), "frame"),
    ],
)
def test_what_is_changed_beside_the_frame_is_named_too(
    change: Change, field: str, game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(game)
    verdict = verify(rewrite(path, 6, change))
    assert (verdict.status, verdict.turn, verdict.field) == (VerificationStatus.EDITED, 4, field)


def test_a_line_that_says_the_same_in_other_words_is_not_as_it_was_written(
    game: bytes, tmp_path: Path
) -> None:
    lines = game.splitlines(keepends=True)
    lines[3] = json.dumps(json.loads(lines[3]), sort_keys=True).encode() + b"\n"
    verdict = judge(tmp_path / "game.jsonl", b"".join(lines))
    assert (verdict.status, verdict.turn) == (VerificationStatus.EDITED, 2)
    assert "rewritten" in verdict.message


def test_line_ends_that_a_copy_made_do_not_matter(game: bytes, tmp_path: Path) -> None:
    assert judge(tmp_path / "game.jsonl", game.replace(b"\n", b"\r\n")).ok


def sealed_again(path: Path, game: bytes, line: int, change: Change, writer: str = "") -> Verdict:
    """Judge the game with a line changed, counted from 1, and sealed as if it was written so.

    Args:
        writer: The version of ChaosOps that the header names instead.
    """
    bodies = [json.loads(text.rpartition(b',"seal":')[0] + b"}") for text in game.splitlines()]
    change(bodies[line - 1])
    if writer:
        bodies[0]["header"]["chaosops"] = writer
    chain = SealChain()
    text = b"".join(chain.line(json.dumps(body, separators=(",", ":")).encode()) for body in bodies)
    return judge(path, text)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("line", "change", "field"),
    [
        (5, lambda event: event["frame"].update(reward=99.0), "frame.reward"),
        (5, lambda event: event["frame"]["breakdown"].__setitem__(0, 99.0), "frame.breakdown"),
        (5, lambda event: event["frame"].update(message="done"), "frame.message"),
        (
            5,
            lambda event: event["frame"]["observation"].update(message="all well"),
            "frame.observation.message",
        ),
    ],
)
def test_what_was_changed_and_sealed_again_is_named_as_changed_by_hand(
    line: int, change: Change, field: str, game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    verdict = sealed_again(path, game, line, change)
    assert (verdict.status, verdict.turn) == (VerificationStatus.EDITED, 3)
    assert verdict.field.startswith(field)
    assert verdict.message.endswith("it was changed by hand and sealed again")


def test_what_another_version_wrote_so_has_drifted(game: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    change: Change = lambda event: event["frame"].update(reward=99.0)  # noqa: E731
    verdict = sealed_again(path, game, 5, change, writer="0.0.1")
    assert (verdict.status, verdict.turn, verdict.field) == (
        VerificationStatus.DRIFTED,
        3,
        "frame.reward",
    )
    assert "as it was written, by chaosops 0.0.1, and this is" in verdict.message
    assert "by hand" not in verdict.message


def test_a_level_that_was_changed_by_hand_is_named_where_its_frames_differ(tmp_path: Path) -> None:
    own, other = "easy", "hard"  # within the par of one, and over that of the other
    path, _ = exported_game(tmp_path, "paying-ends-in-an-error", max_turns=None)
    assert verify(path).ok
    change: Change = lambda event: event["header"].update(difficulty=other)  # noqa: E731
    verdict = sealed_again(path, path.read_bytes(), 1, change)
    assert (verdict.status, verdict.field) == (VerificationStatus.EDITED, "header.difficulty")
    assert f"{other}, and the frames are those of {own}" in verdict.message
    assert "changed by hand" in verdict.message


def test_a_level_that_is_not_the_incidents_is_told_where_no_frame_differs(tmp_path: Path) -> None:
    path = record(tmp_path, turns=2)
    own = read_recording(path).header.difficulty.value
    other = "hard" if own != "hard" else "easy"
    change: Change = lambda event: event["header"].update(difficulty=other)  # noqa: E731
    verdict = sealed_again(path, path.read_bytes(), 1, change)
    warning = f"header.difficulty: {other}, but the incident's level is {own}"
    assert warning in (*verdict.warnings, verdict.message)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda footer: footer.update(wrong_fixes=footer["wrong_fixes"] + 1), "footer.wrong_fixes"),
        (lambda footer: footer.update(reason="abandoned"), "footer.reason"),
        (lambda footer: footer.update(ended_at_ms=1), "footer"),
        (lambda footer: footer.update(submitted=False), "footer"),
        (lambda footer: footer.update(turns="many"), "footer.turns"),
    ],
)
def test_a_footer_that_is_changed_is_named(
    change: Change, field: str, game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(game)
    last = len(game.splitlines())
    verdict = verify(rewrite(path, last, lambda event: change(event["footer"])))
    assert (verdict.status, verdict.turn, verdict.field) == (VerificationStatus.EDITED, None, field)


@pytest.mark.parametrize("name", ["seed", "max_turns", "started_at_ms"])
def test_a_header_that_is_changed_is_named(name: str, game: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(game)
    verdict = verify(rewrite(path, 1, lambda event: flip(event, ("header", name))))
    assert (verdict.status, verdict.turns) == (VerificationStatus.EDITED, 0)
    assert verdict.field in ("header", f"header.{name}")


def sealed_with(game: bytes, **changes: object) -> bytes:
    """The game's header with other values, sealed as if it had been written so."""
    header = json.loads(game.splitlines()[0])["header"] | changes
    body = json.dumps({"kind": "header", "header": header}, separators=(",", ":"))
    return Script().chain.line(body.encode("ascii"))


def test_another_version_of_the_scenario_is_told_from_an_edited_log(
    game: bytes, tmp_path: Path
) -> None:
    verdict = judge(tmp_path / "game.jsonl", sealed_with(game, scenario_sha256="0" * 64))
    assert verdict.status is VerificationStatus.OTHER_VERSION
    assert "000000000000" in verdict.message
    assert scenario().content_hash[:12] in verdict.message


@pytest.mark.parametrize(
    ("changes", "differs", "same"),
    [
        ({"incident_sha256": "1" * 64}, ["the scenario first"], ["its topology", "chaosops 0"]),
        ({"topology_sha256": "1" * 64}, ["its topology storefront"], ["the scenario", "chaosops"]),
        (
            {"incident_sha256": "1" * 64, "topology_sha256": "2" * 64, "chaosops": "0.0.1"},
            ["the scenario", "its topology", "chaosops (recorded 0.0.1, here"],
            [],
        ),
    ],
)
def test_which_of_scenario_topology_and_engine_is_another_version_is_said(
    changes: dict[str, object], differs: list[str], same: list[str], game: bytes, tmp_path: Path
) -> None:
    changed = sealed_with(game, scenario_sha256="0" * 64, **changes)
    message = judge(tmp_path / "game.jsonl", changed).message
    other, _, unchanged = message.partition(", not of ")
    assert all(word in other for word in differs), message
    assert all(word in unchanged for word in same), message
    assert "use the recorded version" in message
    assert bool(unchanged) is bool(same)


def test_a_log_from_before_there_were_the_later_fields_is_still_proved(
    game: bytes, tmp_path: Path
) -> None:
    def before(**changes: object) -> bytes:
        header = json.loads(game.splitlines()[0])["header"] | changes
        del header["incident_sha256"], header["topology_sha256"]
        body = json.dumps({"kind": "header", "header": header}, separators=(",", ":"))
        return Script().chain.line(body.encode("ascii"))

    assert judge(tmp_path / "old.jsonl", before()).ok
    changed = judge(tmp_path / "other.jsonl", before(scenario_sha256="0" * 64))
    assert changed.status is VerificationStatus.OTHER_VERSION
    assert "another version of the scenario first-shift-1-product-pages or" in changed.message


def engine_of(event: dict[str, Any], engine: int | None) -> None:
    """Let a header say the engine; a log of the first one says none."""
    if engine is None:
        del event["header"]["engine"]
    else:
        event["header"]["engine"] = engine


@pytest.mark.parametrize(("engine", "named"), [(None, 1), (ENGINE + 1, ENGINE + 1)])
def test_a_recording_of_another_engine_is_named_so_and_is_neither_compared_nor_resumed(
    engine: int | None, named: int, game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"".join(game.splitlines(keepends=True)[:5]))
    resealed(path, 1, lambda event: engine_of(event, engine))
    verdict = verify(path)
    found = (verdict.status, verdict.field, verdict.turns)
    assert found == (VerificationStatus.OTHER_ENGINE, "header.engine", 0)
    assert f"recorded with engine {named} of " in verdict.message
    assert f"this is engine {ENGINE}" in verdict.message
    assert verdict.reason == verdict.message
    with pytest.raises(RecordingError, match="cannot be resumed: recorded with engine"):
        reopen(path)
    assert len(read_recording(path).turns) == look(path).turns == 4


@pytest.mark.parametrize("name", ["gone-for-good", "../../secret", "/etc/hosts", "x.yaml", ""])
def test_a_scenario_that_is_not_here_is_said_so_and_no_file_of_that_name_is_opened(
    name: str, game: bytes, tmp_path: Path
) -> None:
    verdict = judge(tmp_path / "game.jsonl", sealed_with(game, scenario=name))
    assert verdict.status is VerificationStatus.NO_SCENARIO
    assert "\n" not in verdict.message


def test_a_later_version_of_the_format_is_said_so(game: bytes, tmp_path: Path) -> None:
    verdict = judge(tmp_path / "game.jsonl", sealed_with(game, schema_version=2))
    assert verdict.status is VerificationStatus.OTHER_VERSION
    columns = json.loads(game.splitlines()[0])["header"]["columns"] | {"Alert": ["minute"]}
    verdict = judge(tmp_path / "game.jsonl", sealed_with(game, columns=columns))
    assert verdict.status is VerificationStatus.OTHER_VERSION


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda lines: [], "line 1: the file is empty"),
        (lambda lines: [b"hello\n"], "line 1: not a JSON object"),
        (lambda lines: [b"\x00" * 9 + b"\n", *lines[1:]], "line 1: not a JSON object"),
        (lambda lines: [b"{}\n", *lines[1:]], "line 1: kind: not 'header'"),
        (lambda lines: [*lines[:5], b"{}\n", *lines[5:]], "line 6: kind: none of turn"),
        (lambda lines: [*lines[:5], b"[[[\n", *lines[5:]], "line 6: not a JSON object"),
        (
            lambda lines: [b" " * MAX_LINE + lines[0], *lines[1:]],
            "line 1: the line is longer than 1024 KiB",
        ),
        (
            lambda lines: [*lines[:5], b" " * MAX_LINE + lines[5], *lines[6:]],
            "line 6: the line is longer than 1024 KiB",
        ),
        (
            lambda lines: [*lines[:5], b"[" + b"{}," * MAX_VALUES + b"1,1]\n", *lines[5:]],
            "line 6: the line has more than 50000 values",
        ),
        (lambda lines: [*lines, lines[-1]], "footer: a second footer"),
        (lambda lines: [*lines, lines[1]], "frame.turn: a turn after the footer"),
        (lambda lines: [*lines[:-1], lines[-2]], "frame.turn: a turn after the end"),
    ],
)
def test_a_file_that_cannot_be_read_on_is_damaged_and_the_line_is_named(
    make: Callable[[list[bytes]], list[bytes]], why: str, game: bytes, tmp_path: Path
) -> None:
    lines = make(game.splitlines(keepends=True))
    verdict = judge(tmp_path / "game.jsonl", b"".join(lines))
    assert verdict.status is VerificationStatus.DAMAGED
    assert re.match(r"line \d+: ", verdict.message)
    assert why in verdict.message


def test_a_header_with_a_value_that_cannot_be_is_named_by_its_line(
    game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(game)
    verdict = verify(rewrite(path, 1, lambda event: event["header"].update(seed="7")))
    assert (verdict.status, verdict.field) == (VerificationStatus.EDITED, "header.seed")
    assert verdict.message.startswith("line 1: header.seed: ")


def test_turns_out_of_order_are_named(game: bytes, tmp_path: Path) -> None:
    lines = game.splitlines(keepends=True)
    lines[3], lines[4] = lines[4], lines[3]
    verdict = judge(tmp_path / "game.jsonl", b"".join(lines))
    assert (verdict.status, verdict.turn) == (VerificationStatus.EDITED, 2)
    lines = game.splitlines(keepends=True)
    del lines[3]
    verdict = judge(tmp_path / "game.jsonl", b"".join(lines))
    assert (verdict.status, verdict.turn) == (VerificationStatus.EDITED, 2)


def test_a_torn_last_line_proves_nothing_wrong_and_is_reported(game: bytes, tmp_path: Path) -> None:
    whole = b"".join(game.splitlines(keepends=True)[:9])
    for cut in (1, 2, 30, 400):
        verdict = judge(tmp_path / "game.jsonl", whole[:-cut])
        assert verdict.ok, verdict.message
        assert verdict.turns == 7
        assert verdict.warnings == ("line 9 is incomplete and was left out",)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [
        (None, b'"submitted":true', b'"submitted":tru'),
        (None, b'"kind"', b"'kind'"),
        (None, b"}\n", b"\n"),
        (9, b'"done":false', b'"done":falsy'),
        (9, b'"reward":-', b'"reward":-NaN'),
        (9, b"}\n", b"\n"),
    ],
)
def test_a_last_line_that_was_edited_is_not_taken_for_a_torn_one(
    lines: int | None, old: bytes, new: bytes, game: bytes, tmp_path: Path
) -> None:
    whole = game.splitlines(keepends=True)[:lines]
    assert old in whole[-1]
    path = tmp_path / "game.jsonl"
    verdict = judge(path, b"".join(whole[:-1]) + whole[-1].replace(old, new, 1))
    assert verdict.status is not VerificationStatus.VERIFIED
    assert not verdict.warnings
    assert look(path).problem.startswith(f"line {len(whole)}: ")
    with pytest.raises(RecordingError):
        reopen(path)


def test_a_packed_recording_is_proved_and_one_that_ends_early_is_damaged(
    game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl.gz"
    packed = gzip.compress(game)
    assert judge(path, packed).ok
    for size in (3, 20, len(packed) // 2, len(packed) - 4):
        verdict = judge(path, packed[:size])
        assert verdict.status is VerificationStatus.DAMAGED, verdict
        assert "gzip" in verdict.message


def test_notes_after_the_footer_are_proved_too(game: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(game)
    add_note(path, Note(at_ms=1, comment="close call"))
    add_note(path, Note(at_ms=2, quality=4))
    assert verify(path).ok
    last = len(path.read_bytes().splitlines())
    verdict = verify(rewrite(path, last - 1, lambda event: event["note"].update(comment="x")))
    assert (verdict.status, verdict.field) == (VerificationStatus.EDITED, "note")


@pytest.mark.parametrize("kind", ["note", "footer"])
def test_a_line_that_was_made_another_kind_is_named_by_its_number(
    kind: str, game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(game)
    verdict = verify(rewrite(path, 3, lambda event: event.update(kind=kind)))
    assert (verdict.status, verdict.turn) == (VerificationStatus.EDITED, None)
    assert verdict.message.startswith("line 3: ")


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", [7, None, True, ["turn"], {"turn": 1}], ids=repr)
@pytest.mark.parametrize("number", [3, -1], ids=["turn", "footer"])
def test_a_kind_that_is_no_text_is_damaged(
    number: int, kind: object, game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(game)
    line = number if number > 0 else len(game.splitlines())
    verdict = verify(rewrite(path, line, lambda event: event.update(kind=kind)))
    assert verdict.status is VerificationStatus.DAMAGED
    assert verdict.message == f"line {line}: kind: none of turn, footer, note"


def test_a_file_that_cannot_be_opened_is_damaged_with_the_reason(tmp_path: Path) -> None:
    assert "No such file" in verify(tmp_path / "gone.jsonl").message
    assert verify(tmp_path).status is VerificationStatus.DAMAGED


@pytest.mark.few(1)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_any_field_of_a_file_is_named_and_made_safe(
    text: str, game: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"

    def everywhere(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: everywhere(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [everywhere(inner) for inner in value]
        return text if isinstance(value, str) else value

    def in_frame(event: dict[str, Any]) -> None:
        event.update(everywhere({"frame": event["frame"], "human": event["human"]}))

    path.write_bytes(game)
    verdict = verify(rewrite(path, 5, in_frame))
    assert verdict.status is VerificationStatus.EDITED
    assert not set(verdict.message) & set("\x00\x1b\x9b\u202e\r\n\u2028")
    path.write_bytes(game)
    verdict = verify(rewrite(path, 5, lambda event: event["action"].update(action_type=text)))
    assert (verdict.turn, verdict.field) == (3, "action.action_type")


def test_long_games_go_to_a_process_each_and_short_ones_share_one(tmp_path: Path) -> None:
    def sizes(size: int, count: int) -> list[int]:
        paths = [tmp_path / f"{size}-{number}.jsonl" for number in range(count)]
        for path in paths:
            path.write_bytes(b" " * size)
        return [len(batch) for batch in batches([*paths, tmp_path / "gone.jsonl"])]

    assert sizes(1_000, BATCH + 3) == [BATCH, 4]
    assert sizes(BATCH_BYTES, 3) == [1, 1, 1, 1]
    assert sizes(BATCH_BYTES // 2, 3) == [2, 2]


@pytest.mark.slow
def test_many_recordings_are_verified_in_their_order(tmp_path: Path, game: bytes) -> None:
    paths = []
    for number in range(BATCH + 3):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(game if number % 5 else game.replace(b'"done":false', b'"done":true', 1))
        paths.append(path)
    alone = list(verify_many(paths))
    assert [verdict.path for verdict in alone] == paths
    assert [verdict.ok for verdict in alone] == [bool(n % 5) for n in range(BATCH + 3)]
    assert list(verify_many(paths, jobs=2)) == alone


@pytest.mark.slow
def test_a_long_file_does_not_grow_memory(game: bytes, tmp_path: Path) -> None:
    """Long lines stand for a file of any size: they are let go of as they are read."""
    path = tmp_path / "game.jsonl"
    peaks = []
    for notes in (1, MAX_NOTES):
        script = Script()
        script.chain.last = json.loads(game.splitlines()[-1])["seal"]
        with path.open("wb") as file:
            file.write(game)
            for _ in range(notes):
                file.write(script.note(Note(at_ms=1, comment="\U0001f525" * 2_000)))
        tracemalloc.start()
        assert verify(path).ok
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert path.stat().st_size > 20_000_000
    assert peaks[1] < peaks[0] + 300_000


def test_a_file_cannot_be_made_of_notes(game: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    script = Script()
    script.chain.last = json.loads(game.splitlines()[-1])["seal"]
    notes = b"".join(script.note(Note(at_ms=1)) for _ in range(MAX_NOTES + 1))
    verdict = judge(path, game + notes)
    assert verdict.status is VerificationStatus.DAMAGED
    assert "more than 1000 notes" in verdict.message
    assert "more than 1000 notes" in look(path).problem
    with pytest.raises(RecordingError, match="more than 1000 notes"):
        read_recording(path)
    path.write_bytes(game + b"".join(notes.splitlines(keepends=True)[:-1]))
    with pytest.raises(RecordingError, match="more than 1000 notes"):
        add_note(path, Note(at_ms=1))
