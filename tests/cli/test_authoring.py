import json
from itertools import count
from pathlib import Path

import pytest

from chaosops.cli.proofs import CURES
from chaosops.errors import ScenarioError
from chaosops.evaluation.gates import prove
from chaosops.scenarios.json_schema import incident_schema
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.schema import Incident
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
    assert json.loads(run_here(capsys, "scenarios", "schema").out) == incident_schema()


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


@pytest.fixture
def harmless(tmp_path: Path) -> Path:
    """An incident whose first tempting fix hurts nobody."""
    path = write_starter("slow-mornings", tmp_path)
    text = path.read_text("utf-8")
    assert "value: 0.4, minutes: 8" in text
    path.write_text(text.replace("value: 0.4, minutes: 8", "value: 0.001, minutes: 1"), "utf-8")
    return path


@pytest.mark.proof
def test_a_gate_that_fails_is_named_with_the_place_to_look(
    harmless: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = 1 + harmless.read_text("utf-8").split("  - action: scale")[0].count("\n")
    outcome = run_here(capsys, "scenarios", "validate", "--prove", "--seeds", "0", str(harmless))
    assert outcome.code == 1
    assert "slow-mornings: not proven on 1 seed\n" in outcome.out
    rows = outcome.out.splitlines()
    (at,) = [i for i, row in enumerate(rows) if row.startswith("FAIL")]
    assert rows[at].startswith("FAIL  every tempting fix does harm: seed 0: scale search ")
    cure = "give it effects that hurt users, not only the service"
    assert rows[at + 1] == f"      {harmless}:{line}: tempting.0: {cure}"


@pytest.mark.proof
def test_a_proof_as_json_is_one_value_with_what_is_wrong(
    harmless: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("scenarios", "validate", "--prove", "--seeds", "0,7", "--json", str(harmless))
    outcome = run_here(capsys, *command)
    assert outcome.code == 1
    found = json.loads(outcome.out)
    assert found["problems"] == []
    (proof,) = found["proofs"]
    assert (proof["id"], proof["seeds"], proof["passed"]) == ("slow-mornings", [0, 7], False)
    failed = [gate for gate in proof["gates"] if not gate["passed"]]
    assert [gate["name"] for gate in failed] == ["every tempting fix does harm"]
    assert [place["field"] for place in failed[0]["places"]] == ["tempting.0"]
    assert all(gate["places"] == [] for gate in proof["gates"] if gate["passed"])


def test_every_gate_has_a_place_to_look_and_a_cure(tmp_path: Path) -> None:
    source = open_scenario(write_starter("slow-mornings", tmp_path))
    report = prove(source, [0], shortcut_seeds=[])
    assert {gate.name for gate in report.gates} == set(CURES)
    assert {field for field, _cure in CURES.values()} <= set(Incident.model_fields) | {"variables"}


def _refuses(source: ScenarioSource, seed: int) -> bool:
    try:
        source.render(seed)
    except ScenarioError:
        return True
    return False


@pytest.mark.proof
def test_an_incident_that_a_seed_makes_impossible_is_not_proven_and_the_next_one_is_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = (write_starter(name, tmp_path) for name in ("a-bad", "b-good"))
    span = "  since: {number: [0, 20]}\n  until: {number: [19, 47]}\n  onset:"
    text = bad.read_text("utf-8").replace("  onset:", span)
    seen = '    signs: [heap_growth]\n    since: "{since}"\n    until: "{until}"\n'
    bad.write_text(text.replace("    signs: [heap_growth]\n", seen), "utf-8")
    source = open_scenario(bad)
    seed = next(seed for seed in count() if _refuses(source, seed))

    outcome = run_here(
        capsys, "scenarios", "validate", "--prove", "--seeds", str(seed), str(tmp_path)
    )

    assert outcome.code == 1
    assert "2 files, 0 problems" in outcome.out
    assert f"a-bad: not proven on 1 seed\nFAIL  cannot be played: {bad}:" in outcome.out
    assert f"{good.stem}: proven on 1 seed" in outcome.out


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
    words = ("scenarios", "validate", "--prove", "--seeds", "0:2", str(tmp_path))
    alone = run_here(capsys, *words)
    assert run_here(capsys, *words, "--jobs", "2") == alone
    assert alone.out.count("pass ") == 9
