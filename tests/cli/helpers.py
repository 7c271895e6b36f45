"""Runs the command line in this process, and in one of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

import pytest

from chaosops.cli.main import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


def run_here(capsys: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    captured = capsys.readouterr()
    code = exit_.value.code
    assert isinstance(code, int)
    return Outcome(code, captured.out, captured.err)


def run_apart(*arguments: str) -> Outcome:
    done = subprocess.run(
        [sys.executable, "-m", "chaosops", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def is_one_line_with_a_cure(text: str) -> bool:
    return text.startswith("error: ") and text.count("\n") == 1 and "Traceback" not in text
