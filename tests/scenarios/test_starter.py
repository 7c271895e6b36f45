from pathlib import Path

import pytest

from chaosops.env.world_sim import Scenario
from chaosops.errors import ScenarioError
from chaosops.evaluation.gates import prove
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.json_schema import SITUATION_SCHEMA_FILE
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.starter import write_starter


@pytest.mark.proof
def test_a_new_incident_has_no_problem_and_is_proven_as_it_is(tmp_path: Path) -> None:
    path = write_starter("slow-mornings", tmp_path)
    assert check_file(path) == []
    assert Scenario.load(path, seed=3).id == "slow-mornings"
    report = prove(open_scenario(path), range(4), shortcut_seeds=[0])
    assert report.passed, str(report)


def test_a_new_incident_cannot_have_the_id_of_a_built_in_one(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="built-in incident: choose another id"):
        write_starter("paying-ends-in-an-error", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_new_incident_names_the_schema_that_lies_beside_it(tmp_path: Path) -> None:
    path = write_starter("slow-mornings", tmp_path / "mine")
    assert path.read_text("utf-8").startswith(
        f"# yaml-language-server: $schema={SITUATION_SCHEMA_FILE}"
    )
    assert (path.parent / SITUATION_SCHEMA_FILE).is_file()


def test_a_new_incident_uses_the_schema_of_the_folder_above(tmp_path: Path) -> None:
    write_starter("first-one", tmp_path)
    path = write_starter("slow-mornings", tmp_path / "easy")
    assert path.read_text("utf-8").startswith(
        f"# yaml-language-server: $schema=../{SITUATION_SCHEMA_FILE}"
    )
    assert list(path.parent.iterdir()) == [path]


def test_a_new_incident_has_as_much_automation_as_the_guide_asks_for(tmp_path: Path) -> None:
    agents = open_scenario(write_starter("slow-mornings", tmp_path)).render(0).automation
    assert len(agents) >= 3


def test_nothing_is_written_over(tmp_path: Path) -> None:
    path = write_starter("slow-mornings", tmp_path)
    path.write_text("mine\n", "utf-8")
    with pytest.raises(ScenarioError, match="already exists: choose another id"):
        write_starter("slow-mornings", tmp_path)
    assert path.read_text("utf-8") == "mine\n"


@pytest.mark.parametrize("name", ["", "Upper", "../up", "a b", "1st", "x" * 41])
def test_an_id_that_is_none_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(ScenarioError, match="is not an id"):
        write_starter(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_an_error_with_its_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(ScenarioError, match="choose a folder with --to"):
        write_starter("slow-mornings", tmp_path / "file")
