import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from chaosops.cli.proofs import CURES, proofs
from chaosops.evaluation.gates import GateResult, prove
from chaosops.scenarios.json_schema import situation_schema
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.situation import Situation
from chaosops.scenarios.starter import write_starter
from tests.cli.helpers import run_here


def test_new_says_what_to_run_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    path = tmp_path / "slow-mornings.yaml"
    assert outcome.code == 0
    assert outcome.out == (
        f"wrote {path}: edit it, then run 'chaosops scenarios validate --prove {path}'\n"
    )


def test_new_refuses_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    outcome = run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    assert outcome.code != 0
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1


def test_schema_prints_what_editors_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(run_here(capsys, "scenarios", "schema").out) == situation_schema()


@pytest.mark.proof
def test_prove_reports_every_gate_and_exits_0_for_a_proven_incident(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_here(capsys, "scenarios", "new", "slow-mornings", "--to", str(tmp_path))
    outcome = run_here(capsys, "scenarios", "validate", "--prove", "--seeds", "0:2", str(tmp_path))
    assert outcome.code == 0
    assert (
        "proving 1 incident: every gate on 2 seeds, with 200 random games per seed\n"
        "slow-mornings: proven on 2 seeds\n"
    ) in outcome.out
    assert outcome.out.count("\npass") == 9


PAR_GATE = "par and the bonus of the diagnosis can be had"


@pytest.fixture
def hurried(tmp_path: Path) -> Path:
    """An incident that nobody can resolve within its par."""
    path = write_starter("slow-mornings", tmp_path)
    text = path.read_text("utf-8")
    assert "\npar: 24\n" in text
    path.write_text(text.replace("\npar: 24\n", "\npar: 6\n"), "utf-8")
    return path


@pytest.mark.proof
def test_a_gate_that_fails_is_named_with_the_place_to_look(
    hurried: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = 1 + hurried.read_text("utf-8").split("\npar: 6\n")[0].count("\n") + 1
    outcome = run_here(capsys, "scenarios", "validate", "--prove", "--seeds", "0", str(hurried))
    assert outcome.code == 1
    assert "slow-mornings: not proven on 1 seed\n" in outcome.out
    rows = outcome.out.splitlines()
    told = f"FAIL  {PAR_GATE}: seed 0: par, the best line takes "
    (at,) = [i for i, row in enumerate(rows) if row.startswith(told)]
    cure = "raise it to what the best line needs"
    assert rows[at + 1] == f"      {hurried}:{line}: par: {cure}"


@pytest.mark.proof
def test_a_proof_as_json_is_one_value_with_what_is_wrong(
    hurried: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("scenarios", "validate", "--prove", "--seeds", "7", "--json", str(hurried))
    outcome = run_here(capsys, *command)
    assert outcome.code == 1
    found = json.loads(outcome.out)
    assert found["problems"] == []
    (proof,) = found["proofs"]
    assert (proof["id"], proof["seeds"], proof["passed"]) == ("slow-mornings", [7], False)
    fields = {gate["name"]: gate["place"]["field"] for gate in proof["gates"] if gate["place"]}
    assert fields[PAR_GATE] == "par"
    assert all(gate["place"] is None for gate in proof["gates"] if gate["passed"])


@pytest.mark.slow
def test_every_gate_has_a_place_to_look_and_a_cure(tmp_path: Path) -> None:
    source = open_scenario(write_starter("slow-mornings", tmp_path))
    report = prove(source, [0], shortcut_seeds=[])
    assert {gate.name for gate in report.gates} == set(CURES)


def test_every_place_to_look_is_a_field_of_a_situation() -> None:
    assert {field for field, _cure in CURES.values()} <= set(Situation.model_fields)


def test_an_incident_that_cannot_be_opened_is_not_proven_and_the_next_one_is_tried(
    tmp_path: Path,
) -> None:
    gone, good = tmp_path / "gone.yaml", write_starter("slow-mornings", tmp_path)
    passed = GateResult("the expert resolves it", True, "")

    def each(run: Callable[[Any], Any], items: Sequence[Any]) -> Iterable[Any]:
        return (run(item) if item[0] == gone else passed for item in items)

    broken, proven = proofs([gone, good], (0,), (), each)
    assert (broken.passed, proven.passed) == (False, True)
    assert str(broken).startswith("gone: not proven on 1 seed\nFAIL  cannot be played: ")
    assert "gone.yaml" in broken.trouble
    assert proven.scenario_id == "slow-mornings"


@pytest.mark.proof
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


@pytest.mark.proof
def test_calibrate_leaves_a_file_without_the_comments_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n", "utf-8")
    outcome = run_here(capsys, "calibrate", "--seeds", "0", "--write", str(page))
    assert outcome.code == 1
    assert "add them first" in outcome.err
    assert page.read_text("utf-8") == "nothing here\n"


@pytest.mark.slow
def test_several_processes_prove_what_one_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_starter("slow-mornings", tmp_path)
    words = ("scenarios", "validate", "--prove", "--seeds", "0", str(tmp_path))
    alone = run_here(capsys, *words)
    assert run_here(capsys, *words, "--jobs", "2") == alone
    assert alone.out.count("pass ") == 9
