"""`chaosops scenarios generate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chaosops.env.models import Difficulty
from chaosops.generation import batches
from chaosops.generation.draft import situation_text
from chaosops.generation.drafts_in_files import open_draft
from chaosops.generation.errors import GenerationError, SetNameError
from chaosops.generation.generator import GeneratedSituation
from chaosops.generation.spec import SituationSpec
from chaosops.scenarios.file_checks import check_file
from tests.cli.helpers import is_one_line_with_a_cure, run_here
from tests.generation.drafts import unproven

EASY = ("scenarios", "generate", "--level", "easy", "--topology", "shop")


def without_a_proof(spec: SituationSpec) -> GeneratedSituation:
    """What `generate` returns, for seeds other than 13, from a draft that nobody has proven."""
    if spec.seed == 13:
        raise GenerationError("seed 13: none of 8 drafts could be proven; use another seed")
    draft = unproven(spec.seed, spec.level, spec.topology or "shop", spec.services)
    assert draft is not None
    source = open_draft(draft)
    fleet = draft.fleet
    return GeneratedSituation(
        spec, draft.id, situation_text(draft), fleet.id, fleet.text, len(draft.casts), 9, source
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "generate", without_a_proof)


@pytest.mark.usefixtures("quick")
def test_each_file_is_sound_and_has_a_line_and_the_schema_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "new" / "folder"
    outcome = run_here(capsys, *EASY, "--seed", "1", "--count", "2", "--to", str(to))
    assert (outcome.code, outcome.err) == (0, "")
    names = ["gen-easy-shop-1.yaml", "gen-easy-shop-2.yaml"]
    assert [Path(line.split(": ")[0]).name for line in outcome.out.splitlines()] == names
    assert sorted(path.name for path in to.iterdir()) == [*names, "situation.schema.json"]
    assert all(check_file(to / name) == [] for name in names)


@pytest.mark.usefixtures("quick")
def test_what_cannot_be_proven_is_an_error_and_the_others_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(
        capsys, *EASY, "--seed", "12", "--count", "3", "--to", str(tmp_path), "--json"
    )
    assert outcome.code == 1
    assert is_one_line_with_a_cure(outcome.err)
    rows = json.loads(outcome.out)
    assert [row["seed"] for row in rows] == [12, 13, 14]
    assert ["error" in row for row in rows] == [False, True, False]
    assert (tmp_path / "gen-easy-shop-14.yaml").is_file()


@pytest.mark.usefixtures("quick")
def test_files_that_are_there_are_kept_unless_they_are_to_be_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "gen-easy-shop-2.yaml"
    mine.write_text("mine", "utf-8")
    arguments = (*EASY, "--seed", "1", "--count", "2", "--to", str(tmp_path))
    outcome = run_here(capsys, *arguments)
    assert outcome.code == 1
    assert is_one_line_with_a_cure(outcome.err)
    assert "already has gen-easy-shop-2.yaml" in outcome.err
    assert "--force" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == [mine.name]
    assert run_here(capsys, *arguments, "--force").code == 0
    assert mine.read_text("utf-8").startswith("# yaml-language-server")


def test_a_folder_that_cannot_be_written_is_an_error_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    outcome = run_here(capsys, *EASY, "--seed", "1", "--to", str(tmp_path / "file" / "inside"))
    assert outcome.code == 1
    assert is_one_line_with_a_cure(outcome.err)
    assert "choose a folder with --to" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--seed", "1", "--level", "tutorial"), "is not one of"),
        (("--seed", "-1", "--level", "easy"), "not a seed"),
        (("--seed", "4294967295", "--level", "easy", "--count", "2"), "lower --seed or --count"),
        (("--seed", "1", "--level", "easy", "--services", "7"), "8<=x<=40"),
        (("--seed", "1", "--level", "easy", "--services", "41"), "8<=x<=40"),
        (("--seed", "1", "--level", "easy", "--topology", "mall"), "choose from pipeline, shop"),
        (
            ("--seed", "1", "--level", "easy", "--topology", "shop", "--services", "9"),
            "exclude each other",
        ),
        (("--seed", "1", "--level", "easy", "--count", "0"), "x>=1"),
    ],
)
def test_bad_values_are_usage_errors(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(capsys, "scenarios", "generate", *arguments)
    assert outcome.code == 2
    assert is_one_line_with_a_cure(outcome.err)
    assert said.replace("x>=1", "") in outcome.err


@pytest.mark.usefixtures("quick")
def test_a_folder_of_them_can_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_here(capsys, *EASY, "--seed", "1", "--to", str(tmp_path))
    measured = run_here(
        capsys, "evaluate", str(tmp_path), "--adversary", "place", "--seeds", "0", "--json"
    )
    assert json.loads(measured.out)[0]["gate"] == "place"


def test_a_folder_without_incidents_cannot_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(capsys, "evaluate", str(tmp_path))
    assert outcome.code == 2
    assert "no incidents in" in outcome.err


@pytest.mark.usefixtures("quick")
def test_a_set_for_baselines_can_be_generated(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(
        capsys,
        *("baseline", "--set", "generated:easy:12:15", "--seeds", "0", "--policies", "random"),
        "--json",
    )
    assert outcome.code == 0
    assert outcome.err.startswith("error: seed 13: none of 8 drafts")
    cells = json.loads(outcome.out)
    assert {cell["level"] for cell in cells} == {"easy"}
    assert {cell["episodes"] for cell in cells} == {2}


@pytest.mark.parametrize("rest", ["", "5", "5:5", "9:5", "a:b", "x:0:5", "0:1001", "0:4294967297"])
def test_a_generated_set_without_a_range_of_seeds_is_refused(rest: str) -> None:
    with pytest.raises(SetNameError, match=r"write generated:0:100|use fewer seeds"):
        batches.specs_of_set(rest)


def test_a_generated_set_takes_the_levels_one_after_another() -> None:
    specs = batches.specs_of_set("5:9")
    assert [spec.seed for spec in specs] == [5, 6, 7, 8]
    assert {spec.level for spec in specs[:3]} == set(Difficulty) - {Difficulty.TUTORIAL}
    assert {spec.level for spec in batches.specs_of_set("hard:0:4")} == {Difficulty.HARD}


@pytest.mark.proof
def test_several_processes_write_the_same_rows_and_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = {}
    for jobs in ("1", "2"):
        to = tmp_path / jobs
        arguments = (*EASY, "--seed", "1", "--count", "2", "--jobs", jobs, "--to", str(to))
        outcome = run_here(capsys, *arguments)
        files = {path.name: path.read_text("utf-8") for path in to.iterdir()}
        made[jobs] = (outcome.code, outcome.out.replace(str(to), ""), files)
    assert made["1"] == made["2"]
