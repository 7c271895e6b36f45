import json
from pathlib import Path

import pytest

from chaosops.env.models import FailureType
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.loader import find_scenarios
from tests.cli.helpers import run_here


def test_list_shows_every_incident_and_no_cause(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(capsys, "scenarios", "list")
    assert outcome.code == 0
    head, *rows = outcome.out.splitlines()
    assert head.split() == ["ID", "LEVEL", "TITLE", "TOPOLOGY"]
    assert [row.split()[0] for row in rows] == [source.id for source in find_scenarios()]
    assert not [cause for cause in FailureType if cause.value in outcome.out]


def test_list_as_json_has_the_same_columns(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run_here(capsys, "scenarios", "list", "--json").out)
    assert [row["id"] for row in rows] == [source.id for source in find_scenarios()]
    assert {tuple(row) for row in rows} == {("id", "level", "title", "topology")}


def test_list_names_broken_files_of_ones_own_and_still_lists_the_others(
    tmp_path: Path, easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.yaml").write_text("id: mine\ncolour: red\n")
    outcome = run_here(capsys, "scenarios", "list", "--scenarios", str(tmp_path))
    assert outcome.code == 1
    assert easiest in outcome.out
    assert outcome.err.startswith(f"error: {tmp_path / 'mine.yaml'}")
    assert outcome.err.count("\n") == 1


def test_show_gives_the_opening_facts_and_keeps_the_cause(
    easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = Scenario.load(easiest, 7)
    outcome = run_here(capsys, "scenarios", "show", easiest, "--seed", "7")
    assert outcome.code == 0
    for fact in (scenario.title, scenario.page, "turns", "par", "oversight"):
        assert fact in outcome.out
    for service in scenario.topology.names():
        assert service in outcome.out
    assert scenario.failure_type.value not in outcome.out
    assert scenario.incident.debrief.title not in outcome.out


def test_show_with_spoilers_tells_the_cause_the_solution_and_the_lesson(
    easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = Scenario.load(easiest)
    outcome = run_here(capsys, "scenarios", "show", easiest, "--spoilers", "--json")
    facts = json.loads(outcome.out)
    assert facts["failure_type"] == scenario.failure_type.value
    assert len(facts["faults"]) == len(scenario.incident.faults)
    assert len(facts["solution"]) == len(scenario.incident.solution)
    assert facts["lesson"] == scenario.incident.debrief.lesson
    assert set(json.loads(run_here(capsys, "scenarios", "show", easiest, "--json").out)) < set(
        facts
    )


def test_show_takes_the_path_of_a_file(easiest: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = next(builtin_folder().rglob(f"{easiest}.yaml"))
    by_path = run_here(capsys, "scenarios", "show", str(path))
    assert by_path == run_here(capsys, "scenarios", "show", easiest)


@pytest.mark.slow
def test_validate_finds_nothing_in_the_built_in_set(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(capsys, "scenarios", "validate")
    assert outcome.out.endswith(" 0 problems\n")
    assert outcome.code == 0


def test_validate_prints_every_problem_of_every_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.yaml").write_text("id: one\ncolour: red\n")
    (tmp_path / "two.yaml").write_bytes(b"\xff\xfe")
    outcome = run_here(capsys, "scenarios", "validate", str(tmp_path))
    assert outcome.code == 1
    *problems, summary = outcome.out.splitlines()
    assert any(line.startswith(f"{tmp_path / 'one.yaml'}:2: colour: ") for line in problems)
    assert any(line.startswith(str(tmp_path / "two.yaml")) for line in problems)
    assert summary == f"2 files, {len(problems)} problems"
    rows = json.loads(run_here(capsys, "scenarios", "validate", str(tmp_path), "--json").out)
    assert len(rows) == len(problems)
