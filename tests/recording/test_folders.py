from pathlib import Path

import pytest

from chaosops.errors import RecordingError
from chaosops.recording.folders import default_folder, writable_folder


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
