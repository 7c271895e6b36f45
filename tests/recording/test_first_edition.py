"""Recordings that the first edition wrote, read by today's reader.

The files were played and written by the last commit of the first edition, and the digests beside
them are those of the frames as its own reader read them.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from chaosops.env.models import RoleView, SignalRows
from chaosops.play.replay_model import replay_of
from chaosops.recording.first_edition import LATER_PARTS, RENAMED, has_first_columns
from chaosops.recording.layout import columns
from chaosops.recording.library import find
from chaosops.recording.reader import LogReader, OtherVersion, Recording, read_recording
from chaosops.recording.verdict import VerificationStatus
from chaosops.recording.verify import verify
from tests.cli.helpers import run_here
from tests.tui.games import press, settled
from tui.app import ChaosOpsApp
from tui.screens.replay.screen import ReplayScreen

FOLDER = Path(__file__).parent / "first_edition"

READ_THEN = {
    "checkout-crawls.jsonl": (
        8,
        -28.0,
        "3da7921543f947660c730e3ae14336d3ee8dbaac1d300f2bc9dffd74c00ec43e",
    ),
    "failures-keep-coming-in.jsonl": (
        8,
        126.0,
        "f571206f866c93aeb7dd1f71d2049e00f1fd444a274c212fdc923263131a0015",
    ),
    "figures-run-behind.jsonl": (
        44,
        -1175.0302734375,
        "e21e39d9578bdb8700f7b4be529babedda6ca95184857d86afffec03032aca50",
    ),
    "first-shift-1-shelves-missing.jsonl": (
        8,
        120.0,
        "3ea812a3b63840d73b0f5420cd5bba147bb60e35ca96b75df2fa1ec63a1efd9d",
    ),
    "first-shift-7-fixed-and-broken.jsonl": (
        16,
        149.1953125,
        "0c3e42303ab1097bce12b68643011530f6f78a203c8d345dbf35b72927f9aaf0",
    ),
    "old-sessions-go-on.jsonl": (
        19,
        15.265625,
        "2b2eda8ab6c77fd65a53626008a599f4aeb0c3d1af3d68c19e93bc9f2950c20d",
    ),
    "orders-stall.jsonl.gz": (
        16,
        -107.3095703125,
        "f8b0308e2720eb2ced36a6a166b5258db167515aff5d28cd87c2ea80410323a7",
    ),
    "our-own.jsonl": (
        6,
        130.0,
        "060c9a88f712591762e9e029bf0bcc2c2c2795a0f8ceaee5164f33f811fa8b33",
    ),
    "sign-in-for-some.jsonl": (
        12,
        99.994140625,
        "a9fff48114713061596a50952058ee1ce8930a3266bc8682bb6c7d921ba5d855",
    ),
    "totals-do-not-add-up.jsonl": (
        4,
        132.19921875,
        "22bef3b92e297d5248746ea8ac3e82c9695b1beaecf8a174d0da8086cd41f318",
    ),
}
"""Turns, reward and digest of each file; an unfinished game, a discarded one, one of a random
policy, the tutorial's first and last, one with mixed policies, a packed one, one of an own
incident, one with messages, hints and ratings, and one of the oracle."""

EACH_FILE = pytest.mark.parametrize("name", READ_THEN)


def _plain(value: Any, names: Mapping[str, tuple[str, ...]]) -> Any:
    if isinstance(value, RoleView):
        kept: tuple[str, ...] = tuple(name for name in value._fields if name not in LATER_PARTS)
        return {name: _plain(getattr(value, name), names) for name in kept}
    if hasattr(value, "_fields"):
        kept = names.get(type(value).__name__, value._fields)
        return {name: _plain(getattr(value, name), names) for name in kept}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | SignalRows):
        return [_plain(item, names) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item, names) for key, item in value.items()}
    return value


def _digest(recording: Recording) -> str:
    """The digest of all that the first edition's frames have."""
    frames = [
        (
            frame.turn,
            frame.role,
            frame.observation.view,
            frame.observation.message,
            frame.reward,
            frame.breakdown,
            frame.done,
            frame.message,
        )
        for frame in recording.frames
    ]
    names = recording.header.columns
    names = {RENAMED.get(name, name): row for name, row in names.items()}
    text = json.dumps([_plain(frame, names) for frame in frames], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _header(name: str) -> dict[str, Any]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        header: dict[str, Any] = json.loads(file.readline())
    return header


def _with_columns(folder: Path, **changed: list[str]) -> Path:
    """A copy of a file whose header says that some records have other columns."""
    lines = (FOLDER / "our-own.jsonl").read_text("utf-8").splitlines(keepends=True)
    header = json.loads(lines[0])
    header["header"]["columns"].update(changed)
    copy = folder / "copy.jsonl"
    copy.write_text("".join([json.dumps(header) + "\n", *lines[1:]]), "utf-8")
    return copy


def test_there_is_a_digest_for_each_file() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(READ_THEN)


@pytest.mark.few(1)
@EACH_FILE
def test_its_frames_are_those_that_the_first_edition_read(name: str) -> None:
    recording = read_recording(FOLDER / name)
    turns, reward, digest = READ_THEN[name]
    assert len(recording.frames) == turns
    assert sum(frame.reward for frame in recording.frames) == reward
    assert _digest(recording) == digest
    assert not recording.warnings


@EACH_FILE
def test_it_is_replayed_with_a_word_on_the_engine(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = replay_of(read_recording(FOLDER / name))
    assert len(replay.steps) == READ_THEN[name][0]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"all\nquit\n"), "utf-8"))
    done = run_here(capsys, "replay", str(FOLDER / name), "--plain")
    assert done.code == 0, done.err
    assert f"Turn {READ_THEN[name][0]}, " in done.out
    assert "recorded with engine 1" in done.out


