import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click

from chaosops.cli.main import cli
from chaosops.scenarios.loader import find_scenarios

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_one_command_opens_the_game_and_one_runs_the_tests() -> None:
    game, tests = (block.strip() for block in blocks("sh")[:2])
    for command in (game, tests):
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert game.endswith(" && .venv/bin/chaosops")
    assert ".venv/bin/python -m pytest" in tests


def test_ci_runs_the_readmes_own_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"sed -n '/(.*)/p' README\.md", script)
    assert pattern is not None
    matching = [line for line in README.splitlines() if re.search(pattern[1], line)]
    assert matching == [blocks("sh")[1].strip()]
    assert 'check bash -c "$tests"' in script


def test_ci_runs_every_kind_of_test_that_the_readmes_command_leaves_out() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
    named = {marker.partition(":")[0] for marker in options["ini_options"]["markers"]}
    kinds = {name for name in named if name.isidentifier()}
    left_out = re.findall(r"\w+", options["ini_options"]["addopts"][-1].removeprefix("not "))
    assert set(left_out) - {"or"} == kinds
    run, installed = ((ROOT / ".ci" / name).read_text() for name in ("run", "installed"))
    (loop,) = re.findall(r'^for kind in (.*); do\n    check .* -m "\$kind"$', run, re.M)
    apart = [*loop.split(), *re.findall(r"^check .* -m (\w+)$", run, re.M)]
    assert "check .ci/installed" in run
    (without,) = re.findall(r'^apart="(.*)"$', installed, re.M)
    rest = sorted(kinds - {*without.split(" or ")})
    assert re.findall(r'^run -m "\((.*)\) and not \(\$apart\)"', installed, re.M) == [
        " or ".join(reversed(rest))
    ]
    assert f'^run -m "not ({" or ".join(reversed(rest))} or $apart)"'[1:] in installed
    # The trainers' libraries are too large to install with every change.
    assert sorted([*apart, "trl"]) == sorted(without.split(" or "))
    assert set(apart) < kinds


def test_the_commands_and_incidents_that_it_names_are_there() -> None:
    ids = {source.id for source in find_scenarios()}
    named = re.findall(r"`?chaosops (\w+)(?: ([a-z-]+))?", README)
    with click.Context(cli) as context:
        for name, word in named:
            command = cli.get_command(context, name)
            assert command is not None, name
            if isinstance(command, click.Group) and word:
                assert command.get_command(context, word) is not None, f"{name} {word}"
            elif name in ("play", "run"):
                assert word in ids, f"{name} {word}"


def test_its_python_example_runs() -> None:
    (example,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stderr == ""
    *turns, ending = done.stdout.splitlines()
    assert [line.split()[0] for line in turns] == [str(turn) for turn in range(len(turns))]
    assert {line.split()[1] for line in turns} == {"sre", "oversight", "dev", "manager"}
    resolved, mttr, _reward = ending.split()
    assert resolved == "True"
    assert int(mttr) == len(turns)
