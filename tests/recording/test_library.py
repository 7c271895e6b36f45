import gzip
import os
from pathlib import Path

import pytest

from chaosops.env.models import AgentRole
from chaosops.errors import RecordingError
from chaosops.recording.events import Note
from chaosops.recording.library import (
    Filter,
    RecordedOutcome,
    find,
    look,
    newest_unfinished,
    recording_files,
)
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.turn_sources import TurnSource
from chaosops.recording.upkeep import add_note, delete, discard
from tests.recording.games import damaged, outcome, record, rewrite, scenario


def test_a_recording_at_a_glance_says_what_reading_it_says(tmp_path: Path) -> None:
    path = record(tmp_path)
    entry = look(path)
    recording = read_recording(path)
    assert entry.header == recording.header
    assert entry.footer == recording.footer
    assert entry.turns == len(recording.turns)
    assert entry.size == path.stat().st_size
    assert entry.problem == ""
    assert entry.outcome is (
        RecordedOutcome.RESOLVED if outcome().resolved else RecordedOutcome.UNRESOLVED
    )
    assert entry.sources == (TurnSource.HUMAN, TurnSource.SCRIPTED)


@pytest.mark.few(1)
@pytest.mark.parametrize("turns", [0, 1, 6])
def test_turns_of_an_unfinished_game_are_counted_and_a_torn_line_is_none(
    turns: int, tmp_path: Path
) -> None:
    path = record(tmp_path, turns=turns)
    assert (look(path).turns, look(path).outcome) == (turns, RecordedOutcome.UNFINISHED)
    path.write_bytes(path.read_bytes() + b'{"kind":"turn","act')
    assert (look(path).turns, look(path).problem) == (turns, "")


def test_what_cannot_be_read_is_an_entry_with_its_problem(tmp_path: Path) -> None:
    assert "line 1: not a JSON object" in look(damaged(tmp_path)).problem
    assert look(tmp_path / "gone.jsonl").problem == "No such file or directory"
    path = tmp_path / "game.jsonl.gz"
    path.write_bytes(gzip.compress(record(tmp_path).read_bytes())[:-100])
    assert "gzip" in look(path).problem
    assert look(path).outcome is RecordedOutcome.DAMAGED


def test_folders_are_searched_and_other_files_are_left_alone(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    first, second = record(tmp_path), record(inner, seed=8)
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / ".game.jsonl.part").write_text("x")
    assert set(recording_files([tmp_path, first])) == {first, second}
    with pytest.raises(RecordingError, match="check the path"):
        recording_files([tmp_path / "gone"])


def test_filters_choose_by_what_is_known(tmp_path: Path) -> None:
    by_person = record(tmp_path, seed=1, policy="oracle")
    by_policy = record(tmp_path, seed=2, policy="noop", people=())
    unfinished = record(tmp_path, seed=3, turns=2)
    broken = damaged(tmp_path)
    begun = read_recording(by_person).header.started_at_ms
    add_note(by_person, Note(at_ms=1, quality=4))
    discard(by_policy)

    def found(where: Filter) -> set[Path]:
        return {entry.path for entry in find([tmp_path], where)}

    assert found(Filter()) == {by_person, by_policy, unfinished, broken}
    assert found(Filter(scenarios=(scenario().id,))) == {by_person, by_policy, unfinished}
    assert found(Filter(scenarios=("another",))) == set()
    assert found(Filter(outcomes=(RecordedOutcome.RESOLVED,))) == {by_person}
    assert found(Filter(outcomes=(RecordedOutcome.UNFINISHED, RecordedOutcome.DAMAGED))) == {
        unfinished,
        broken,
    }
    assert found(Filter(sources=(TurnSource.HUMAN,))) == {by_person, unfinished}
    assert found(Filter(sources=(TurnSource.SCRIPTED,), roles=(AgentRole.SRE,))) == {by_policy}
    assert found(Filter(since_ms=begun + 10**6)) == set()
    assert found(Filter(until_ms=begun + 10**6)) == {by_person, by_policy, unfinished}
    assert found(Filter(min_quality=4)) == {by_person}
    assert found(Filter(min_quality=5)) == set()
    assert found(Filter(submitted=False)) == {by_policy}
    assert found(Filter(submitted=True)) == {by_person, unfinished}


def test_a_game_is_found_by_who_took_its_turns_and_before_the_first_by_who_has_its_seats(
    tmp_path: Path,
) -> None:
    begun = record(tmp_path, seed=3, turns=0)
    played = rewrite(
        record(tmp_path, seed=4, turns=1), 2, lambda event: event["human"].update(source="llm")
    )
    others = {(role, TurnSource.SCRIPTED) for role in AgentRole if role is not AgentRole.SRE}
    assert look(begun).takers == {(AgentRole.SRE, TurnSource.HUMAN), *others}
    assert look(played).takers == {(AgentRole.SRE, TurnSource.LLM), *others}
    by_program = Filter(sources=(TurnSource.LLM,))
    assert [entry.path for entry in find([tmp_path], by_program)] == [played]
    lie = {"a": 1, "human": {"source": "human", "policy": None}, "marks": {"a": 1}}
    rewrite(played, 2, lambda event: event["action"].update(args=lie))
    assert look(played).takers == {(AgentRole.SRE, TurnSource.LLM), *others}
    elsewhere = Filter(sources=(TurnSource.LLM,), roles=(AgentRole.DEV,))
    assert not list(find([tmp_path], elsewhere))


@pytest.mark.slow
def test_recordings_can_be_chosen_by_whether_they_verify(tmp_path: Path) -> None:
    good = record(tmp_path, seed=1)
    edited = rewrite(
        record(tmp_path, seed=2), 5, lambda event: event["frame"].update(message="fine")
    )
    broken = damaged(tmp_path)
    assert [entry.path for entry in find([tmp_path], Filter(verified=True))] == [good]
    assert {entry.path for entry in find([tmp_path], Filter(verified=False))} == {edited, broken}


def test_the_newest_game_that_can_be_resumed_is_found(tmp_path: Path) -> None:
    assert newest_unfinished(tmp_path) is None
    record(tmp_path, seed=1)
    older = record(tmp_path, seed=2, turns=2)
    newer = record(tmp_path, seed=3, turns=2)
    rewrite(older, 1, lambda event: event["header"].update(started_at_ms=1))
    assert newest_unfinished(tmp_path) == newer
    with reopen(newer).writer:
        assert newest_unfinished(tmp_path) == older


def test_a_folder_without_rights_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    path = record(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refused)
        with pytest.raises(RecordingError, match=r"cannot read the folder .*--recordings DIR"):
            recording_files([tmp_path])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        with pytest.raises(RecordingError, match="check the permissions"):
            delete(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refused)
        with pytest.raises(RecordingError, match="Permission denied"):
            add_note(path, Note(at_ms=1))
    assert path.exists()
