"""What the plain mode reads: in which encoding, how far ahead, and what counts as an answer."""

from __future__ import annotations

import io
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.play.plain_dialect import sentence
from chaosops.play.setup import default_setup
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import Decider
from tests.tui.games import session
from tests.tui.plain_games import console, played, recording_of
from tui.plain.after_game import Afterwards
from tui.plain.answering import goes_on, has_answer
from tui.plain.console import MAX_LINE, MOST_IDLE, Console, IdleInputError, Keyboard
from tui.plain.game import PlainGame
from tui.plain.home import chosen
from tui.plain.replay import PlainReplay

SRE = AgentRole.SRE
ROOT = Path(__file__).parents[3]
RESTART = '{"action_type":"restart","target":"db","args":{}}'


def piped(raw: bytes, encoding: str = "utf-8") -> tuple[Console, io.StringIO]:
    """A console whose input is these bytes."""
    read, write = os.pipe()
    threading.Thread(target=lambda: (os.write(write, raw), os.close(write)), daemon=True).start()
    out = io.StringIO()
    return Console(Keyboard(read, encoding), out, typed=False), out


@pytest.mark.parametrize(
    ("encoding", "raw", "text"),
    [
        ("utf-8", "café".encode(), "café"),
        ("iso8859-1", b"caf\xe9", "café"),
        ("cp1252", b"\x8010", "€10"),
        ("shift_jis", "障害".encode("shift_jis"), "障害"),
        ("euc_jp", "障害".encode("euc_jp"), "障害"),
        ("koi8-r", "сбой".encode("koi8-r"), "сбой"),
    ],
)
def test_a_line_is_read_in_the_encoding_of_the_input(encoding: str, raw: bytes, text: str) -> None:
    asked, _out = piped(raw + b"\n", encoding)
    assert asked.ask(">") == text


def test_a_byte_that_does_not_decode_is_refused_with_its_place_and_the_next_line_is_read() -> None:
    asked, out = piped(b"say caf\xe9\nlook\n")
    assert asked.ask(">") == "look"
    assert "Byte 0xe9 at place 8 of this line is not UTF-8" in out.getvalue()
    assert "PYTHONIOENCODING" in out.getvalue()
    assert "\ufffd" not in out.getvalue()


def test_a_long_line_that_is_cut_within_a_character_still_decodes() -> None:
    asked, _out = piped(b"x" + "é".encode() * MAX_LINE + b"\nnext\n")
    line = asked.ask(">")
    assert line == "x" + "é" * ((MAX_LINE - 1) // 2)
    assert asked.ask(">") == "next"


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("encoding", "kept"), [("latin-1", "café"), ("utf-8", None), ("cp1252", "café")]
)
def test_what_is_said_in_the_locales_encoding_is_recorded_as_it_was_written(
    tmp_path: Path, encoding: str, kept: str | None
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chaosops", "play", "paying-ends-in-an-error", "--plain",
         "--recordings", str(tmp_path / "games")],
        input=b"say dev caf\xe9\nquit\n",
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": encoding, "XDG_CONFIG_HOME": str(tmp_path)},
        timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "games").iterdir()
    texts = [turn.frame.action.args.get("text") for turn in read_recording(path).turns]
    assert [text for text in texts if text and "caf" in str(text)] == ([kept] if kept else [])
    assert b"\\ufffd" not in path.read_bytes()
    assert (b"is not UTF-8" in done.stdout) is (kept is None)


def test_input_is_read_little_further_than_it_is_used() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    keyboard = Keyboard(read)
    taken = 0

    def fill() -> None:
        nonlocal taken
        try:
            while True:
                taken += os.write(write, b"help\n" * 1_000)
        except BlockingIOError:
            return

    fill()
    assert keyboard.line() == "help"
    # The thread takes what it may, and then waits: the pipe stays full.
    end = time.monotonic() + 10
    before = -1
    while taken != before and time.monotonic() < end:
        before = taken
        for _ in range(50):
            os.sched_yield()
            fill()
    assert taken < 5 * 65_536
    assert keyboard._lines.qsize() <= 64


