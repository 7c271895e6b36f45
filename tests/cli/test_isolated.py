"""Policies in processes of their own, on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chaosops.recording.reader import read_recording
from chaosops.recording.verify import verify
from tests.cli.helpers import is_one_line_with_a_cure, run_here

HERE = "tests.agents.hostile_policies"
RUN = ("run", "paying-ends-in-an-error", "--seeds", "0:2", "--json")

_SPY = """
import sys
from chaosops.env.models import ActionType, ChaosOpsAction

with open({tally!r}, "a") as tally:
    print("simulator" if "chaosops.env.environment" in sys.modules else "alone", file=tally)

def spy(observation, role):
    return ChaosOpsAction(role, ActionType.NOOP)
"""


def imports_of_a_spy(folder: Path, *words: str) -> set[str]:
    """In what kinds of process its module was imported."""
    tally = folder / "tally"
    (folder / "spy_policy.py").write_text(_SPY.format(tally=str(tally)), "utf-8")
    tally.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "chaosops", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return set(tally.read_text("utf-8").split())


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_the_module_of_an_isolated_policy_is_imported_nowhere_else(
    jobs: str, tmp_path: Path
) -> None:
    words = (*RUN, "--policy", "sre=spy_policy:spy", "--jobs", jobs)
    assert imports_of_a_spy(tmp_path, *words) == {"simulator"}
    assert imports_of_a_spy(tmp_path, "run", "--isolated", *words[1:]) == {"alone"}
    assert imports_of_a_spy(tmp_path, *words, "--isolated") == {"alone"}


@pytest.mark.slow
def test_an_isolated_run_gives_the_rows_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    words = (*RUN, "--policy", "all=expert", "--policy", f"dev={HERE}:prints")
    here = run_here(capsys, *words).out.splitlines()
    rows = [line for line in here if line != "chatter"]
    assert len(rows) == 3 < len(here)
    assert run_here(capsys, *words, "--isolated").out.splitlines() == rows
    assert run_here(capsys, *words, "--isolated", "--jobs", "2").out.splitlines() == rows


@pytest.mark.slow
def test_a_policy_that_ends_its_process_costs_its_episodes_and_the_turns_are_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--policy", f"sre={HERE}:dies_in_turn_8", "--recordings", str(tmp_path))
    outcome = run_here(capsys, *RUN, "--isolated", *words)
    *rows, summary = (json.loads(line) for line in outcome.out.splitlines())
    assert outcome.code == 1
    assert summary["errors"] == 2
    assert all("ended with exit code 7" in row["error"] for row in rows)
    for path in tmp_path.iterdir():
        assert len(read_recording(path).turns) == 8
        assert verify(path).ok


@pytest.mark.slow
def test_baselines_can_be_isolated(capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads(
        run_here(
            capsys, "baseline", "--set", "paying-ends-in-an-error", "--seeds", "0:2", "--json",
            "--isolated", "--policies", f"{HERE}:prints,oracle",
        ).out
    )  # fmt: skip
    by_policy = {cell["policy"]: cell["reward"]["mean"] for cell in cells}
    assert by_policy[f"{HERE}:prints"] == by_policy["noop"]
    assert by_policy["oracle"] > 0


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["nobody", "nowhere:at_all", f"{HERE}:nothing"])
def test_a_policy_that_is_not_there_is_one_line_with_a_cure(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ((*RUN, "--policy", f"sre={name}"), ("baseline", "--policies", name)):
        outcome = run_here(capsys, *words, "--isolated")
        assert outcome.code == 2
        assert is_one_line_with_a_cure(outcome.err)
        assert "there is no policy" in outcome.err
