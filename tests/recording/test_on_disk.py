"""What a call has written, renamed or removed is so after a power cut too."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.datasets.rows import Format
from chaosops.files import copy_file, replace_file
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.turn_sources import TurnSource
from chaosops.recording.upkeep import compress, delete
from tests.datasets.games import export, game
from tests.disk import Disk
from tests.recording.games import record
from tests.recording.samples import HUMAN, frames, header

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="only here a descriptor tells the name of its file"
)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_a_log_is_on_the_disk_with_its_name_before_the_game_begins(
    disk: Disk, tmp_path: Path
) -> None:
    with EventLogWriter.create(tmp_path, header()) as log:
        assert disk.events == [f"sync {log.path.name}", f"sync {tmp_path.name}"]
        log.turn(frames()[0], HUMAN)
        assert disk.events[2:] == [f"sync {log.path.name}"]


def test_a_log_that_is_written_anew_is_on_the_disk_with_its_name(
    disk: Disk, tmp_path: Path
) -> None:
    with EventLogWriter.create(tmp_path, header()) as log:
        log.path.unlink()
        disk.events.clear()
        assert log.keep()
        assert disk.events == [f"sync {log.path.name}", f"sync {tmp_path.name}"]


def test_settings_and_consent_are_on_the_disk_before_and_after_they_get_their_name(
    disk: Disk, tmp_path: Path
) -> None:
    replace_file(tmp_path / "settings.toml", "theme = 'dark'\n")
    written, named, folder, *rest = disk.events
    assert written.startswith("sync .settings.toml.")
    assert named == "name settings.toml"
    assert folder == f"sync {tmp_path.name}"
    assert not any(event.startswith("sync") for event in rest)


def test_a_copy_is_on_the_disk_with_its_name(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    copy_file(tmp_path / "a", tmp_path / "b")
    assert disk.events == ["sync b", f"sync {tmp_path.name}"]


def test_a_packed_recording_is_on_the_disk_before_the_first_one_goes(
    disk: Disk, tmp_path: Path
) -> None:
    path = record(tmp_path, turns=None)
    disk.events.clear()
    packed = compress(path)
    first = disk.events.index(f"name {packed.name}")
    assert disk.events[first - 1].startswith("sync ")
    assert disk.after(f"name {packed.name}")[:2] == [
        f"sync {tmp_path.name}",
        f"remove {path.name}",
    ]


def test_a_recording_that_is_deleted_stays_deleted(disk: Disk, tmp_path: Path) -> None:
    path = record(tmp_path)
    delete(path)
    assert f"sync {tmp_path.name}" in disk.after(f"remove {path.name}")


def test_a_data_set_is_on_the_disk_before_and_after_it_gets_its_name(
    disk: Disk, tmp_path: Path
) -> None:
    game(tmp_path / "logs", policy="noop", max_turns=4)
    disk.events.clear()
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=frozenset(TurnSource))
    before = disk.events[: disk.events.index("name set")]
    for written in ("train.jsonl", "README.md", "sft"):
        assert f"sync {written}" in before
    assert f"sync {tmp_path.name}" in disk.after("name set")