OTHERS = ("what", "state", "why because", "accept 9", "hint")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "words",
    ["help", "", *(pytest.param(words, marks=pytest.mark.slow) for words in OTHERS)],
)
def test_a_program_that_asks_for_ever_is_left_with_its_game_saved(
    tmp_path: Path, words: str
) -> None:
    game = f"{sys.executable} -m chaosops play paying-ends-in-an-error --plain"
    done = subprocess.run(
        ["sh", "-c", f"yes '{words}' | timeout 100 {game} --recordings {tmp_path}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: 1000 lines in a row came to nothing")
    assert "pass" in done.stderr
    assert "Saved after turn" in done.stdout
    (path,) = tmp_path.glob("*.jsonl")
    assert f"chaosops resume {path} --plain" in done.stdout


def test_a_turn_begins_the_count_of_idle_lines_anew() -> None:
    game = session(SRE, rounds=3)
    out = io.StringIO()
    lines = [*["help"] * (MOST_IDLE - 10), "pass"] * 2 + ["help"] * 5
    assert not PlainGame(game, console(lines, out, by_person=False)).play()
    assert game.turn >= 8


def test_somebody_who_types_is_never_cut_off() -> None:
    game = session(SRE)
    said = played(game, *["zzz"] * (MOST_IDLE + 5), "pass")
    assert game.turn == 4
    assert said.count("is not a command") == MOST_IDLE + 5


def test_no_question_of_the_plain_mode_is_asked_for_ever(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    other = session(SRE, folder=tmp_path, rounds=2)
    played(other, "pass")
    recorded = recording_of(other)
    over = session(SRE, rounds=1)
    played(over, "pass")
    questions: tuple[Callable[[Console], object], ...] = (
        lambda at: chosen(at, (), default_setup()),
        lambda at: PlainGame(game, at).play(),
        lambda at: PlainReplay(recorded, at).ask(),
        lambda at: Afterwards(at, over).ask(),
    )
    for ask in questions:
        endless = console(["zzz"] * (MOST_IDLE + 50), io.StringIO(), by_person=False)
        with pytest.raises(IdleInputError):
            ask(endless)


def test_lines_that_a_program_sends_while_a_teammate_thinks_are_not_lost() -> None:
    asked, out = piped(b"look runtime db\npass\n")
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Timer(0.5, lambda: answers.put("done")).start()
    got = asked.wait_for(
        answers, patience=0.05, notice=lambda _seconds: "Slow.", give_up=lambda line: line == "x"
    )
    assert got == "done"
    assert out.getvalue().count("Slow.") == 1
    assert [asked.ask(">"), asked.ask(">")] == ["look runtime db", "pass"]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "lines",
    [
        (RESTART,),
        (f"I would restart it: {RESTART}",),
        (f"Restart it. {RESTART} That is all.",),
        ("```json", RESTART, "```"),
        ("```", "{", '  "action_type": "restart",', '  "target": "db"', "}", "```"),
        ("{", '  "action_type": "restart",', "", '  "target": "db", "args": {}', "}"),
        (f"```json {RESTART} ```",),
        (f"<think>restart auth? no</think> {RESTART}",),
        ("<think>", "restart auth", "pass", "</think>", RESTART),
        ("<think>", "restart auth", "</think>", "```json", RESTART, "```"),
    ],
)
def test_what_parse_action_reads_is_an_action_on_one_line_or_several(
    lines: tuple[str, ...],
) -> None:
    game = session(SRE)
    said = played(game, *lines, by_person=False)
    assert [step.action for step in game.steps if step.role is SRE][:1] == [
        ChaosOpsAction(SRE, ActionType.RESTART, "db", {})
    ]
    assert game.turn == 4
    assert game.humans[0].source is Decider.LLM
    assert "is not a command" not in said


@pytest.mark.parametrize("by_person", [True, False])
def test_json_in_the_words_of_a_message_stays_in_them(by_person: bool) -> None:
    game = session(SRE)
    played(game, f"say dev please do {RESTART}", by_person=by_person)
    (action,) = (step.action for step in game.steps if step.role is SRE)
    assert action.action_type is ActionType.COMMUNICATE
    assert RESTART in action.args["text"]


def test_a_person_ends_an_answer_that_breaks_off_with_an_empty_line() -> None:
    game = session(SRE)
    said = played(game, '{"action_type":', "", "pass")
    assert "The JSON breaks" in said
    assert game.turn == 4


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("{", True),
        ('{"a": [1,', True),
        ('{"a": 1}', False),
        ('{"a" 1', False),
        ("```json", True),
        ("```json\n{}\n```", False),
        ("<think>hm", True),
        ("<think>hm</think>", True),
        ("<think>hm</think> look", False),
        ("look", False),
        ("<no", False),
        ("[1", False),
    ],
)
def test_an_answer_goes_on_as_long_as_something_is_open(text: str, more: bool) -> None:
    assert goes_on(text) is more


def test_a_sentence_without_json_is_no_answer() -> None:
    assert not has_answer("say {hello}")
    assert has_answer(f"so: {RESTART}")


REFUSED = (
    '{"action_type":"grant"}',
    '{"action_type":"restart","target":"nowhere"}',
    "{'action_type': 'pass'}",
    '{"role":"dev","action_type":"noop"}',
    "rollback payments",
    "99",
    "scale payments to 4000",
    "restart",
    "hint 9",
    "sure 400",
    "accept 3",
    "take boss",
    "hand sre expert",
    "hand dev guru",
    "copilot guru",
    "explain",
    "zzz",
    "logs zebra",
    "audit",
)


@pytest.mark.few(3)
@pytest.mark.parametrize("line", REFUSED)
def test_every_refusal_is_a_sentence_that_calls_roles_by_their_names(line: str) -> None:
    game = session(SRE)
    said = played(game, line, "cancel", by_person=False)
    answer = said.split(f"SRE> {line}\n", 1)[1].split("\nSRE>", 1)[0].split("\n")[0]
    assert answer.endswith((".", "?", "!")), answer
    assert answer[0].isupper() or answer[0] == "'", answer
    assert "Sre" not in said
    assert "\ufffd" not in said


def test_a_sentence_begins_with_the_name_of_a_role() -> None:
    assert sentence("sre cannot do that") == "SRE cannot do that."
    assert sentence("dev is busy!") == "Dev is busy!"
    assert sentence("sremote") == "Sremote."