async def test_the_replay_screen_steps_through_one() -> None:
    screen = ReplayScreen(replay_of(read_recording(FOLDER / "sign-in-for-some.jsonl")))
    app = ChaosOpsApp(lambda: screen)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "end")
        assert screen.playback.at == READ_THEN["sign-in-for-some.jsonl"][0] - 1


def test_all_are_listed_with_their_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    entries = tuple(find([FOLDER]))
    assert len(entries) == len(READ_THEN)
    assert not [entry.problem for entry in entries if entry.problem]
    listed = run_here(capsys, "recordings", "list", "--recordings", str(FOLDER)).out
    assert "unfinished" in listed
    assert "resolved (discarded)" in listed
    assert "unreadable" not in listed


@EACH_FILE
def test_it_is_not_said_to_be_verified_nor_edited(name: str) -> None:
    assert verify(FOLDER / name).status is VerificationStatus.OTHER_ENGINE


def test_an_unfinished_one_is_not_resumed_and_the_replay_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = FOLDER / "checkout-crawls.jsonl"
    before = path.read_bytes()
    done = run_here(capsys, "resume", str(path), "--plain")
    assert done.code == 1
    assert "step through it with 'chaosops replay'" in done.err
    assert path.read_bytes() == before


def test_rows_may_only_lack_columns_that_came_later() -> None:
    first = {
        name: tuple(row) for name, row in _header("our-own.jsonl")["header"]["columns"].items()
    }
    assert has_first_columns(first)
    assert has_first_columns(columns())
    assert not has_first_columns({**first, "Alert": first["Alert"][:-1]})
    assert not has_first_columns({**first, "Alert": first["Alert"][::-1]})
    assert not has_first_columns({**first, "Unheard": ("minute",)})


def test_a_header_with_other_columns_is_one_of_another_version(tmp_path: Path) -> None:
    copy = _with_columns(tmp_path, Alert=["text", "minute", "service", "severity"])
    with pytest.raises(OtherVersion, match=r"the columns of .*\bAlert\b"), LogReader(copy):
        pass


def test_a_row_that_is_too_short_is_named_by_its_column(tmp_path: Path) -> None:
    text = (FOLDER / "our-own.jsonl").read_text("utf-8")
    lines = text.splitlines(keepends=True)
    turn = json.loads(lines[1])
    turn["frame"]["observation"]["view"]["alerts"][0].pop()
    copy = tmp_path / "copy.jsonl"
    copy.write_text("".join([lines[0], json.dumps(turn) + "\n", *lines[2:]]), "utf-8")
    with pytest.raises(Exception, match=r"alerts\.0\.text"):
        read_recording(copy)
