import os
import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from chaosops.cli.main import cli
from chaosops.env import world
from chaosops.env.engine import ENGINE
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.loader import find_scenarios
from chaosops.version import __version__
from tests.cli.helpers import run_here


def test_the_version_names_the_engine_and_what_its_core_runs_as(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs_as = "plain Python" if str(world.__file__).endswith(".py") else "compiled core"
    line = f"chaosops {__version__}, engine {ENGINE}, {runs_as}\n"
    assert run_here(capsys, "--version") == (0, line, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(capsys, "completion", shell)
    assert outcome.code == 0
    assert "_CHAOSOPS_COMPLETE" in outcome.out


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("chaosops ", "scenarios"),
        ("chaosops play --role ", "oversight"),
        ("chaosops run x --policy ", ""),
        ("chaosops play --teammates ex", "expert"),
        ("chaosops scenarios show ", "EASIEST"),
        ("chaosops causes show row", "row_lock"),
    ],
)
def test_the_shell_completes_commands_and_values(words: str, expected: str, easiest: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chaosops"],
        env={
            **os.environ,
            "_CHAOSOPS_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert expected.replace("EASIEST", easiest) in done.stdout


def _commands(group: click.Group) -> Iterator[click.Command]:
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None, name
            yield command
            if isinstance(command, click.Group):
                yield from _commands(command)


def test_every_command_has_an_example_and_an_incident_in_it_is_there() -> None:
    ids = {*cause_files(()), *(source.id for source in find_scenarios())}
    for command in _commands(cli):
        example = command.epilog or ""
        assert example.startswith("Example: "), command.name
        assert "chaosops " in example, command.name
        named = re.findall(r"(?:play|run|show|replay) ([a-z][a-z_-]+)", example)
        assert {name.rstrip("-") for name in named} <= ids, example
