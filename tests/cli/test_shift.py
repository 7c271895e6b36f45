"""`chaosops shift`: a whole shift by a script, left and continued, and codes that give none."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chaosops.env.models import Difficulty
from chaosops.evaluation.proven_seeds import shipped_seeds
from chaosops.play.shifts.codes import ShiftPlan, code_of
from chaosops.play.shifts.files import KeptShift, kept_shifts
from chaosops.recording.reader import read_recording
from chaosops.recording.verify import verify
from chaosops.scenarios.carryover import Improvement
from tests.cli.helpers import is_one_line_with_a_cure, run_here
from tests.tui.plain_games import SPELLED_OUT, console
from tui.plain import entry_points

Capture = pytest.CaptureFixture[str]
Play = Callable[..., str]

OVERSIGHT = ("--role", "oversight", "--teammates", "expert")
PLAN = ShiftPlan(Difficulty.MEDIUM, 3, 7)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> Play:
    """Plays a shift in the plain mode by a script, and returns what was printed."""

    def played(lines: list[str], *arguments: str) -> str:
        out = io.StringIO()

        def on_console(work: Callable[[Any], None]) -> int:
            work(console(lines, out))
            return 0

        monkeypatch.setattr(entry_points, "_on_console", on_console)
        done = run_here(capsys, "shift", *arguments, "--plain", "--recordings", str(tmp_path))
        assert (done.code, done.err) == (0, ""), done
        return out.getvalue()

    return played


def only(folder: Path) -> KeptShift:
    (kept,) = kept_shifts(folder).shifts
    return kept


@pytest.mark.slow
def test_a_whole_shift_is_played_by_a_script(play: Play, tmp_path: Path) -> None:
    lines = ["pass"] * 14
    said = play([*lines, "2", *lines, "3", *lines, *lines], "--seed", "7", *OVERSIGHT)
    state = only(tmp_path).state
    assert state.is_over
    assert len(state.played) == 3
    assert [f"Incident {number} of 3: " in said for number in (1, 2, 3)] == [True] * 3
    assert said.count("Choose an action item") == 2
    assert "- It cost " in said
    assert "The lesson: " in said
    assert "The next page: " in said
    assert "The shift is over, with" in said
    assert "Rating of Oversight: " in said
    code = code_of(PLAN, shipped_seeds())
    assert f"The code of this shift, for somebody else: chaosops shift {code}" in said
    assert re.search(rf"To share: ChaosOps shift {re.escape(code)}, Oversight \d+, [wlanx]+ ", said)
    assert not SPELLED_OUT.search(said)
    headers = [read_recording(tmp_path / one.recording).header for one in state.played]
    carried = [header.carryover for header in headers]
    assert [one and one.improvement for one in carried] == [
        None,
        Improvement.DEPLOY_FREEZE,
        Improvement.HEADROOM,
    ]
    assert all(verify(tmp_path / one.recording).ok for one in state.played)


def test_a_shift_that_was_left_in_the_middle_of_an_incident_goes_on_there(
    play: Play, tmp_path: Path
) -> None:
    said = play(["pass", "pass", "quit"], "--seed", "7", *OVERSIGHT)
    code = code_of(PLAN, shipped_seeds())
    assert f"To continue: chaosops shift {code} --recordings {tmp_path} --plain" in said
    said = play(["quit"])
    assert "incident 1 of 3, 100 % of the budget left" in said
    assert "Turn 10 of " in said
    assert "Turn 10 of " in play(["quit"], code)
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


@pytest.mark.slow
def test_a_shift_that_was_left_between_two_incidents_asks_again(play: Play, tmp_path: Path) -> None:
    said = play([*["pass"] * 14, "four", "0", "debrief", "quit"], "--seed", "7", *OVERSIGHT)
    assert "Which action item? 1 to 3: four\nType a number from 1 to 3" in said
    assert "Which action item? 1 to 3: 0\nType a number from 1 to 3" in said
    assert "The expert is now playing the same seed" in said
    assert "The shift is saved. To continue: chaosops shift" in said
    said = play(["1", "quit"])
    assert "Choose an action item" in said
    assert "Retry budget: it holds for the next incident." in said
    assert only(tmp_path).state.choices == (Improvement.RETRY_BUDGET,)


def test_a_new_shift_can_be_begun_beside_an_unfinished_one(play: Play, tmp_path: Path) -> None:
    play(["quit"], "--seed", "7")
    play(["quit"], "--new")
    play(["quit"], "--level", "easy")
    assert [kept.state.code.split("-")[1] for kept in kept_shifts(tmp_path).shifts] == [
        "M3",
        "M3",
        "E3",
    ]


def test_a_code_gives_somebody_else_the_same_incidents(play: Play, tmp_path: Path) -> None:
    first = play(["quit"], "--level", "hard", "--seed", "11", "--incidents", "3")
    code = only(tmp_path).state.code
    for path in (tmp_path / "shifts").iterdir():
        path.unlink()
    second = play(["quit"], code.lower(), "--role", "dev")
    found = [re.search(r"Incident 1 of 3: (.*)\.", said) for said in (first, second)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0][1] == found[1][1]
    assert "Dev you" in second


def test_a_marathon_has_eight_incidents(play: Play) -> None:
    assert "Incident 1 of 8: " in play(["quit"], "--incidents", "8", "--seed", "3")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["tomorrow"], "'tomorrow' is no shift code: it should look like"),
        (["0.1.0-M3-7-ZZZZZ"], "has a typo: copy it again"),
        (["--level", "medium", "0.1.0-M3-7-ZZZZZ"], "a code says it all"),
        (["--seed", "x"], "'x' is not a seed"),
        (["--incidents", "4"], "'4' is not one of '3', '8'"),
        (["--teammates", "nobody-knows"], "nobody-knows"),
    ],
)
def test_what_gives_no_shift_is_said_in_one_line(
    arguments: list[str], told: str, tmp_path: Path, capsys: Capture
) -> None:
    done = run_here(capsys, "shift", *arguments, "--plain", "--recordings", str(tmp_path))
    assert done.code == 2 or is_one_line_with_a_cure(done.err)
    assert told in done.err
    assert not list(tmp_path.glob("shifts/*"))


def test_other_seats_are_not_taken_by_a_shift_that_is_under_way(
    play: Play, tmp_path: Path, capsys: Capture
) -> None:
    play(["quit"], "--seed", "7")
    folder = ("--recordings", str(tmp_path))
    done = run_here(capsys, "shift", "--role", "dev", "--plain", *folder)
    assert done.code == 2
    assert "under way with its own seats" in done.err


def test_a_broken_file_is_noted_and_another_shift_begins(
    play: Play, tmp_path: Path, capsys: Capture
) -> None:
    play(["quit"], "--seed", "7")
    path = only(tmp_path).path
    path.write_text('{"format": 1,\n oops', "utf-8")
    done = run_here(capsys, "shift", "--list", "--recordings", str(tmp_path))
    assert done.code == 0
    assert done.err.startswith(f"note: {path}:2: it is not JSON")
    assert path.read_text("utf-8") == '{"format": 1,\n oops'


def test_a_shift_of_another_build_is_refused_and_another_one_can_begin(
    play: Play, tmp_path: Path, capsys: Capture
) -> None:
    play(["quit"], "--seed", "7")
    path, state = only(tmp_path)
    other = code_of(PLAN, shipped_seeds()._replace(engine=99))
    path.write_text(state.model_copy(update={"code": other}).model_dump_json(), "utf-8")
    done = run_here(capsys, "shift", "--plain", "--recordings", str(tmp_path))
    assert done.code == 1
    assert is_one_line_with_a_cure(done.err)
    assert "'chaosops shift --new'" in done.err
    assert "Incident 1 of 3" in play(["quit"], "--new")


@pytest.mark.slow
def test_the_list_tells_each_shift_and_the_rating_of_each_seat(
    play: Play, tmp_path: Path, capsys: Capture
) -> None:
    folder = ("--recordings", str(tmp_path))
    assert "begin one with 'chaosops shift'" in run_here(capsys, "shift", "--list", *folder).out
    lines = ["pass"] * 14
    play([*lines, "2", *lines, "3", *lines, *lines], "--seed", "7", *OVERSIGHT)
    said = run_here(capsys, "shift", "--list", *folder).out
    assert f"{code_of(PLAN, shipped_seeds())}: over, " in said
    assert "Oversight: rated " in said
