import json
from pathlib import Path

import pytest

from chaosops.cli.baseline_files import PARQUET, ROWS
from chaosops.evaluation.baselines.adversary_teams import ADVERSARY_TEAMS
from chaosops.scenarios.loader import open_scenario
from tests.cli.helpers import is_one_line_with_a_cure, run_here
from tests.tui.screens.test_home import play

SMALL = ("baseline", "--set", "paying-ends-in-an-error", "--seeds", "0:2", "--policies", "random")


def test_the_folder_has_rows_a_table_and_curves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "out"
    outcome = run_here(capsys, *SMALL, "--out", str(out))
    assert (outcome.code, outcome.err) == (0, "")
    names = {path.name for path in out.iterdir()} - {PARQUET}
    assert names == {"rows.jsonl", "table.md", "curves.svg", "summary.json"}
    rows = [json.loads(line) for line in (out / ROWS).read_text("utf-8").splitlines()]
    assert [row["policy"] for row in rows] == ["noop", "constant", "random"] * 2
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    for cell in summary["table"]:
        mine = [row["reward"] for row in rows if row["policy"] == cell["policy"]]
        assert cell["reward"]["mean"] == pytest.approx(sum(mine) / 2)
    assert [curve["policy"] for curve in summary["curves"]] == ["noop", "constant", "random"]
    assert summary["seeds"] == [0, 1]
    table = (out / "table.md").read_text("utf-8")
    by_level, _, by_incident = table.partition("\n\n")
    assert by_level.count("| easy |") == 3
    assert by_incident.startswith("| level | incident | noop | constant | random |\n")
    (line,) = by_incident.strip().splitlines()[2:]
    means = [cell["reward"] for cell in summary["incidents"]]
    assert [f"{mean:.1f}" in line for mean in means] == [True] * 3
    assert line.startswith("| easy | paying-ends-in-an-error | 0%, ")
    assert "easy" in outcome.out
    assert "a  noop: " in outcome.out


@pytest.mark.slow
def test_several_processes_write_the_same_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = [
        run_here(capsys, *SMALL, "--out", str(tmp_path / jobs), "--jobs", jobs)
        for jobs in ("1", "2")
    ]
    assert outcomes[0] == outcomes[1]
    for path in (tmp_path / "1").iterdir():
        if path.name != PARQUET:
            assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes()


def test_a_folder_with_files_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    outcome = run_here(capsys, *SMALL, "--out", str(tmp_path))
    assert outcome.code == 1
    assert is_one_line_with_a_cure(outcome.err)
    assert "is not empty: name another folder" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_json_is_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads(run_here(capsys, *SMALL, "--json").out)
    assert [cell["policy"] for cell in cells] == ["noop", "constant", "random"]
    assert cells[0]["resolved"]["mean"] == 0.0
    assert cells[0]["process"]["looks"] == 0.0


def test_the_table_goes_between_the_comments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- baseline: begin -->\nold\n<!-- baseline: end -->\nz\n", "utf-8")
    assert run_here(capsys, *SMALL, "--write", str(page)).code == 0
    text = page.read_text("utf-8")
    assert text.startswith("a\n<!-- baseline: begin -->\n| level | policy |")
    assert text.endswith("1 incident, 2 seeds each.\n<!-- baseline: end -->\nz\n")


def test_a_page_with_room_gets_the_table_by_incident_and_the_public_incidents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    rooms = ("baseline", "baseline-incidents")
    page.write_text("".join(f"<!-- {r}: begin --><!-- {r}: end -->\n" for r in rooms), "utf-8")
    assert run_here(capsys, *SMALL, "--write", str(page)).code == 0
    _, _, found = page.read_text("utf-8").partition("<!-- baseline-incidents: begin -->\n")
    assert found.startswith("| level | incident | noop | constant | random |\n")
    drawing = open_scenario("paying-ends-in-an-error").drawing
    for cast in drawing.situation.casts:
        assert str(drawing.causes[cast.cause].same_kind) in found


@pytest.mark.slow
def test_an_adversary_is_played_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    command = (*SMALL[:-1], ",".join(ADVERSARY_TEAMS), "--json")
    cells = json.loads(run_here(capsys, *command).out)
    assert [cell["policy"] for cell in cells] == ["noop", "constant", *ADVERSARY_TEAMS]
    assert all(cell["episodes"] == 2 for cell in cells)
    rewards = {cell["policy"]: cell["reward"]["mean"] for cell in cells}
    assert len(set(rewards.values())) >= 4


@pytest.mark.slow
def test_finished_games_of_people_are_a_row_and_others_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    games = [play(folder, "paying-ends-in-an-error", seed) for seed in (0, 1)]
    play(folder, "paying-ends-in-an-error", 2, turns=5)
    play(folder, "checkout-times-out", 0)
    outcome = run_here(capsys, *SMALL, "--people", str(folder), "--json")
    assert (outcome.code, outcome.err) == (0, "")
    people = json.loads(outcome.out)[-1]
    assert (people["policy"], people["episodes"]) == ("people", 2)
    rewards = [sum(step.reward for step in game.steps) for game in games]
    assert people["reward"]["mean"] == pytest.approx(sum(rewards) / 2)
    torn = games[0].recording
    assert torn is not None
    torn.write_bytes(torn.read_bytes().replace(b'"resolved":false', b'"resolved":true'))
    outcome = run_here(capsys, *SMALL, "--people", str(folder), "--json")
    assert json.loads(outcome.out)[-1]["episodes"] == 1
    assert is_one_line_with_a_cure(outcome.err) or "was changed" in outcome.err


@pytest.mark.slow
def test_a_policy_that_raises_is_the_exit_code_and_told_a_few_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "tests.evaluation.baselines.test_episodes:raises"
    outcome = run_here(
        capsys, "baseline", "--set", "paying-ends-in-an-error", "--seeds", "0:7",
        "--policies", name, "--out", str(tmp_path / "out"),
    )  # fmt: skip
    assert outcome.code == 1
    assert outcome.err.count("\n") == 6
    assert outcome.err.splitlines()[-1].startswith("error: and 2 more episodes")
    rows = (tmp_path / "out" / ROWS).read_text("utf-8").splitlines()
    assert sum(json.loads(row)["error"] is not None for row in rows) == 7


@pytest.mark.parametrize(
    "wrong",
    [
        ("--policies", "nobody"),
        ("--policies", "random,"),
        ("--set", "generated:5"),
        ("--set", ""),
        ("--seeds", "x"),
        ("--jobs", "0"),
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_line_with_a_cure(
    wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(capsys, "baseline", *wrong)
    assert outcome.code == 2
    assert is_one_line_with_a_cure(outcome.err)
