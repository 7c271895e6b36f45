import os
import subprocess
import sys

import pytest

from chaosops.version import __version__
from tests.cli.helpers import run_here


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(capsys, "--version") == (0, f"chaosops {__version__}\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_here(capsys, "completion", shell)
    assert outcome.code == 0
    assert "_CHAOSOPS_COMPLETE" in outcome.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("chaosops ", "scenarios"),
        ("chaosops play --role ", "oversight"),
        ("chaosops run x --policy ", ""),
        ("chaosops play --teammates ex", "expert"),
        ("chaosops scenarios show ", "EASIEST"),
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
