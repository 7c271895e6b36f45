"""Language models on the command line, against a server on loopback."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.env.models import AgentRole
from chaosops.recording.events import SeatKind
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import Decider
from chaosops.recording.verify import verify
from tests.adapters.llm.server import KEY, Server, html, says, serving, status, turn
from tests.cli.helpers import is_one_line_with_a_cure, run_apart, run_here

Capture = pytest.CaptureFixture[str]
NAME = "openai:little-1"
PASSING = says(turn("noop"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with serving(PASSING) as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("OPENAI_MODEL", "")
        yield running


def test_a_run_records_the_models_turns_under_its_name_and_sums_up_what_they_cost(
    server: Server, easiest: str, tmp_path: Path, capsys: Capture
) -> None:
    log = tmp_path / "calls.jsonl"
    words = ("--policy", f"dev={NAME}", "--policy", "sre=noop", "--recordings", str(tmp_path / "r"))
    outcome = run_here(capsys, "run", easiest, *words, "--json", "--llm-log", str(log))
    assert outcome.code == 0
    _episode, summary = map(json.loads, outcome.out.splitlines())
    (path,) = (tmp_path / "r").iterdir()
    recording = read_recording(path)
    mine = [human for frame, human in recording.turns if frame.role is AgentRole.DEV]
    assert {(human.source, human.policy) for human in mine} == {(Decider.LLM, NAME)}
    assert recording.header.seats[AgentRole.DEV].policy == NAME
    assert summary["models"][NAME]["turns"] == len(mine) == len(server.asked)
    assert outcome.err.startswith(f"{NAME}: {len(mine)} turns, {len(mine)} calls, ")
    assert verify(path).ok
    assert len(log.read_text("utf-8").splitlines()) == len(mine)
    for file in (path, log):
        assert KEY not in file.read_text("utf-8")
    out = tmp_path / "set"
    exported = run_here(
        capsys, "recordings", "export", str(out), str(path), "--format", "sft", "--source", "llm"
    )
    assert exported.code == 0, exported.err
    rows = [
        json.loads(line)
        for file in sorted(out.rglob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    assert len(rows) == len(mine)
    assert {(row["source"], row["policy"]) for row in rows} == {("llm", NAME)}


def test_turns_that_a_model_lost_are_nobodys_and_the_game_goes_on(
    server: Server, easiest: str, tmp_path: Path, capsys: Capture
) -> None:
    server.answers = [PASSING, html, PASSING, says("garbage"), *[says("garbage")] * 2, PASSING]
    words = ("--policy", f"dev={NAME}", "--policy", "sre=noop", "--recordings", str(tmp_path))
    outcome = run_here(capsys, "run", easiest, *words)
    assert outcome.code == 0
    assert "2 repairs, 2 lost turns" in outcome.err
    (path,) = tmp_path.iterdir()
    recording = read_recording(path)
    mine = [human for frame, human in recording.turns if frame.role is AgentRole.DEV]
    assert [human.source for human in mine[:4]] == [
        Decider.LLM, Decider.SCRIPTED, Decider.LLM, Decider.SCRIPTED,
    ]  # fmt: skip
    assert [human.policy for human in mine[:4]] == [NAME, "noop", NAME, "noop"]
    assert recording.footer is not None
    assert verify(path).ok


def plain(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, lines: list[str], *arguments: str
) -> tuple[int, str, str]:
    """Play in the plain mode with these lines, in a process of its own."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "chaosops", *arguments, "--plain"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_a_model_is_a_teammate_a_copilot_and_takes_a_seat_in_the_game(
    server: Server,
    easiest: str,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    server.answers = [says(turn("noop", reason="Nothing is certain yet."))]
    code, out, err = plain(
        monkeypatch, capsys,
        ["accept", f"hand oversight {NAME}", "pass", "quit"],
        "play", easiest, "--policy", f"dev={NAME}", "--teammates", "noop", "--copilot", NAME,
        "--recordings", str(tmp_path / "r"),
    )  # fmt: skip
    assert code == 0, err
    assert f"Copilot {NAME} proposes" in out
    assert "Nothing is certain yet." in out
    assert err.splitlines()[-1].startswith(f"{NAME}: ")
    (path,) = (tmp_path / "r").iterdir()
    recording = read_recording(path)
    assert recording.header.seats[AgentRole.SRE].kind is SeatKind.COPILOT
    sources = [(frame.role, human.source) for frame, human in recording.turns]
    proposed = recording.turns[0].human.suggestion
    assert proposed is not None
    assert proposed.accepted
    assert (proposed.policy, proposed.reason) == (NAME, "Nothing is certain yet.")
    assert sources[1] == (AgentRole.OVERSIGHT, Decider.SCRIPTED)
    assert sources[2] == (AgentRole.DEV, Decider.LLM)
    assert sources[5] == (AgentRole.OVERSIGHT, Decider.LLM)
    assert KEY not in path.read_text("utf-8") + out + err


