import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from chaosops.agents import policies
from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.cli.options import SeatPolicy, Seeds
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.process_figures import process_of
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import Decider
from chaosops.recording.verify import verify
from tests.agents import own_policies
from tests.cli.helpers import is_one_line_with_a_cure, run_here
from tests.test_worker_pool import is_alive


def test_each_episode_is_a_line_and_a_summary_follows(
    easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(capsys, "run", easiest, "--policy", "all=oracle", "--seeds", "3,5")
    assert outcome.code == 0
    assert outcome.err == ""
    first, second, summary, process = outcome.out.splitlines()
    assert first.split()[:4] == [easiest, "seed", "3", "resolved"]
    assert second.split()[:4] == [easiest, "seed", "5", "resolved"]
    assert summary.startswith("2 episodes: resolved 100%, mean reward ")
    assert process.startswith("process: diagnoses grounded 0%, telling looks taken 0%, looks 0.0")


@pytest.mark.slow
def test_json_lines_say_what_the_episodes_were(
    easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(
        capsys, "run", easiest, "--policy", "all=expert", "--policy", "dev=random",
        "--seeds", "0:2", "--json",
    )  # fmt: skip
    *episodes, summary = (json.loads(line) for line in outcome.out.splitlines())
    names = dict.fromkeys(TURN_ORDER, "expert") | {AgentRole.DEV: "random"}
    env = ChaosOpsEnvironment()
    for seed, row in enumerate(episodes):
        scenario = Scenario.load(easiest, seed)
        result = run_episode(env, scenario, seat_policies(names, scenario))
        assert row["reward"] == result.cumulative_reward
        assert row["turns"] == result.final_step
        assert row["mttr"] == (result.final_step if result.resolved else None)
        assert row["wrong_fixes"] == result.wrong_fixes
        assert row["flags"] == list(result.oversight_flags)
        process = process_of(result).model_dump()
        assert {name: row[name] for name in process} == process
    assert summary["kind"] == "summary"
    assert summary["episodes"] == 2
    assert summary["mean_looks"] == pytest.approx(sum(row["looks"] for row in episodes) / 2)
    assert summary["mean_reward"] == pytest.approx(sum(row["reward"] for row in episodes) / 2)


def test_a_run_is_the_same_every_time(easiest: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("run", easiest, "--policy", "all=random", "--seeds", "0:3", "--json")
    assert run_here(capsys, *arguments) == run_here(capsys, *arguments)


def test_a_role_that_nobody_takes_passes(easiest: str, capsys: pytest.CaptureFixture[str]) -> None:
    named = run_here(capsys, "run", easiest, "--policy", "all=noop")
    left = run_here(capsys, "run", easiest, "--policy", "sre=noop")
    assert named == left


@pytest.mark.slow
def test_all_runs_every_incident(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run_here(capsys, "scenarios", "list", "--json").out)
    outcome = run_here(capsys, "run", "all", "--policy", "all=noop", "--json")
    rows = [json.loads(line) for line in outcome.out.splitlines()]
    assert [row["scenario"] for row in rows[:-1]] == [row["id"] for row in listed]


def test_a_policy_that_raises_costs_its_episode_and_the_exit_code(
    easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = f"dev={own_policies.HERE}:OnceBroken"
    outcome = run_here(capsys, "run", easiest, "--policy", policy, "--seeds", "0:3", "--json")
    *episodes, summary = (json.loads(line) for line in outcome.out.splitlines())
    assert outcome.code == 1
    assert [bool(row["error"]) for row in episodes] == [False, True, False]
    assert summary["errors"] == 1
    assert outcome.err.startswith("error: the policy of dev raised in turn 2 of ")
    assert outcome.err.endswith("(seed 1): KeyError: 'oops'\n")
    assert outcome.err.count("\n") == 1


def test_a_recorded_turn_says_who_answered_it(
    easiest: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asking = f"{own_policies.HERE}:Fallback"
    words = ("--policy", f"sre={asking}", "--policy", "dev=noop", "--recordings", str(tmp_path))
    assert run_here(capsys, "run", easiest, *words).code == 1
    (path,) = tmp_path.iterdir()
    turns = read_recording(path).turns
    assert len(turns) >= 24
    for frame, human in turns:
        asked = frame.role is AgentRole.SRE and frame.turn % 8 == 0
        answers = asking if frame.role is AgentRole.SRE else "noop"
        if frame.turn >= 24 and frame.role is AgentRole.SRE:
            asked, answers = False, "noop"
        assert human.source is (Decider.LLM if asked else Decider.SCRIPTED)
        assert human.policy == answers
    assert verify(path).ok


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("3", (3,)), ("1,2,5", (1, 2, 5)), ("0:4", (0, 1, 2, 3)), ("7,0:2", (7, 0, 1))],
)
def test_seeds_are_numbers_lists_and_ranges(text: str, seeds: tuple[int, ...]) -> None:
    assert Seeds().convert(text, None, None) == seeds


def test_a_named_role_goes_before_all_in_any_order(
    easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = run_here(capsys, "run", easiest, "--policy", "all=noop", "--policy", "sre=random")
    two = run_here(capsys, "run", easiest, "--policy", "sre=random", "--policy", "all=noop")
    alone = run_here(capsys, "run", easiest, "--policy", "all=noop")
    assert one == two != alone


def test_every_policy_has_its_name_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "play"):
        text = " ".join(run_here(capsys, command, "--help").out.split())
        assert [name for name in policies.POLICY_NAMES if name not in text] == []
    for name in policies.POLICY_NAMES:
        assert SeatPolicy().convert(f"sre={name}", None, None) == ((AgentRole.SRE,), name)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "EASIEST", "--policy", "dev=no_such:agent"),
        ("run", "EASIEST", "--policy", "dev=wizard"),
        ("play", "EASIEST", "--policy", "dev=no_such:agent"),
        ("play", "EASIEST", "--copilot", "no_such:agent"),
        ("play", "EASIEST", "--policy", "sre=expert"),
        ("play", "--policy", "sre=expert"),
        ("resume", "--policy", "all=expert"),
        ("recordings", "stats", "--policy", "no_such:agent"),
    ],
    ids=" ".join,
)
def test_a_policy_that_is_not_there_or_fits_no_seat_is_a_usage_error(
    arguments: tuple[str, ...], easiest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (easiest if word == "EASIEST" else word for word in arguments)
    outcome = run_here(capsys, *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert is_one_line_with_a_cure(outcome.err)


@pytest.mark.slow
def test_recorded_episodes_are_those_that_were_printed_and_verify(
    easiest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(
        capsys, "run", easiest, "--policy", "sre=expert", "--seeds", "0:2", "--json",
        "--recordings", str(tmp_path / "new"),
    )  # fmt: skip
    *episodes, _summary = (json.loads(line) for line in outcome.out.splitlines())
    kept = {
        recording.header.seed: recording
        for recording in map(read_recording, (tmp_path / "new").iterdir())
    }
    assert sorted(kept) == [0, 1]
    for row in episodes:
        recording = kept[row["seed"]]
        assert recording.footer is not None
        assert recording.footer.cumulative_reward == row["reward"]
        assert recording.header.seats[AgentRole.SRE].policy == "expert"
        assert recording.header.seats[AgentRole.DEV].policy == "noop"
    assert run_here(capsys, "recordings", "verify", str(tmp_path / "new")).code == 0


def test_a_folder_that_cannot_take_recordings_stops_the_run_before_it_plays(
    easiest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    outcome = run_here(capsys, "run", easiest, "--recordings", str(tmp_path / "file"))
    assert outcome.code != 0
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1


def test_a_former_id_runs_the_renamed_incident_and_its_new_name_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    former, now = "first-shift-2-baskets-vanish", "first-shift-2-carts-fail"
    outcome = run_here(capsys, "run", former, "--policy", "all=noop", "--seeds", "0:2")
    assert outcome.code == 0
    assert outcome.err == f"note: {former} is now called {now}\n"
    *episodes, _summary, _process = outcome.out.splitlines()
    assert [line.split()[0] for line in episodes] == [now, now]


def without_chance(path: Path) -> list[object]:
    """What a recording holds, but for its id and the times."""
    recording = read_recording(path)
    assert recording.footer is not None
    header = recording.header.model_copy(update={"episode_id": "", "started_at_ms": 0})
    return [header, recording.turns, recording.footer.model_copy(update={"ended_at_ms": 0})]


@pytest.mark.slow
def test_several_processes_print_and_record_what_one_does(
    easiest: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("run", easiest, "search-p99-high", "--seeds", "0:4", "--json")
    alone = run_here(capsys, *words, "--recordings", str(tmp_path / "alone"))
    together = run_here(capsys, *words, "--recordings", str(tmp_path / "two"), "--jobs", "2")
    assert together == alone
    pairs = [sorted((tmp_path / name).iterdir()) for name in ("alone", "two")]
    assert [len(paths) for paths in pairs] == [8, 8]
    for one, other in zip(*pairs, strict=True):
        assert without_chance(one) == without_chance(other)
        assert verify(other).ok


@pytest.mark.slow
def test_an_interrupt_ends_a_batch_with_its_processes_and_closes_recordings(
    tmp_path: Path,
) -> None:
    words = ("run", "all", "--seeds", "0:200", "--jobs", "2", "--recordings", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-m", "chaosops", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        first = command.stdout.readline()
        workers = children(command.pid)
        os.killpg(command.pid, signal.SIGINT)
        rest, errors = command.stdout.read(), command.stderr.read()
        assert command.wait(timeout=30) == 130
    assert errors.strip() == ""
    assert len(workers) >= 2
    until = time.monotonic() + 20.0
    while any(map(is_alive, workers)):
        assert time.monotonic() < until
        time.sleep(0.02)
    rows = [first, *rest.splitlines()]
    found = [read_recording(path) for path in tmp_path.iterdir()]
    assert len(found) >= len(rows)
    assert sum(recording.footer is None for recording in found) <= 2


def children(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text().rsplit(")", 1)[1].split()[1]) == parent:
                found.append(int(path.parent.name))
    return found
