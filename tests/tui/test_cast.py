from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from chaosops.play.replay_model import replay_of
from chaosops.recording.reader import read_recording
from tests.cli.helpers import is_one_line_with_a_cure, run_apart, run_here
from tests.recording.games import damaged, record
from tests.tui.games import press, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.replay.screen import ReplayScreen

Capture = pytest.CaptureFixture[str]
Event = tuple[float, str, str]


def parsed(path: Path) -> tuple[dict[str, Any], list[Event]]:
    header, *events = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return header, [(at, kind, text) for at, kind, text in events]


def shown(events: list[Event], lines: int) -> list[str]:
    """What a terminal shows after the events, without its colours."""
    rows = [""] * lines
    at = 0
    for _, _, text in events:
        for part in re.split(r"(\x1b\[[\d;?]*[A-Za-z])", text):
            if place := re.fullmatch(r"\x1b\[(\d+);1H", part):
                at = int(place[1]) - 1
                rows[at] = ""
            elif part == "\x1b[2J":
                rows = [""] * lines
            elif not part.startswith("\x1b"):
                rows[at] += part
    return rows


def cast_of(capsys: Capture, game: Path, *options: str) -> Path:
    out = game.with_suffix(".cast")
    done = run_here(capsys, "replay", str(game), "--cast", str(out), "--force", *options)
    assert done.code == 0, done.err
    return out


@pytest.mark.slow
def test_a_cast_has_a_header_and_an_event_for_each_turn(capsys: Capture, tmp_path: Path) -> None:
    game = record(tmp_path, turns=5)
    header, events = parsed(cast_of(capsys, game, "--size", "80x24", "--seconds", "0.5"))
    assert header["version"] == 2
    assert (header["width"], header["height"]) == (80, 24)
    assert header["title"].startswith("ChaosOps: ")
    assert [at for at, _, _ in events] == [0.0, 0.5, 1.0, 1.5, 2.0, 5.0]
    assert {kind for _, kind, _ in events} == {"o"}
    assert events[-1][2] == "\x1b[?25h"


@pytest.mark.slow
def test_the_same_recording_gives_the_same_cast(tmp_path: Path) -> None:
    game = record(tmp_path, turns=3)
    texts = []
    for name in ("a", "b"):
        out = tmp_path / f"{name}.cast"
        assert run_apart("replay", str(game), "--cast", str(out), "--size", "80x24").code == 0
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]


@pytest.mark.slow
async def test_the_last_picture_is_that_of_the_replay_screen(tmp_path: Path) -> None:
    game = record(tmp_path, turns=4)
    out = tmp_path / "x.cast"
    assert run_apart("replay", str(game), "--cast", str(out), "--size", "100x30").code == 0
    _, events = parsed(out)
    screen = ReplayScreen(replay_of(read_recording(game)))
    app = ChaosOpsApp(lambda: screen, pace=0)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "end")
        assert shown(events, 30) == text_of(app).splitlines()


def test_a_plain_cast_has_what_the_plain_replay_says(capsys: Capture, tmp_path: Path) -> None:
    game = record(tmp_path, policy="expert")
    _, events = parsed(cast_of(capsys, game, "--plain", "--size", "60x20"))
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", "".join(event[2] for event in events))
    turns = len(read_recording(game).turns)
    assert re.findall(r"^Turn (\d+),", text, re.M) == [str(n + 1) for n in range(turns)]
    assert "Resolved after" in text
    assert max(len(line) for line in text.splitlines()) <= 60
    assert text.count("\n") == text.count("\r\n")


def test_an_unfinished_and_an_empty_recording_have_a_cast(capsys: Capture, tmp_path: Path) -> None:
    game = record(tmp_path, turns=0)
    _, events = parsed(cast_of(capsys, game, "--size", "60x20"))
    assert "no turns to step through" in "".join(shown(events, 20))
    _, plain = parsed(cast_of(capsys, game, "--plain"))
    assert "The game was not finished." in plain[0][2]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("options", "cure"),
    [
        (("--size", "120"), "write it as 120x40"),
        (("--size", "9x9"), "choose from 20x5 to 500x200"),
        (("--size", "9999x9999"), "choose from 20x5 to 500x200"),
        (("--seconds", "0"), "0.05"),
    ],
)
def test_a_size_or_a_time_that_is_not_possible_is_an_error(
    options: tuple[str, ...], cure: str, capsys: Capture, tmp_path: Path
) -> None:
    game = record(tmp_path, turns=1)
    out = tmp_path / "x.cast"
    done = run_here(capsys, "replay", str(game), "--cast", str(out), *options)
    assert done.code == 2
    assert cure in done.err
    assert not out.exists()


@pytest.mark.few(1)
@pytest.mark.parametrize("option", [("--size", "80x24"), ("--seconds", "2"), ("--force",)])
def test_an_option_of_a_cast_without_one_says_so(
    option: tuple[str, ...], capsys: Capture, tmp_path: Path
) -> None:
    done = run_here(capsys, "replay", str(record(tmp_path, turns=1)), *option)
    assert done.code == 2
    assert "add --cast OUT.cast" in done.err


def test_a_cast_never_replaces_a_file_and_names_a_broken_recording(
    capsys: Capture, tmp_path: Path
) -> None:
    out = tmp_path / "x.cast"
    out.write_text("mine")
    game = record(tmp_path, turns=1)
    done = run_here(capsys, "replay", str(game), "--cast", str(out))
    assert done.code == 1
    assert is_one_line_with_a_cure(done.err)
    assert "--force" in done.err
    assert out.read_text() == "mine"
    bad = run_here(capsys, "replay", str(damaged(tmp_path)), "--cast", str(tmp_path / "y.cast"))
    assert bad.code == 1
    assert "line 1" in bad.err
    gone = run_here(capsys, "replay", str(game), "--cast", str(tmp_path / "no" / "y.cast"))
    assert "cannot write" in gone.err
