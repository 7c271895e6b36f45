import os
import pty
import resource
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from chaosops.cli.errors import execute
from chaosops.cli.main import cli
from chaosops.errors import ChaosOpsError
from tests.cli.helpers import is_one_line_with_a_cure, run_apart, run_here


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["ply"], "did you mean 'play'?"),
        (["bogus"], "choose from play, shift, resume, replay, run, scenarios"),
        (["--nope"], "see chaosops --help"),
        (["scenarios"], "see chaosops scenarios --help"),
        (["scenarios", "lst"], "list"),
        (["scenarios", "show", "no-such"], "chaosops scenarios list"),
        (["scenarios", "show", "./gone.yaml"], "gone.yaml"),
        (["scenarios", "list", "--scenarios", "gone"], "does not exist"),
        (["scenarios", "validate", "gone"], "check the path"),
        (["play", "no-such"], "chaosops scenarios list"),
        (["play", "x", "--role", "boss"], "choose from sre, oversight, dev, manager"),
        (["play", "x", "--teammates", "guru"], "choose from random, hurried, junior"),
        (["play", "x", "--seed", "-1"], "whole number from 0 to 4294967295"),
        (["play", "x", "--seed", "4294967296"], "whole number from 0 to 4294967295"),
        (["play", "x", "--seed", "seven"], "whole number"),
        (["play", "--seed", "7"], "need a SCENARIO"),
        (["replay", "gone.jsonl"], "does not exist"),
        (["replay"], "see chaosops replay --help"),
        (["run"], "see chaosops run --help"),
        (["run", "no-such"], "chaosops scenarios list"),
        (["run", "x", "--policy", "expert"], "such as all=expert"),
        (["run", "x", "--policy", "sre=guru"], "choose from random, hurried, junior"),
        (["run", "x", "--policy", "boss=expert"], "choose from sre"),
        (["run", "x", "--seeds", "5:5"], "write 0:20 for 0 to 19"),
        (["run", "x", "--seeds", "1,,2"], "whole number"),
        (["run", "x", "--seeds", "0:4000000000"], "use fewer"),
        (["run", "x", "--seeds", ",".join(["0:60000"] * 2)], "use fewer"),
        (["completion", "tcsh"], "bash"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_a_wrong_use_is_one_line_with_the_cure_and_exit_code_2(
    arguments: list[str], cure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_here(capsys, *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert is_one_line_with_a_cure(outcome.err)
    assert cure in outcome.err


@pytest.mark.few(1)
@pytest.mark.parametrize("arguments", [[], ["play", "EASIEST"], ["replay", "FILE"]])
def test_the_game_without_a_terminal_is_an_error_that_names_the_cure(
    arguments: list[str], easiest: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.jsonl"
    file.touch()
    places = {"EASIEST": easiest, "FILE": str(file)}
    outcome = run_apart(*(places.get(word, word) for word in arguments))
    assert outcome.code == 1
    assert outcome.out == ""
    assert is_one_line_with_a_cure(outcome.err)
    assert "not a terminal" in outcome.err
    assert "chaosops run" in outcome.err


def in_a_terminal(*arguments: str, **variables: str) -> tuple[int, str]:
    main_end, other_end = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "chaosops", *arguments],
        stdin=other_end,
        stdout=other_end,
        stderr=other_end,
        env={**os.environ, "TERM": "xterm-256color", **variables},
    ) as process:
        os.close(other_end)
        shown = b""
        while True:
            try:
                part = os.read(main_end, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(main_end)
        return process.wait(60), shown.decode()


def test_a_dumb_terminal_is_refused_in_one_line() -> None:
    code, shown = in_a_terminal(TERM="dumb")
    assert code == 1
    assert shown.startswith("error: this terminal (TERM=dumb) can't show the game")
    assert shown.count("\n") == 1


def test_a_folder_that_cannot_take_recordings_is_refused_before_the_game_opens(
    easiest: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "recordings"
    code, shown = in_a_terminal("play", easiest, "--recordings", str(folder))
    assert code == 1
    assert shown.startswith("error: cannot write recordings to ")
    assert "--recordings DIR" in shown
    assert "\x1b" not in shown


def test_a_file_that_is_no_recording_is_refused_before_the_screen_opens(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text("hello\n")
    code, shown = in_a_terminal("replay", str(file))
    assert code == 1
    assert shown.startswith(f"error: {file}, line 1: ")
    assert "\x1b" not in shown


def test_a_broken_file_is_a_failure_that_names_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("id: mine\ncolour: red\n")
    outcome = run_here(capsys, "run", str(file))
    assert outcome.code == 1
    assert is_one_line_with_a_cure(outcome.err)
    assert str(file) in outcome.err


_TAKES_INTERRUPTS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from chaosops.cli.main import main
main(sys.argv[1:])
"""
"""The command line, also where a shell lets this run in the background ignore interrupts."""


def test_an_interrupt_ends_quietly_with_130(easiest: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _TAKES_INTERRUPTS, "run", easiest, "--seeds", "0:100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == ""


def test_a_closed_pipe_ends_quietly(easiest: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "chaosops", "run", easiest, "--seeds", "0:100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) != 0


def test_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    with (tmp_path / "out").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "chaosops", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            preexec_fn=no_room,
        )
    assert done.returncode == 1
    assert is_one_line_with_a_cure(done.stderr)
    assert "free disk space" in done.stderr


def test_an_error_of_the_project_is_one_line_whatever_its_text_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @click.command()
    def broken() -> None:
        raise ChaosOpsError("Two\nlines: fix it")

    assert execute(broken, [], "broken") == 1
    assert capsys.readouterr().err == "error: two lines: fix it\n"


def test_what_a_user_typed_reaches_the_terminal_without_its_escapes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = run_here(capsys, "scenarios", "show", "\x1b]0;x\x07\u202e\ud800")
    assert outcome.code == 2
    assert is_one_line_with_a_cure(outcome.err)
    assert not set(outcome.err) & set("\x1b\x07\u202e\ud800")


def test_a_run_needs_neither_input_nor_output(easiest: str) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -m chaosops run "$1" --policy all=noop <&- >&-', sys.executable,
         easiest],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_has_an_example_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    def walk(command: click.Command, path: list[str]) -> list[list[str]]:
        if not isinstance(command, click.Group):
            return [path]
        context = click.Context(command)
        found = [path]
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            found += walk(inner, [*path, name])
        return found

    paths = walk(cli, [])
    assert ["scenarios", "show"] in paths
    for path in paths:
        outcome = run_here(capsys, *path, "--help")
        assert outcome.code == 0
        assert f"Example: {'eval' if path == ['completion'] else 'chaosops'}" in outcome.out
