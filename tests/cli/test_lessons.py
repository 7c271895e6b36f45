from __future__ import annotations

import json
from pathlib import Path

import pytest

from chaosops.play.lessons.path import lessons
from tests.cli.helpers import run_here

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def nothing_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_all_are_listed_in_order_with_the_next_one(capsys: Capture) -> None:
    done = run_here(capsys, "lessons", "list")
    assert done.code == 0
    rows = [line for line in done.out.splitlines() if line[:1].isdecimal()]
    assert [row.split()[1] for row in rows] == [lesson.id for lesson in lessons()]
    assert "Next: chaosops lessons show golden-signals" in done.out


def test_json_has_the_path_without_the_answers(capsys: Capture) -> None:
    said = run_here(capsys, "lessons", "list", "--json").out
    found = json.loads(said)
    assert [item["progress"] for item in found] == ["open"] * len(lessons())
    assert not any("cause" in item or "questions" in item for item in found)
    assert found[0]["command"].startswith("chaosops play ")


def test_a_lesson_is_shown_with_the_command_that_plays_it(capsys: Capture) -> None:
    done = run_here(capsys, "lessons", "show", "two-keys")
    assert done.code == 0
    assert "chaosops play checkout-times-out --role sre --seed 14" in done.out
    assert "there are questions here" in done.out


def test_the_sheet_is_markdown(capsys: Capture) -> None:
    done = run_here(capsys, "lessons", "show", "5", "--sheet")
    assert done.code == 0
    assert done.out.startswith("# Two keys for a risky move: instructor's sheet\n")
    assert "## The answer" in done.out


def test_an_unknown_lesson_is_an_error_with_a_near_name(capsys: Capture) -> None:
    done = run_here(capsys, "lessons", "show", "twokeys")
    assert done.code == 2
    assert 'did you mean "two-keys"?' in done.err
