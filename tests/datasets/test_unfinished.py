"""What an export that was killed leaves behind, and what becomes of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.datasets import unfinished
from chaosops.datasets.unfinished import UnfinishedFolder

_EXPORT = """
import sys
from pathlib import Path
from chaosops.datasets.unfinished import UnfinishedFolder
folder = UnfinishedFolder(Path(sys.argv[1]))
(folder.path / "rows.jsonl").write_text("{}")
print(folder.path, flush=True)
sys.stdin.read()
"""


def hidden(folder: Path) -> set[Path]:
    return {path for path in folder.iterdir() if path.name.startswith(".")}


@pytest.fixture
def another(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that exports to the same place, and has begun to."""
    process = subprocess.Popen(
        [sys.executable, "-c", _EXPORT, str(tmp_path / "set")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert Path(process.stdout.readline().strip()) in hidden(tmp_path)
    yield process
    process.kill()
    process.communicate()


def test_what_a_killed_export_left_is_removed_by_the_next_one_to_that_place(
    tmp_path: Path, another: subprocess.Popen[str]
) -> None:
    another.kill()
    another.wait()
    (left,) = hidden(tmp_path)
    other = UnfinishedFolder(tmp_path / "another-set")
    assert left in hidden(tmp_path)
    ours = UnfinishedFolder(tmp_path / "set")
    assert hidden(tmp_path) == {ours.path, other.path}
    ours.remove()
    other.remove()
    assert hidden(tmp_path) == set()


def test_what_a_running_export_works_in_is_left_alone(
    tmp_path: Path, another: subprocess.Popen[str]
) -> None:
    (theirs,) = hidden(tmp_path)
    ours = UnfinishedFolder(tmp_path / "set")
    assert hidden(tmp_path) == {ours.path, theirs}
    assert (theirs / "rows.jsonl").exists()


def test_where_nobody_can_know_whether_it_is_locked_it_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / ".set.abcdefgh.partial"
    left.mkdir()
    (left / ".chaosops-export").write_text("1")
    with monkeypatch.context() as patch:
        patch.setattr(unfinished, "lock_for_certain", lambda descriptor: False)
        UnfinishedFolder(tmp_path / "set").remove()
        assert left.exists()
    UnfinishedFolder(tmp_path / "set").remove()
    assert not left.exists()


def test_one_that_has_made_its_folder_and_no_lock_yet_is_left_alone(tmp_path: Path) -> None:
    left = tmp_path / ".set.abcdefgh.partial"
    left.mkdir()
    (left / ".chaosops-export").touch()
    UnfinishedFolder(tmp_path / "set").remove()
    assert left.exists()


@pytest.mark.parametrize("name", [".set.abcdefgh.partial", ".set.old.abcdefgh.partial", ".set"])
def test_a_folder_that_no_export_made_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    UnfinishedFolder(tmp_path / "set")
    assert (tmp_path / name).is_dir()


def test_what_a_link_points_to_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / ".chaosops-export").write_text("1")
    (tmp_path / ".set.abcdefgh.partial").symlink_to(precious)
    UnfinishedFolder(tmp_path / "set")
    assert (precious / ".chaosops-export").exists()


def test_a_finished_one_has_nothing_in_it_but_what_was_written(tmp_path: Path) -> None:
    folder = UnfinishedFolder(tmp_path / "set")
    (folder.path / "rows.jsonl").touch()
    folder.become(tmp_path / "set")
    folder.remove()
    assert [path.name for path in (tmp_path / "set").iterdir()] == ["rows.jsonl"]
    assert hidden(tmp_path) == set()
