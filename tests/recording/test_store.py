import gzip
import os
from pathlib import Path

import pytest

from chaosops.env.models import AgentRole
from chaosops.errors import RecordingError
from chaosops.recording.events import Note, Source, Workload
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.store import (
    Filter,
    Outcome,
    add_note,
    compress,
    delete,
    discard,
    find,
    look,
    newest_unfinished,
    recording_files,
    withdraw,
)
from chaosops.recording.verify import verify
from tests.recording.games import PLAYER, outcome, record, rewrite, scenario
from tests.recording.test_event_log import files_no_longer_than

LOAD = Workload(mental=70, physical=5, temporal=80, performance=20, effort=60, frustration=30)


def damaged(folder: Path) -> Path:
    path = folder / "damaged.jsonl"
    path.write_text("hello\n")
    return path


def test_a_recording_at_a_glance_says_what_reading_it_says(tmp_path: Path) -> None:
    path = record(tmp_path)
    entry = look(path)
    recording = read_recording(path)
    assert entry.header == recording.header
    assert entry.footer == recording.footer
    assert entry.turns == len(recording.turns)
    assert entry.size == path.stat().st_size
    assert entry.problem == ""
    assert entry.outcome is (Outcome.RESOLVED if outcome().resolved else Outcome.UNRESOLVED)
    assert entry.sources == (Source.HUMAN, Source.SCRIPTED)


@pytest.mark.parametrize("turns", [0, 1, 6])
def test_turns_of_an_unfinished_game_are_counted_and_a_torn_line_is_none(
    turns: int, tmp_path: Path
) -> None:
    path = record(tmp_path, turns=turns)
    assert (look(path).turns, look(path).outcome) == (turns, Outcome.UNFINISHED)
    path.write_bytes(path.read_bytes() + b'{"kind":"turn","act')
    assert (look(path).turns, look(path).problem) == (turns, "")


def test_what_cannot_be_read_is_an_entry_with_its_problem(tmp_path: Path) -> None:
    assert "line 1: not a JSON object" in look(damaged(tmp_path)).problem
    assert look(tmp_path / "gone.jsonl").problem == "No such file or directory"
    path = tmp_path / "game.jsonl.gz"
    path.write_bytes(gzip.compress(record(tmp_path).read_bytes())[:-100])
    assert "gzip" in look(path).problem
    assert look(path).outcome is Outcome.DAMAGED


def test_folders_are_searched_and_other_files_are_left_alone(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    first, second = record(tmp_path), record(inner, seed=8)
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / ".game.jsonl.part").write_text("x")
    assert set(recording_files([tmp_path, first])) == {first, second}
    with pytest.raises(RecordingError, match="name one that is there"):
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
    assert found(Filter(outcomes=(Outcome.RESOLVED,))) == {by_person}
    assert found(Filter(outcomes=(Outcome.UNFINISHED, Outcome.DAMAGED))) == {unfinished, broken}
    assert found(Filter(sources=(Source.HUMAN,))) == {by_person, unfinished}
    assert found(Filter(sources=(Source.SCRIPTED,), roles=(AgentRole.SRE,))) == {by_policy}
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
    others = {(role, Source.SCRIPTED) for role in AgentRole if role is not AgentRole.SRE}
    assert look(begun).takers == {(AgentRole.SRE, Source.HUMAN), *others}
    assert look(played).takers == {(AgentRole.SRE, Source.LLM), *others}
    by_program = Filter(sources=(Source.LLM,))
    assert [entry.path for entry in find([tmp_path], by_program)] == [played]
    lie = {"a": 1, "human": {"source": "human", "policy": None}, "marks": {"a": 1}}
    rewrite(played, 2, lambda event: event["action"].update(args=lie))
    assert look(played).takers == {(AgentRole.SRE, Source.LLM), *others}
    elsewhere = Filter(sources=(Source.LLM,), roles=(AgentRole.DEV,))
    assert not list(find([tmp_path], elsewhere))


@pytest.mark.parametrize("torn", [b'{"kind":"note","no', b"\0" * 40])
def test_a_note_that_was_torn_off_is_in_the_way_of_nothing(torn: bytes, tmp_path: Path) -> None:
    path = record(tmp_path)
    add_note(path, Note(at_ms=1, quality=2))
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    add_note(path, Note(at_ms=2, quality=4))
    assert path.read_bytes().startswith(whole)
    assert (look(path).opinion.quality, look(path).problem) == (4, "")
    assert verify(path).ok
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert gzip.decompress(compress(path).read_bytes()) == whole


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


