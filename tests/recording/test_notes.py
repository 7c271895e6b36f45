"""What is noted between the turns of a game: on disk at once, proved, and where it says it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.actions import HINT
from chaosops.env.models import ActionType, ChaosOpsAction
from chaosops.errors import RecordingError
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import HumanPart, Note, noted_before
from chaosops.recording.library import RecordedOutcome, look
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.script import Script
from chaosops.recording.turn_sources import Decider
from chaosops.recording.upkeep import add_note
from chaosops.recording.verdict import VerificationStatus
from chaosops.recording.verify import verify
from tests.recording.games import record, rewrite
from tests.recording.samples import HUMAN, footer, frames, header
from tests.recording.test_resume import finish


def hinted(folder: Path, turns: int = 4) -> Path:
    """An unfinished game in which a hint was read at the turn that comes next."""
    folder.mkdir(exist_ok=True)
    resumed = reopen(record(folder, turns=turns))
    resumed.writer.note(Note(at_ms=1, turn=turns, hint=2))
    resumed.writer.close()
    return resumed.recording.path


def test_a_note_is_on_disk_when_the_call_returns(tmp_path: Path) -> None:
    with EventLogWriter.create(tmp_path, header()) as log:
        log.note(Note(at_ms=1, turn=0, hint=3))
        assert [note.hint for note in read_recording(log.path).notes] == [3]


def test_a_game_with_notes_between_its_turns_verifies_and_goes_on(tmp_path: Path) -> None:
    path = hinted(tmp_path)
    assert verify(path).ok
    resumed = reopen(path)
    assert [(note.turn, note.hint) for note in resumed.recording.notes] == [(4, 2)]
    finish(resumed)
    recording = read_recording(path)
    assert recording.footer is not None
    assert [(note.turn, note.hint) for note in recording.notes] == [(4, 2)]
    assert verify(path).ok


def paying(path: Path, levels: list[int], paid: list[int], source: str = "human") -> Path:
    """The game with one more turn, in which hints were read and paid for."""
    resumed = reopen(path)
    stepper = resumed.stepper
    args = {HINT: paid} if paid else {}
    frame = stepper.take(ChaosOpsAction(stepper.role, ActionType.NOOP, None, args))
    resumed.writer.turn(frame, HumanPart(source=Decider(source), hints=tuple(levels)))
    resumed.writer.close()
    return path


@pytest.mark.few(1)
@pytest.mark.parametrize("source", ["human", "copilot", "llm", "timeout"])
@pytest.mark.parametrize(
    ("levels", "paid", "why"),
    [
        ([2], [2], ""),
        ([], [2], ""),
        ([2], [1, 2], ""),
        ([2], [], "level 2 was read, but the action does not pay for it"),
        ([], [], "level 2 is noted as read, but the action does not pay for it"),
        ([1], [1], "level 2 is noted as read, but the action does not pay for it"),
        ([1, 2], [1, 2], "level 1 was paid for, but no note says that it was read"),
    ],
)
def test_hints_that_were_noted_are_those_that_the_next_action_pays_for(
    levels: list[int], paid: list[int], why: str, source: str, tmp_path: Path
) -> None:
    verdict = verify(paying(hinted(tmp_path), levels, paid, source))
    assert verdict.status is (VerificationStatus.EDITED if why else VerificationStatus.VERIFIED)
    assert verdict.message == (f"human.hints: {why}" if why else "")


@pytest.mark.slow
def test_a_policys_turn_pays_for_no_hint_and_a_log_without_notes_is_held_to_none(
    tmp_path: Path,
) -> None:
    assert verify(paying(hinted(tmp_path / "a"), [], [], "scripted")).ok
    assert verify(paying(record(tmp_path, turns=4), [1], [1])).ok


def test_an_edited_note_is_named(tmp_path: Path) -> None:
    path = hinted(tmp_path)
    verdict = verify(rewrite(path, 6, lambda event: event["note"].update(hint=1)))
    assert (verdict.status, verdict.field) == (VerificationStatus.EDITED, "note")


@pytest.mark.few(1)
@pytest.mark.parametrize("turn", [0, 3, 5])
def test_a_note_of_another_turn_than_the_one_to_be_taken_is_refused(
    turn: int, tmp_path: Path
) -> None:
    path = rewrite(hinted(tmp_path), 6, lambda event: event["note"].update(turn=turn))
    with pytest.raises(RecordingError, match=r"line 6: note\.turn: this should be turn 4"):
        read_recording(path)
    assert verify(path).status is VerificationStatus.DAMAGED


def test_an_afterthought_before_the_footer_and_a_turns_note_after_it_are_refused(
    tmp_path: Path,
) -> None:
    played = frames()
    script = Script()
    lines = [script.header(header()), *(script.turn(frame, HUMAN) for frame in played)]
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join([*lines, script.note(Note(at_ms=1, quality=3))]))
    with pytest.raises(RecordingError, match="line 8: a note before the footer without a turn"):
        read_recording(path)
    late = [script.footer(footer(played)), script.note(Note(at_ms=1, turn=6, hint=1))]
    path.write_bytes(b"".join([*lines, *late]))
    with pytest.raises(RecordingError, match=r"line 9: note\.turn: a note from within the game"):
        read_recording(path)


def test_a_game_that_ends_with_a_note_is_not_over(tmp_path: Path) -> None:
    path = hinted(tmp_path)
    assert (look(path).outcome, look(path).turns) == (RecordedOutcome.UNFINISHED, 4)
    with pytest.raises(RecordingError, match="is not finished"):
        add_note(path, Note(at_ms=1, quality=3))


def test_an_afterthought_says_nothing_of_what_only_a_game_notes() -> None:
    line = Script().note(Note(at_ms=1, quality=4))
    assert not any(name in line for name in (b"turn", b"hint", b"role", b"seat"))


def test_what_was_noted_before_a_turn_is_known_by_the_turn() -> None:
    notes = [Note(at_ms=1, turn=2, hint=1), Note(at_ms=2, turn=5, hint=2), Note(at_ms=3, quality=1)]
    assert [note.hint for note in noted_before(notes, 5)] == [1]
