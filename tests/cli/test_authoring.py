import json
from pathlib import Path

import pytest

from chaosops.scenarios.json_schema import incident_schema
from tests.cli.helpers import run_here


def test_new_says_what_to_run_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    path = tmp_path / "slow-mornings.yaml"
    assert outcome.code == 0
    assert outcome.out == f"{path}: edit it, then run chaosops scenarios validate --prove {path}\n"


def test_new_refuses_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    outcome = run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    assert outcome.code != 0
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1


def test_schema_prints_what_editors_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(run_here(capsys, "scenarios", "schema").out) == incident_schema()


def test_prove_reports_every_gate_and_exits_0_for_a_proven_incident(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    outcome = run_here(capsys, "scenarios", "validate", "--prove", "--seeds", "0:2", str(tmp_path))
    assert outcome.code == 0
    assert "slow-mornings: proven on 2 seeds" in outcome.out
    assert outcome.out.count("\npass") == 8


def test_an_incident_that_a_shortcut_beats_is_not_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    path = tmp_path / "slow-mornings.yaml"
    unsolvable = path.read_text("utf-8").replace(
        "action: restart, target: search}", "action: drain, target: search}"
    )
    path.write_text(
        unsolvable.replace("action: rollback, target: search}", "action: rotate, target: search}"),
        "utf-8",
    )
    outcome = run_here(capsys, "scenarios", "validate", "--prove", "--seeds", "0", str(tmp_path))
    assert outcome.code == 1
    assert "slow-mornings: not proven" in outcome.out
    assert "FAIL  the expert resolves it" in outcome.out


def test_calibrate_writes_its_table_between_the_comments_and_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "above\n<!-- calibration: begin -->\nold\n<!-- calibration: end -->\nbelow\n", "utf-8"
    )
    outcome = run_here(capsys, "calibrate", "--seeds", "0", "--write", str(page))
    assert outcome.code == 0
    text = page.read_text("utf-8")
    assert text.startswith("above\n<!-- calibration: begin -->\n| level | policy |")
    assert text.endswith("<!-- calibration: end -->\nbelow\n")
    assert "old" not in text
    assert outcome.out.strip() in text


def test_calibrate_leaves_a_file_without_the_comments_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n", "utf-8")
    outcome = run_here(capsys, "calibrate", "--seeds", "0", "--write", str(page))
    assert outcome.code == 1
    assert "add them first" in outcome.err
    assert page.read_text("utf-8") == "nothing here\n"
