"""What reaches a terminal: no escapes of strangers, and no word that is cut in two."""

from __future__ import annotations

import ast
import fcntl
import io
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import click
import pytest

from chaosops.agents.policies import Policy, random_policy
from chaosops.cli.bars import round_end, share_bar, signed_bar
from chaosops.cli.main import cli
from chaosops.cli.tables import table
from chaosops.env.models import AgentRole
from chaosops.output import broken, say, write
from chaosops.play.session import ask
from chaosops.recording.events import Note
from chaosops.recording.library import look, recording_files
from chaosops.recording.upkeep import add_note
from tests.cli.helpers import run_here
from tests.tui.games import session

ROOT = Path(__file__).parents[2]
HOSTILE = "x\x1b]52;c;aGVsbG8=\x07\x1b[97;41mred\x9b31m\u202eline\u2028\n\r\x08"
FORBIDDEN = tuple(
    text.encode() for text in ("\x1b]52", "\x1b[97;41m", "\x9b", "\u202e", "\u2028", "\x08")
)


def in_a_terminal(*words: str | bytes, columns: int = 80, home: Path) -> bytes:
    """What a command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "chaosops", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        env={
            **os.environ,
            "TERM": "xterm-256color",
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
        },
    ) as process:
        os.close(theirs)
        os.write(ours, b"\x04")
        seen = b""
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(ours)
        process.wait(60)
    assert b"Traceback" not in seen, seen.decode("utf-8", "replace")
    return seen


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished game of two rounds and one that is not over."""
    folder = tmp_path_factory.mktemp("games")
    done = session(AgentRole.SRE, folder=folder, rounds=2)
    policy: Policy = random_policy(1)
    while not done.done:
        if done.waits_for_person:
            done.submit(done.turn, policy(done.observation, done.role))
        else:
            done.take_answer(done.turn, ask(done.policy(), done.observation, done.role))
    done.close()
    left = session(AgentRole.SRE, folder=folder, rounds=2)
    left.close()
    return folder


@pytest.fixture
def hostile(games: Path, tmp_path: Path) -> Path:
    """A folder whose name is hostile, with recordings and a scenario whose names are too."""
    folder = tmp_path / HOSTILE
    folder.mkdir()
    for number, path in enumerate(sorted(games.iterdir())):
        shutil.copy(path, folder / f"{number}{HOSTILE}.jsonl")
    (folder / f"broken{HOSTILE}.jsonl").write_text("no recording\n")
    (folder / f"mine{HOSTILE}.yaml").write_text("id: mine\ntitle: x\n")
    (folder / os.fsdecode(b"bytes\xff\x9b.jsonl")).write_text("no recording\n")
    return folder


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        return [path]
    context = click.Context(command)
    found = []
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        found += leaves(inner, (*path, name))
    return found


def commands_on(folder: Path) -> list[tuple[str, ...]]:
    """Every command that says something of what it is given, with hostile names and values."""
    files = [str(path) for path in recording_files([folder])]
    at, scenario = str(folder), str(next(folder.glob("*.yaml")))
    return [
        ("play", HOSTILE, "--plain"),
        ("play", scenario, "--plain"),
        ("play", "paying-ends-in-an-error", "--plain", "--teammates", HOSTILE),
        ("play", "paying-ends-in-an-error", "--plain", "--recordings", at),
        ("resume", files[1], "--plain", "--recordings", at),
        ("resume", files[2], "--plain"),
        ("replay", files[0], "--plain"),
        ("replay", files[2], "--plain"),
        ("run", scenario),
        ("run", "paying-ends-in-an-error", "--policy", f"all={HOSTILE}"),
        ("run", "paying-ends-in-an-error", "--policy", "all=noop", "--recordings", f"{at}/new"),
        ("scenarios", "list", "--scenarios", at),
        ("scenarios", "show", scenario),
        ("scenarios", "validate", at),
        ("scenarios", "validate", scenario, "--prove"),
        ("scenarios", "new", HOSTILE),
        ("scenarios", "new", "an-id", "--to", at),
        ("scenarios", "schema"),
        ("scenarios", "words", HOSTILE),
        ("scenarios", "generate", "--level", "easy", "--to", HOSTILE, "--topology", HOSTILE),
        ("scenarios", "seeds", "--write", at, "--number", "1"),
        ("scenarios", "seeds", HOSTILE),
        ("shift", HOSTILE, "--plain"),
        ("shift", "--role", HOSTILE),
        ("baseline", HOSTILE),
        ("causes", "list", "--scenarios", at),
        ("causes", "list", "--family", HOSTILE),
        ("causes", "show", HOSTILE),
        ("causes", "new", HOSTILE),
        ("causes", "validate", at),
        ("causes", "validate", HOSTILE),
        ("glossary", HOSTILE),
        ("glossary", "--scenarios", at),
        ("lessons", "list", "--recordings", at),
        ("lessons", "show", HOSTILE),
        ("class", "report", at),
        ("class", "report", HOSTILE),
        ("recordings", "postmortem", files[0]),
        ("calibrate", "--seeds", HOSTILE),
        ("evaluate", HOSTILE),
        ("evaluate", "--scenarios", HOSTILE),
        ("calibrate", "--write", files[0], "--seeds", "0", "--scenarios", scenario),
        ("recordings", "list", at),
        ("recordings", "list", "--recordings", f"{at}gone"),
        ("recordings", "show", files[0]),
        ("recordings", "verify", at),
        ("recordings", "stats", at, "--policy", "noop"),
        ("recordings", "export", "--format", "sft", f"{at}/data", at),
        ("recordings", "rate", files[0], "--quality", "3", "--comment", HOSTILE),
        ("recordings", "discard", *files),
        ("recordings", "compress", *files),
        ("recordings", "withdraw", HOSTILE, at),
        ("recordings", "consent", "--give", HOSTILE),
        ("recordings", "fields", HOSTILE),
        ("recordings", "delete", files[1], files[2]),
        ("recordings", "delete", files[1], files[2], "--yes"),
        ("completion", HOSTILE),
        (HOSTILE,),
        (f"--{HOSTILE}",),
    ]  # fmt: skip


