import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from chaosops.errors import RecordingError
from chaosops.recording.event_log import held
from chaosops.recording.events import Note, Workload
from chaosops.recording.library import RecordedOutcome, look
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.upkeep import add_note, compress, delete, discard, withdraw
from chaosops.recording.verify import verify
from tests.recording.games import PLAYER, damaged, record, rewrite
from tests.recording.test_event_log import files_no_longer_than

LOAD = Workload(mental=70, physical=5, temporal=80, performance=20, effort=60, frustration=30)


@pytest.mark.few(1)
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


@pytest.mark.few(1)
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
    with (
        files_no_longer_than(len(before) + 20),
        pytest.raises(RecordingError, match="free disk space"),
    ):
        add_note(path, Note(at_ms=1, comment="x" * 500))
    assert path.read_bytes() == before


def test_only_a_finished_game_is_rated_or_packed(tmp_path: Path) -> None:
    path = record(tmp_path, turns=3)
    before = path.read_bytes()
    with pytest.raises(RecordingError, match="is not finished"):
        add_note(path, Note(at_ms=1, quality=1))
    with pytest.raises(RecordingError, match="is not finished"):
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
    assert look(unfinished).outcome is RecordedOutcome.ABANDONED


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
    with pytest.raises(RecordingError, match="already exists"):
        compress(path)
    assert other.read_bytes() == b"mine"
    other.unlink()
    with files_no_longer_than(1_000), pytest.raises(RecordingError, match="free disk space"):
        compress(path)
    assert list(tmp_path.iterdir()) == [path]
    assert verify(path).ok


@pytest.mark.few(1)
@pytest.mark.parametrize("change", [compress, delete])
def test_a_link_is_neither_packed_nor_removed_in_place_of_its_file(
    change: Callable[[Path], object], tmp_path: Path
) -> None:
    path = record(tmp_path)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    with pytest.raises(RecordingError, match=f"is a link: use its target, {path}"):
        change(link)
    assert link.is_symlink()
    assert verify(path).ok


def test_a_game_that_is_being_played_is_left_alone(tmp_path: Path) -> None:
    path = record(tmp_path, turns=3, player=PLAYER)
    with reopen(path).writer:
        with pytest.raises(RecordingError, match="is being played"):
            delete(path)
        done = withdraw([tmp_path], PLAYER.pseudonym)
    assert done.removed == []
    assert done.left[0].path == path
    assert "is being played" in done.left[0].why
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


@pytest.mark.few(1)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("by_file", [False, True])
def test_what_is_left_of_packing_goes_wherever_it_was_cut_off(
    share: float, by_file: bool, tmp_path: Path
) -> None:
    path = record(tmp_path, player=PLAYER)
    whole = gzip.compress(path.read_bytes())
    left = tmp_path / f".{path.name}.gz.part"
    left.write_bytes(whole[: int(len(whole) * share)])
    done = withdraw([path if by_file else tmp_path], PLAYER.pseudonym)
    assert set(done.removed) == {path, left}
    assert done.left == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.1])
def test_what_is_left_of_packing_goes_without_its_recording_too(
    share: float, tmp_path: Path
) -> None:
    path = record(tmp_path, player=PLAYER)
    whole = gzip.compress(path.read_bytes())
    path.unlink()
    left = tmp_path / f".{path.name}.gz.part"
    left.write_bytes(whole[: int(len(whole) * share)])
    assert withdraw([tmp_path], PLAYER.pseudonym).removed == [left]


def test_what_is_left_of_packing_somebody_elses_game_stays(tmp_path: Path) -> None:
    path = record(tmp_path, player=PLAYER._replace(pseudonym="b" * 16))
    left = tmp_path / f".{path.name}.gz.part"
    left.write_bytes(gzip.compress(path.read_bytes())[:-20])
    assert withdraw([tmp_path], PLAYER.pseudonym).removed == []
    assert set(tmp_path.iterdir()) == {path, left}


def test_what_is_being_packed_stays_until_it_is_packed(tmp_path: Path) -> None:
    path = record(tmp_path)
    left = tmp_path / f".{path.name}.gz.part"
    left.write_bytes(b"")
    with held(path):
        assert withdraw([tmp_path], PLAYER.pseudonym).removed == []
        assert left.exists()


def test_removing_a_recording_removes_what_is_left_of_packing_it(tmp_path: Path) -> None:
    path = record(tmp_path)
    (tmp_path / f".{path.name}.gz.part").write_bytes(b"half")
    delete(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["header", "x", "seed"])
def test_a_withdrawal_takes_no_other_word_of_a_damaged_header_for_a_pseudonym(
    name: str, tmp_path: Path
) -> None:
    path = rewrite(
        record(tmp_path, player=PLAYER), 1, lambda event: event["header"].update(schema_version=99)
    )
    assert withdraw([tmp_path], name).removed == []
    with pytest.raises(RecordingError, match="not a pseudonym"):
        withdraw([tmp_path], " ")
    assert withdraw([tmp_path], PLAYER.pseudonym).removed == [path]
