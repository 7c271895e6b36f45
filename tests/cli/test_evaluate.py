import json
from pathlib import Path

import pytest

from chaosops.cli.jobs import BarredPool
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.gate_table import TABLE
from chaosops.worker_pool import WorkerPool
from tests.cli.helpers import is_one_line_with_a_cure, run_apart, run_here


def test_each_gate_of_an_adversary_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(
        capsys, "evaluate", "paying-ends-in-an-error", "--adversary", "place",
        "--adversary", "shotgun", "--seeds", "0,1",
    )  # fmt: skip
    place, shotgun = outcome.out.splitlines()
    assert place.split()[0] == "place"
    assert "not measured" in place
    assert shotgun.split()[0] == "shotgun"
    assert (outcome.code, outcome.err) == (0, "")


def test_a_gate_that_fails_is_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(
        capsys, "evaluate", "search-p99-high", "--adversary", "place", "--seeds", "0,1", "--rows"
    )
    first, *rows = outcome.out.splitlines()
    assert "100.0 %" in first
    assert "<= 60.0 %" in first
    assert "margin   -40.0" in first
    assert first.endswith("FAIL")
    assert rows
    assert all(row.startswith("    ") for row in rows)
    assert outcome.code == 1


def test_json_has_every_gate_with_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(
        capsys, "evaluate", "search-p99-high", "--adversary", "place", "--seeds", "0", "--json"
    )
    (place,) = json.loads(outcome.out)
    assert place["gate"] == "place"
    assert (place["figure"], place["at_most"], place["passes"]) == (1.0, 0.6, False)
    assert place["margin"] == pytest.approx(-0.4)
    assert place["rows"][0] == {
        "kind": "level", "name": "medium", "figure": 1.0, "n": 1, "unit": "share",
    }  # fmt: skip


@pytest.mark.proof
def test_two_processes_find_what_one_finds() -> None:
    incidents = ("paying-ends-in-an-error", "checkout-times-out", "errors-come-and-go")
    players = ("--adversary", "memoriser", "--adversary", "thoughtless")
    args = ("evaluate", *incidents, *players, "--training", "2", "--seeds", "0", "--json")
    alone, together = run_apart(*args), run_apart(*args, "--jobs", "2")
    assert json.loads(alone.out) == json.loads(together.out)
    assert alone.err == together.err == ""


def test_the_table_goes_between_the_comments_and_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- evaluation: begin -->\nold\n<!-- evaluation: end -->\nz\n", "utf-8")
    run_here(
        capsys, "evaluate", "search-p99-high", "--adversary", "place", "--seeds", "0",
        "--write", str(page),
    )  # fmt: skip
    text = page.read_text("utf-8")
    assert text.startswith("a\n<!-- evaluation: begin -->\n| gate |")
    assert text.endswith("|\n<!-- evaluation: end -->\nz\n")
    assert "old" not in text
    assert "| 100.0 % |" in text


def test_a_file_without_the_comments_is_left_alone_with_a_cure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n", "utf-8")
    outcome = run_here(
        capsys, "evaluate", "checkout-times-out", "--adversary", "place", "--seeds", "0",
        "--write", str(page),
    )  # fmt: skip
    assert outcome.code == 1
    assert is_one_line_with_a_cure(outcome.err)
    assert page.read_text("utf-8") == "a\n"


@pytest.mark.parametrize(
    "wrong",
    [
        ("--adversary", "nobody"),
        ("--teammates", "nobody"),
        ("--seeds", "x"),
        ("--jobs", "0"),
        ("--training", "0"),
        ("no-such-incident",),
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_line_with_a_cure(
    wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(capsys, "evaluate", *wrong)
    assert outcome.code == 2
    assert is_one_line_with_a_cure(outcome.err)


def test_the_help_names_every_adversary(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(run_here(capsys, "evaluate", "--help").out.split())
    for entry in TABLE:
        assert entry.name in text


def _die(_item: int) -> int:
    import os

    os._exit(3)


@pytest.mark.slow
def test_a_process_that_dies_is_told_with_a_cure() -> None:
    with WorkerPool(2) as pool, pytest.raises(ChaosOpsError, match="--jobs 1"):
        list(BarredPool("dying", pool)(_die, [1, 2]))