@pytest.mark.terminal
def test_no_command_lets_an_escape_of_a_name_or_a_value_reach_the_terminal(
    hostile: Path, tmp_path: Path
) -> None:
    commands = commands_on(hostile)
    tried = {words[:2] for words in commands} | {words[:1] for words in commands}
    assert not [path for path in leaves(cli) if path not in tried]
    for words in commands:
        seen = in_a_terminal(*(os.fsencode(word) for word in words), home=tmp_path)
        found = [bad for bad in FORBIDDEN if bad in seen.replace(b"\x08 \x08", b"")]
        assert not found, (words, found, seen)


@pytest.mark.terminal
def test_no_command_cuts_a_word_at_the_terminals_edge(games: Path, tmp_path: Path) -> None:
    """A line that is longer than the terminal would be cut by it, wherever that is."""
    folder = tmp_path / "games"
    shutil.copytree(games, folder)
    files = recording_files([folder])
    over = next(path for path in files if look(path).footer is not None)
    add_note(over, Note(at_ms=1, comment="word " * 90))
    at = str(folder)
    for words in [
        ("--help",),
        ("play", "--help"),
        ("run", "paying-ends-in-an-error", "--policy", "all=noop"),
        ("scenarios", "list"),
        ("scenarios", "show", "paying-ends-in-an-error", "--spoilers"),
        ("scenarios", "validate", str(ROOT / "scenarios" / "easy" / "paying-ends-in-an-error.yaml"),
         "--prove", "--seeds", "0"),
        ("scenarios", "new", "an-id", "--to", at),
        ("recordings", "list", at),
        ("recordings", "show", str(files[0])),
        ("recordings", "show", str(files[1])),
        ("recordings", "verify", at, "--jobs", "1"),
        ("recordings", "stats", at, "--policy", "noop"),
        ("recordings", "consent"),
        ("recordings", "consent", "--withdraw"),
        ("recordings", "delete", str(files[0])),
        ("recordings", "export", "--format", "sft", f"{at}/data", at),
        ("play", "nothing-like-this", "--plain"),
        ("play", "paying-ends-in-an-error", "--plain", "--recordings", at),
    ]:  # fmt: skip
        seen = in_a_terminal(*words, home=tmp_path).decode()
        for line in seen.replace("\r\n", "\n").split("\n"):
            text = line.rsplit("\r", 1)[-1]
            assert "\x1b" in text or len(text) <= 80 or " " not in text.strip(), (words, text)