@pytest.mark.parametrize("packed", [False, True])
def test_notes_are_appended_and_the_later_one_counts(packed: bool, tmp_path: Path) -> None:
    path = record(tmp_path)
    before = path.read_bytes()
    if packed:
        path = compress(path)
    add_note(path, Note(at_ms=1, workload=LOAD, comment="hard"))
    add_note(path, Note(at_ms=2, quality=2))
    add_note(path, Note(at_ms=3, quality=5, comment="harder than it looks"))
    recording = read_recording(path)
    assert recording.opinion.workload == LOAD
    assert recording.opinion.quality == 5
    assert recording.opinion.comment == "harder than it looks"
    assert recording.opinion == look(path).opinion
    assert len(recording.notes) == 3
    content = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    assert content.startswith(before)
    assert verify(path).ok


def test_a_note_that_does_not_fit_on_the_disk_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    path = record(tmp_path)
    before = path.read_bytes()
    with files_no_longer_than(len(before) + 20), pytest.raises(RecordingError, match="make room"):
        add_note(path, Note(at_ms=1, comment="x" * 500))
    assert path.read_bytes() == before


def test_only_a_finished_game_is_rated_or_packed(tmp_path: Path) -> None:
    path = record(tmp_path, turns=3)
    before = path.read_bytes()
    with pytest.raises(RecordingError, match="is not over"):
        add_note(path, Note(at_ms=1, quality=1))
    with pytest.raises(RecordingError, match="is not over"):
        compress(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_discarded_game_is_kept_and_says_so(tmp_path: Path) -> None:
    finished, unfinished = record(tmp_path, seed=1), record(tmp_path, seed=2, turns=3)
    discard(finished)
    discard(unfinished)
    for path in (finished, unfinished):
        assert not look(path).opinion.submitted
        assert verify(path).ok
    assert look(unfinished).outcome is Outcome.ABANDONED


def test_a_packed_recording_reads_as_before_and_takes_less_room(tmp_path: Path) -> None:
    path = record(tmp_path)
    recording, size = read_recording(path), path.stat().st_size
    packed = compress(path)
    assert list(tmp_path.iterdir()) == [packed]
    assert packed.name == path.name + ".gz"
    assert packed.stat().st_size < size / 4
    assert packed.stat().st_mode & 0o777 == 0o600
    again = read_recording(packed)
    assert (again.header, again.turns, again.footer) == (
        recording.header,
        recording.turns,
        recording.footer,
    )
    assert compress(packed) == packed


def test_packing_never_overwrites_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    path = record(tmp_path)
    other = path.with_name(path.name + ".gz")
    other.write_bytes(b"mine")
    with pytest.raises(RecordingError, match="there already"):
        compress(path)
    assert other.read_bytes() == b"mine"
    other.unlink()
    with files_no_longer_than(1_000), pytest.raises(RecordingError, match="make room"):
        compress(path)
    assert list(tmp_path.iterdir()) == [path]
    assert verify(path).ok


def test_a_game_that_is_being_played_is_left_alone(tmp_path: Path) -> None:
    path = record(tmp_path, turns=3, player=PLAYER)
    with reopen(path).writer:
        with pytest.raises(RecordingError, match="is being played"):
            delete(path)
        done = withdraw([tmp_path], PLAYER.pseudonym)
    assert done.removed == []
    assert done.left[0][0] == path
    assert "is being played" in done.left[0][1]
    delete(path)
    assert list(tmp_path.iterdir()) == []


def test_a_withdrawal_removes_everything_of_a_pseudonym_and_nothing_else(tmp_path: Path) -> None:
    others = [record(tmp_path, seed=1), damaged(tmp_path)]
    theirs = [
        record(tmp_path, seed=2, player=PLAYER),
        compress(record(tmp_path, seed=3, player=PLAYER)),
        record(tmp_path, seed=4, player=PLAYER, turns=2),
        rewrite(
            record(tmp_path, seed=5, player=PLAYER),
            1,
            lambda event: event["header"].update(seed="?"),
        ),
    ]
    done = withdraw([tmp_path], PLAYER.pseudonym)
    assert set(done.removed) == set(theirs)
    assert done.left == []
    assert set(tmp_path.iterdir()) == set(others)


def test_what_is_left_of_packing_goes_with_a_withdrawal(tmp_path: Path) -> None:
    packed = compress(record(tmp_path, player=PLAYER))
    left = packed.with_name(f".{packed.name}.part")
    left.write_bytes(packed.read_bytes()[:-50])
    assert withdraw([tmp_path], PLAYER.pseudonym).removed == [packed, left]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["header", "x", "seed"])
def test_a_withdrawal_takes_no_other_word_of_a_damaged_header_for_a_pseudonym(
    name: str, tmp_path: Path
) -> None:
    path = rewrite(
        record(tmp_path, player=PLAYER), 1, lambda event: event["header"].update(schema_version=99)
    )
    assert withdraw([tmp_path], name).removed == []
    with pytest.raises(RecordingError, match="no pseudonym"):
        withdraw([tmp_path], " ")
    assert withdraw([tmp_path], PLAYER.pseudonym).removed == [path]


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
