"""Bursts into the game on a real terminal: as bytes, as fast as the system takes them."""

from __future__ import annotations

import os
import select
import signal
import tempfile
import time
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from tests.fuzz.acts import Burst, burst
from tests.tui.games import scenario
from tests.tui.pty_game import PtyGame

PATIENCE: Final = 30.0
"""Seconds without a sign of life after which a game hangs."""

STARTS: Final = {
    "home": (),
    "play": ("play", scenario().id, "--seed", "7", "--role", "sre"),
    "two seats": ("play", scenario().id, "--seed", "7", "--role", "sre", "--role", "dev"),
}

NAMED: Final = {
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "delete": "\x1b[3~",
    "shift+tab": "\x1b[Z",
    "tab": "\t",
    "enter": "\r",
    "escape": "\x1b[27u",
    "backspace": "\x7f",
    "space": " ",
    "f2": "\x1bOQ",
    "question_mark": "?",
    "slash": "/",
    "plus": "+",
    "minus": "-",
    "quotation_mark": '"',
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}

ANSWERS: Final = (
    "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    "\x1bP>|xterm(370)\x1b\\",
    "\x1b_Gi=1;OK\x1b\\",
    "\x1b[?62;1;2;4c",
    "\x1b[48;2000;2000;9;9t",
    "\x1b[I\x1b[O",
    "\x1b[9;9R",
)
"""What a terminal may send at any time by itself."""


def as_bytes(act: str, random: Random) -> bytes:
    """What a terminal sends for an act."""
    verb, _, rest = act.partition(" ")
    if verb == "key":
        if rest.startswith("ctrl+") and len(rest) == 6:
            return bytes([ord(rest[-1]) & 0x1F])
        return NAMED.get(rest, rest if len(rest) == 1 else "").encode()
    if verb == "paste":
        return f"\x1b[200~{rest}\x1b[201~".encode()
    if verb in ("click", "move", "wheel"):
        column, row = (int(number) + 1 for number in rest.split())
        button = {"click": 0, "move": 35, "wheel": 65}[verb]
        report = f"\x1b[<{button};{column};{row}M"
        return (report + (f"\x1b[<0;{column};{row}m" if verb == "click" else "")).encode()
    return random.choice(ANSWERS).encode() if verb == "wait" else b""


DUMPS_STACKS: Final = """
import faulthandler, os, signal
faulthandler.register(signal.SIGUSR1, open(os.environ["STACKS"], "w"), all_threads=True)
"""
"""Python that makes a game write the stacks of all its threads to a file at SIGUSR1."""


def fuzz(first: int, until: float) -> int:
    """Bursts of one seed after another until a time is over; how many of them broke the game."""
    broken = runs = sent = 0
    for seed in count(first):
        if time.monotonic() >= until:
            break
        tried = burst(seed, tuple(STARTS), length=150)
        why = crash_of(tried, seed)
        runs, sent = runs + 1, sent + len(tried.acts)
        if why:
            broken += 1
            print(f"\nbroken on a pty at seed {seed}: {why}\n{tried}\n", flush=True)
    print(f"pty: seeds {first} to {first + runs - 1}, {sent} acts, {broken} broken games")
    return broken


def crash_of(tried: Burst, seed: int) -> str:
    """What a burst breaks; empty where it breaks nothing."""
    random = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        words = STARTS[tried.fixture]
        game = PtyGame(
            Path(folder),
            (*words, "--recordings", folder) if words else (),
            {"XDG_DATA_HOME": folder, "STACKS": f"{folder}/stacks"},
            first=DUMPS_STACKS,
        )
        try:
            _send(game, tried, random)
            _leave(game)
            code, left = game.ended(), game.left_on()
        except AssertionError as error:
            return f"{str(error)[-2_000:]}\n{_stacks(game, Path(folder) / 'stacks')}"
        finally:
            game.close()
    said = game.seen.decode(errors="replace").rpartition("\x1b[?1049l")[2]
    # Where a key has left the game already, the system takes Ctrl+C for a signal.
    is_clean = code in (0, 130) and not left and "Traceback" not in said and "Error" not in said
    return "" if is_clean else f"exit code {code}, left on: {left}\n{said[-4_000:]}"


def _stacks(game: PtyGame, file: Path) -> str:
    """Where each thread of a game is that does not go on."""
    if game.process.poll() is not None or not file.exists():
        return ""
    game.process.send_signal(signal.SIGUSR1)
    until = time.monotonic() + 2
    while not file.stat().st_size and time.monotonic() < until:
        game._read(0.05)
    return file.read_text(encoding="utf-8")[-6_000:]


def _send(game: PtyGame, tried: Burst, random: Random) -> None:
    game.wait_for(b"\x1b[?1049h")
    for act in tried.acts:
        if act.startswith("size "):
            columns, _, rows = act[5:].partition("x")
            game.resize(int(columns), int(rows))
        else:
            _write(game, as_bytes(act, random))
        if game.process.poll() is not None:
            return


def _leave(game: PtyGame) -> None:
    """Leave by the key that comes after all others, and by Ctrl+C where that one was captured."""
    _write(game, b"\x11")
    until = time.monotonic() + PATIENCE
    while game.process.poll() is None and b"Press the key" not in game.seen[-20_000:]:
        if game._read(0.05):
            until = time.monotonic() + PATIENCE
        assert time.monotonic() < until, "it hangs: it draws nothing, and does not leave"
    if game.process.poll() is None:
        game.type(b"\x03")


def _write(game: PtyGame, data: bytes) -> None:
    """Write without waiting, but take what the game has written, so that neither is stuck."""
    end = time.monotonic() + PATIENCE
    while data:
        if game.process.poll() is not None:
            return
        assert time.monotonic() < end, "it takes no more input"
        ours = game._ours
        can_read, can_write, _ = select.select([ours], [ours], [], 0.1)
        if can_read:
            game._read(0)
        if can_write:
            data = data[os.write(ours, data) :]