@pytest.mark.slow
def test_every_text_goes_out_through_one_module() -> None:
    """No module but that one prints; the bar has rich draw it, with words of ours."""
    found = set()
    for path in (*ROOT.glob("chaosops/**/*.py"), *ROOT.glob("tui/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called in _PRINTERS or called.endswith(
                    ("stdout.write", "stderr.write", "_out.write")
                ):
                    found.add(f"{path.relative_to(ROOT)}: {called}")
    assert found == set()


_PRINTERS = (
    "print", "click.echo", "click.secho", "click.confirm", "click.prompt", "console.print",
    "rich.print", "sys.__stdout__.write",
)  # fmt: skip


@pytest.mark.parametrize("length", [2_000, 100_000])
def test_an_argument_that_is_long_is_not_echoed_whole(
    length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ("play", "paying-ends-in-an-error", "--role", "x" * length),
        ("run", "y" * length),
        ("z" * length,),
        ("scenarios", "show", "w " * (length // 2)),
    ):
        outcome = run_here(capsys, *words)
        assert outcome.code == 2
        assert len(outcome.err) < 1_300
        assert "see " in outcome.err[-200:]


def test_a_line_is_broken_between_words_and_a_long_word_stays_whole() -> None:
    assert broken("aa bb cc dd ee ff gg hh", 20) == "aa bb cc dd ee ff gg\nhh"
    assert broken("  aa bb cc dd ee ff gg", 20, 2) == "  aa bb cc dd ee ff\n    gg"
    assert broken("/a/very/long/path/that/does/not/fit is there", 20) == (
        "/a/very/long/path/that/does/not/fit\nis there"
    )
    assert broken("x" * 50, 0) == "x" * 50


def test_an_encoding_without_a_sign_gets_it_in_ascii() -> None:
    out = io.TextIOWrapper(raw := io.BytesIO(), encoding="latin-1")
    write(out, "café … ➜ │█\x1b[2J\n")
    assert raw.getvalue() == b"caf\xe9 ... \\u279c |#?[2J\n"


def test_a_stream_that_was_closed_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    say("nobody hears it")


ROWS = [["FILE", "WORDS", "N"], ["a-file.jsonl", "some words that need room", "7"]]


def test_a_table_is_as_wide_as_it_needs_to_be() -> None:
    assert table(ROWS, right=(2,)).splitlines() == [
        "FILE          WORDS                      N",
        "a-file.jsonl  some words that need room  7",
    ]


def test_a_table_that_is_too_wide_breaks_its_cells_between_words() -> None:
    assert table(ROWS, 30, right=(2,)).splitlines() == [
        "FILE          WORDS          N",
        "a-file.jsonl  some words     7",
        "              that need",
        "              room",
    ]


def test_a_table_whose_words_do_not_fit_names_each_cell_below_the_first() -> None:
    assert table(ROWS, 20).splitlines() == [
        "a-file.jsonl",
        "  words some words",
        "  that need room, n",
        "  7",
    ]


@pytest.mark.parametrize(
    ("value", "bar"),
    [
        (0.0, "    │"),
        (-50.0, "  ██│"),
        (-100.0, "████│"),
        (-1.0, "   █│"),
        (50.0, "    │██"),
        (100.0, "    │████"),
    ],
)
def test_a_bar_begins_at_its_zero_line_and_is_as_long_as_its_value(value: float, bar: str) -> None:
    assert signed_bar(value, 100.0, 4).replace("\xa0", " ") == bar


def test_a_single_negative_value_is_no_full_bar() -> None:
    end = round_end([-312.0])
    assert end == 500
    assert signed_bar(-312.0, end).count("█") == 6


def test_the_end_of_a_scale_is_round_and_no_value_goes_beyond() -> None:
    assert [round_end([value]) for value in (0.0, 0.7, -1.0, 20.0, 21.0, -198.0, 999.0)] == [
        1, 1, 1, 20, 50, 200, 1000,
    ]  # fmt: skip


def test_a_share_is_a_part_of_the_whole_bar() -> None:
    assert [len(share_bar(share)) for share in (0.0, 0.01, 0.5, 1.0)] == [0, 1, 5, 10]


def test_what_goes_to_a_file_goes_there_whole_while_a_bar_is_on_the_terminal(
    games: Path, tmp_path: Path
) -> None:
    ours, theirs = pty.openpty()
    with (tmp_path / "verdicts").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-m", "chaosops", "recordings", "verify", str(games)],
            stdin=theirs,
            stdout=out,
            stderr=theirs,
            cwd=ROOT,
            env={**os.environ, "TERM": "xterm-256color"},
            timeout=60,
            check=False,
        )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0
    lines = (tmp_path / "verdicts").read_text().splitlines()
    assert len(lines) == 3
    assert lines[-1] == "2 recordings: 2 verified"


@pytest.mark.proof
def test_a_single_incident_has_a_bar_while_it_is_proven(tmp_path: Path) -> None:
    file = ROOT / "scenarios" / "tutorial" / "first-shift-1-product-pages.yaml"
    words = ("scenarios", "validate", str(file), "--prove", "--seeds", "0")
    seen = in_a_terminal(*words, home=tmp_path).decode()
    assert "proving \x1b[" in seen
    assert "proving 1 incident" in seen


def test_nothing_is_said_to_be_proven_where_no_file_is_well_formed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("id: mine\n")
    outcome = run_here(capsys, "scenarios", "validate", "--prove", str(file))
    assert outcome.code == 1
    assert "proving" not in outcome.out
    assert outcome.out.endswith("no file here is a valid incident\n")