@pytest.mark.slow
def test_a_refused_key_costs_no_game_and_is_said_once_a_round(
    server: Server,
    easiest: str,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.answers = [status(401)]
    code, out, err = plain(
        monkeypatch, capsys,
        ["pass", "pass", "quit"],
        "play", easiest, "--policy", f"dev={NAME}", "--copilot", NAME, "--teammates", "noop",
        "--recordings", str(tmp_path),
    )  # fmt: skip
    assert code == 0, err
    assert f"Dev passed in turn 3: the server of {NAME} refused the key (status 401)" in out
    assert "No proposal from the copilot" in out
    assert KEY not in out + err
    assert "bad key" not in out + err
    # One for each seat: a refused key is not tried again.
    assert len(server.asked) == 2
    (path,) = tmp_path.iterdir()
    assert verify(path).ok
    assert len(read_recording(path).turns) == 8


@pytest.mark.parametrize(
    ("environment", "name", "why"),
    [
        ({}, NAME, "set OPENAI_API_KEY, or OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": "sk two words"}, NAME, "OPENAI_API_KEY has spaces"),
        ({"OPENAI_API_KEY": "sk-é"}, NAME, "OPENAI_API_KEY has spaces or characters"),
        ({"OPENAI_BASE_URL": "localhost:8080"}, NAME, "OPENAI_BASE_URL is no address"),
        ({"OPENAI_BASE_URL": "http://[::1"}, NAME, "OPENAI_BASE_URL is no address"),
        ({"OPENAI_API_KEY": KEY}, "openai:", "write openai:MODEL"),
    ],
)
@pytest.mark.parametrize("command", ["run", "play"])
def test_what_is_missing_for_a_model_is_said_before_anything_is_played(
    command: str,
    environment: dict[str, str],
    name: str,
    why: str,
    easiest: str,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    extra = ["--plain"] if command == "play" else []
    words = (command, easiest, "--policy", f"dev={name}", "--recordings", str(tmp_path), *extra)
    outcome = run_here(capsys, *words)
    assert outcome.code in (1, 2)
    assert outcome.out == ""
    assert is_one_line_with_a_cure(outcome.err)
    assert why in outcome.err
    assert not any(value in outcome.err for value in environment.values())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("run", "EASIEST", "--policy", f"dev={NAME}", "--jobs", "2"), "leave out --jobs"),
        (("recordings", "stats", "--policy", NAME), "no language model"),
        (("run", "EASIEST", "--policy", f"dev={NAME}", "--llm-mode", "xml"), "schema"),
        (("run", "EASIEST", "--policy", f"dev={NAME}", "--llm-timeout", "nan"), "nan"),
        (("run", "EASIEST", "--policy", f"dev={NAME}", "--llm-log", "/no/such/x"), "--llm-log"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    arguments: tuple[str, ...], why: str, server: Server, easiest: str, capsys: Capture
) -> None:
    words = (easiest if word == "EASIEST" else word for word in arguments)
    outcome = run_here(capsys, *words)
    assert outcome.code != 0
    assert is_one_line_with_a_cure(outcome.err)
    assert why in outcome.err
    assert not server.asked


def test_httpx_is_imported_only_where_a_model_is_asked(easiest: str) -> None:
    probe = (
        "import sys; from chaosops.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nfinally:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", probe, "run", easiest, "--policy", "all=noop"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    loaded = set(done.stderr.split())
    assert "chaosops.adapters.llm.models" in loaded
    assert not loaded & {"httpx", "chaosops.adapters.llm.client", "ssl"}


def test_without_httpx_the_extra_is_named(easiest: str, server: Server) -> None:
    hidden = (
        "import importlib.util as u, sys; find = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'httpx' else find(name, *more)\n"
        "from chaosops.cli.main import main; main(sys.argv[1:])"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", hidden, "run", easiest, "--policy", f"dev={NAME}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "pip install 'chaosops[llm]'" in done.stderr


@pytest.mark.slow
def test_a_game_with_a_model_is_resumed_with_it_or_with_another_policy(
    server: Server, easiest: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _out, err = plain(
        monkeypatch, capsys, ["pass", "quit"],
        "play", easiest, "--policy", f"dev={NAME}", "--teammates", "noop",
        "--recordings", str(tmp_path),
    )  # fmt: skip
    assert code == 0, err
    (path,) = tmp_path.iterdir()
    asked = len(server.asked)
    code, out, err = plain(monkeypatch, capsys, ["pass", "quit"], "resume", str(path))
    assert (code, len(server.asked)) == (0, asked + 1), err
    assert f"Dev {NAME}" in out or NAME in out
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    lost = run_apart("resume", str(path), "--plain")
    assert lost.code == 1
    assert "--policy ROLE=POLICY" in lost.err
    code, _out, err = plain(
        monkeypatch, capsys, ["pass", "quit"], "resume", str(path), "--policy", "dev=noop"
    )
    assert code == 0, err
    assert read_recording(path).turns[-2].human.policy == "noop"
