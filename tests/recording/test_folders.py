import os
import stat
from pathlib import Path

import pytest

from chaosops.errors import RecordingError
from chaosops.recording.consent import ConsentStore
from chaosops.recording.events import ConsentScope, Note
from chaosops.recording.folders import default_folder, writable_folder
from chaosops.recording.upkeep import add_note, compress
from tests.recording.games import PLAYER, record


def test_the_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    folder = writable_folder(tmp_path / "a" / "b")
    assert folder == tmp_path / "a" / "b"
    assert list(folder.iterdir()) == []


def test_a_file_in_the_way_is_an_error_that_names_the_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordingError, match=r"cannot write recordings to .*--recordings DIR"):
        writable_folder(tmp_path / "file" / "recordings")
    with pytest.raises(RecordingError, match="--recordings DIR"):
        writable_folder(tmp_path / "file")


def test_the_users_data_folder_is_used_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder().name == "recordings"
    assert writable_folder() == default_folder()
    assert default_folder().is_relative_to(tmp_path)


def modes(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): stat.S_IMODE(p.stat().st_mode) for p in folder.rglob("*")}


@pytest.mark.few(1)
@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_what_is_kept_of_a_player_is_for_the_player_alone(
    umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    before = os.umask(umask)
    try:
        path = record(writable_folder(), player=PLAYER)
        compress(record(writable_folder(), seed=8))
        add_note(path, Note(at_ms=1, quality=3))
        ConsentStore().give([ConsentScope.ACTIONS])
    finally:
        os.umask(before)
    found = modes(tmp_path)
    assert len(found) >= 7
    for name, mode in found.items():
        assert mode == (0o700 if (tmp_path / name).is_dir() else 0o600), name


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_data_folder_that_others_could_look_into_is_closed_and_other_folders_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    default_folder().mkdir(parents=True)
    for folder in (default_folder(), default_folder().parent):
        folder.chmod(0o755)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    writable_folder()
    writable_folder(shared)
    found = modes(tmp_path)
    assert {name: mode for name, mode in found.items() if "shared" not in name} == dict.fromkeys(
        (name for name in found if "shared" not in name), 0o700
    )
    assert found["shared"] == 0o755
