"""A path may lead anywhere: to a pipe, a device, a folder, or through a link to another file."""

from __future__ import annotations

import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chaosops import files
from chaosops.errors import RecordingError
from chaosops.files import (
    READ,
    WRITE,
    NotAFileError,
    TooLargeError,
    copy_file,
    create_file,
    open_descriptor,
    read_bytes,
    replace_file,
)
from chaosops.play.settings import SettingsFile
from chaosops.recording import upkeep
from chaosops.recording.consent import ConsentStore
from chaosops.recording.event_log import is_held
from chaosops.recording.events import ConsentScope, Note
from chaosops.recording.library import look, newest_unfinished
from chaosops.recording.lines import is_gzip
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.verify import verify
from chaosops.scenarios.loader import scan
from chaosops.scenarios.summaries import scenario_summaries
from tests.cli.helpers import is_one_line_with_a_cure, run_here

KINDS = ("pipe", "device", "socket", "folder", "link to a pipe", "link to a device")


@pytest.fixture(autouse=True)
def never_waits() -> Iterator[None]:
    """A test that waits for the other end of something fails instead."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[str, str], Path]]:
    """Makes what is no regular file, by its kind and its name."""
    listening: list[socket.socket] = []

    def made(kind: str, name: str) -> Path:
        path = tmp_path / name
        place = tmp_path / "elsewhere" if kind.startswith("link") else path
        if kind.endswith("pipe"):
            os.mkfifo(place)
        elif kind == "folder":
            path.mkdir()
        elif kind == "socket":
            listening.append(socket.socket(socket.AF_UNIX))
            here = Path.cwd()
            os.chdir(tmp_path)
            listening[-1].bind(name)
            os.chdir(here)
        else:
            path.symlink_to("/dev/zero")
            return path
        if place != path:
            path.symlink_to(place)
        return path

    yield made
    for one in listening:
        one.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flags", [READ, WRITE, WRITE | os.O_APPEND, os.O_RDWR])
def test_what_is_no_regular_file_is_refused_at_once(
    make: Callable[[str, str], Path], kind: str, flags: int
) -> None:
    with pytest.raises(NotAFileError, match="not a file"):
        open_descriptor(make(kind, "x"), flags)


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_the_program_waits_for_what_is_no_regular_file(
    make: Callable[[str, str], Path], kind: str, tmp_path: Path
) -> None:
    path = make(kind, "game.jsonl")
    for act in (
        lambda: read_recording(path),
        lambda: reopen(path),
        lambda: upkeep.add_note(path, Note(at_ms=1)),
        lambda: upkeep.compress(path),
        lambda: upkeep.delete(path),
        lambda: upkeep.discard(path),
    ):
        with pytest.raises(RecordingError, match=r"not a file|is not over|Is a directory"):
            act()
    assert "not a file" in look(path).problem
    assert not verify(path).ok
    assert is_held(path)
    assert not is_gzip(path)
    assert newest_unfinished(tmp_path) is None
    assert path.is_symlink() or path.exists()


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_scenario_folder_with_what_is_no_regular_file_is_looked_through(
    make: Callable[[str, str], Path], kind: str, tmp_path: Path
) -> None:
    make(kind, "mine.yaml")
    list(scenario_summaries((tmp_path,)))
    _sources, problems = scan((tmp_path,))
    if kind != "folder":
        assert any("not a file" in problem.message for problem in problems)


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "folder"])
@pytest.mark.parametrize(
    "words",
    [
        ("resume", "FILE", "--plain"),
        ("replay", "FILE", "--plain"),
        ("recordings", "rate", "FILE", "--quality", "3"),
        ("recordings", "show", "FILE"),
        ("recordings", "discard", "FILE"),
        ("recordings", "compress", "FILE"),
        ("recordings", "delete", "FILE", "--yes"),
        ("recordings", "list", "FILE"),
        ("calibrate", "--seeds", "0", "--write", "FILE"),
        ("scenarios", "validate", "FILE"),
        ("scenarios", "show", "FILE"),
    ],
    ids=" ".join,
)
def test_every_command_refuses_what_is_no_regular_file_with_a_clear_error(
    make: Callable[[str, str], Path],
    kind: str,
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("chaosops.cli.calibrate.play", lambda *_args, **_named: ())
    path = make(kind, "game.yaml")
    outcome = run_here(capsys, *(str(path) if word == "FILE" else word for word in words))
    assert outcome.code != 0
    said = outcome.err + outcome.out
    assert "not a file" in said
    assert "Traceback" not in said
    if words[:2] != ("scenarios", "validate"):
        assert is_one_line_with_a_cure(outcome.err)


@pytest.mark.parametrize("kind", KINDS)
def test_settings_and_consent_that_are_no_regular_files_are_named_and_not_waited_for(
    make: Callable[[str, str], Path], kind: str, tmp_path: Path
) -> None:
    path = make(kind, "settings.toml")
    settings = SettingsFile(path)
    assert "not a file" in str(settings.troubles[0])
    assert "not a file" in settings.change(mouse=False)
    assert path.is_symlink() or not path.is_file()
    (tmp_path / "consent.toml").symlink_to(path)
    with pytest.raises(RecordingError, match="not a file"):
        _ = ConsentStore(tmp_path).current


def test_a_file_that_is_larger_than_its_kind_can_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"# \n" * 400_000)
    assert "larger than 64 KiB" in str(SettingsFile(path).troubles[0])
    with pytest.raises(TooLargeError):
        read_bytes(path, 1_000)
    assert len(read_bytes(path, 1_200_000)) == 1_200_000


def linked(folder: Path, name: str, text: str, mode: int = 0o640) -> tuple[Path, Path]:
    """A file elsewhere, and a link to it by way of another link."""
    dotfiles = folder / "dotfiles"
    dotfiles.mkdir()
    target = dotfiles / f"my-{name}"
    target.write_text(text)
    target.chmod(mode)
    (dotfiles / name).symlink_to(f"my-{name}")
    link = folder / name
    link.symlink_to(Path("dotfiles") / name)
    return link, target


def test_settings_are_written_through_a_symbolic_link(tmp_path: Path) -> None:
    link, target = linked(tmp_path, "settings.toml", "# mine\nmouse = true\n")
    assert SettingsFile(link).change(mouse=False) == ""
    assert link.is_symlink()
    assert target.read_text() == "# mine\nmouse = false\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in target.parent.iterdir()) == [
        "my-settings.toml",
        "settings.toml",
    ]


def test_settings_that_cannot_be_edited_are_put_aside_and_their_link_stays(tmp_path: Path) -> None:
    link, target = linked(tmp_path, "settings.toml", "mouse = = true\n")
    said = SettingsFile(link).change(mouse=False)
    assert "settings.old1.toml" in said
    assert link.is_symlink()
    assert "mouse = false" in target.read_text()
    aside = tmp_path / "settings.old1.toml"
    assert aside.read_text() == "mouse = = true\n"
    assert not aside.is_symlink()
    assert stat.S_IMODE(aside.stat().st_mode) == 0o640


def test_consent_is_written_through_a_symbolic_link(tmp_path: Path) -> None:
    link, target = linked(tmp_path, "consent.toml", "format = 1\n", 0o600)
    ConsentStore(tmp_path).give([ConsentScope.ACTIONS])
    assert link.is_symlink()
    assert "agreements" in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    link = tmp_path / "settings.toml"
    link.symlink_to("later.toml")
    assert SettingsFile(link).change(mouse=False) == ""
    assert link.is_symlink()
    assert "mouse = false" in (tmp_path / "later.toml").read_text()


def test_links_in_a_circle_are_an_error_and_stay(tmp_path: Path) -> None:
    link = tmp_path / "settings.toml"
    link.symlink_to("other.toml")
    (tmp_path / "other.toml").symlink_to("settings.toml")
    assert "symbolic links" in SettingsFile(link).change(mouse=False)
    assert link.is_symlink()


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    replace_file(tmp_path / "new.toml", "x = 1\n")
    assert stat.S_IMODE((tmp_path / "new.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o660])
def test_a_file_keeps_its_permissions_when_it_is_replaced(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x.toml"
    path.write_text("old")
    path.chmod(mode)
    replace_file(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to somebody")
def test_a_file_keeps_its_owner_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text("old")
    os.chown(path, 12_345, 54_321)
    replace_file(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12_345, 54_321)


def test_a_group_that_cannot_be_kept_gains_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.toml"
    path.write_text("old")
    path.chmod(0o664)
    real = path.stat()
    elsewhere = os.stat_result((*real[:5], real.st_gid + 1, *real[6:]))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fchown", _refused)
        with (tmp_path / "made.toml").open("w") as made:
            files._take_over(made.fileno(), made.name, elsewhere)
    assert stat.S_IMODE((tmp_path / "made.toml").stat().st_mode) == 0o644


def _refused(*_: object) -> None:
    raise PermissionError


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.toml"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, "new")
    with pytest.raises(OSError, match="No space"):
        copy_file(path, tmp_path / "copy")
    assert [each.name for each in tmp_path.iterdir()] == ["x.toml"]
    assert path.read_text() == "old"


def test_a_new_file_never_replaces_anything_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_file(tmp_path / "new", "text\n")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("new", "dangling"):
        with pytest.raises(FileExistsError):
            create_file(tmp_path / name, "other")
    assert (tmp_path / "new").read_text() == "text\n"

    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    create_file(tmp_path / "second", "text\n")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "new", "other")
    assert {path.name for path in tmp_path.iterdir()} == {"new", "second", "dangling"}


def test_a_file_that_is_replaced_is_on_the_disk_and_so_is_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    real = os.fsync

    def watch(descriptor: int) -> None:
        synced.append(stat.S_IFMT(os.fstat(descriptor).st_mode))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    replace_file(tmp_path / "x.toml", "new")
    assert synced == [stat.S_IFREG, stat.S_IFDIR]
