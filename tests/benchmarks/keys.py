"""How fast a key shows its effect with a long log, and what an hour's play keeps in memory.

`python -m tests.benchmarks.keys` prints both; the game runs in a process and a pty of its own.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 0.05
"""Within which a key shows its effect, at the 95th percentile."""

MEBIBYTES = 150.0
"""What an hour's play may keep."""

LINES = 10_000
_KEYS = (b"]", b"\x1b[B", b"\x1b[B", b"[", b"\x1b[5~", b"\x1b[6~", b"7", b"\x1b[D")
_ESCAPE = (b"7", b"\x1b")
_QUIET = 0.15
_PATIENCE = 20.0

GAME = f"""
import sys
from chaosops.env.models import AgentRole, LogLevel, LogLine
from chaosops.env.world_sim import Scenario
from tui.app import ChaosOpsApp
from tui.crew import Crew
from tui.screens.incident import IncidentScreen
from tui.widgets.board import Board

levels = list(LogLevel)
LINES = tuple(
    LogLine(i // 400 - 25, "checkout", levels[i % 3], f"request {{i}} took {{i % 997}} ms")
    for i in range({LINES})
)
show = Board.show
Board.show = lambda board, view: show(
    board, view if view.logs is None else view._replace(logs=LINES)
)
crew = Crew(frozenset({{AgentRole.SRE}}), {{}}, {{}})
ChaosOpsApp(lambda: IncidentScreen(Scenario.load(sys.argv[1]), crew, None), pace=0).run()
"""

HOUR = """
import asyncio, resource, sys
from pathlib import Path
from chaosops.agents.seats import seat_policies
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from tui.app import ChaosOpsApp
from tui.crew import Crew
from tui.screens.incident import IncidentScreen

def screen(scenario):
    mates = [role for role in TURN_ORDER if role is not AgentRole.SRE]
    policies = seat_policies(dict.fromkeys(mates, "heuristic"), scenario)
    crew = Crew(frozenset({AgentRole.SRE}), policies, dict.fromkeys(mates, "heuristic"))
    return IncidentScreen(scenario, crew, Path(sys.argv[2]))

async def settle(pilot):
    await pilot.pause()
    if len(pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

async def main():
    scenario = Scenario.load(sys.argv[1])
    app = ChaosOpsApp(lambda: screen(scenario), pace=0)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for seed in range(1, int(sys.argv[3]) + 1):
            while isinstance(app.screen, IncidentScreen):
                await pilot.press("0", "enter")
                await settle(pilot)
            app.switch_screen(screen(scenario.with_seed(seed)))
            await settle(pilot)

asyncio.run(main())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def seconds_to_effect(scenario: str, presses: int, keys: Sequence[bytes] = _KEYS) -> list[float]:
    """For each press, seconds from the key until the first of its effect is on the terminal.

    Raises:
        TimeoutError: A key had none.
    """
    with _game(scenario) as terminal:
        _read_until(terminal, b"restart")
        _drain(terminal)
        return [_press(terminal, keys[i % len(keys)]) for i in range(presses)]


def mebibytes_of_an_hour(scenario: str, folder: str, incidents: int = 5) -> float:
    """The most memory a game of several incidents, one after another, took: about an hour's."""
    done = subprocess.run(
        [sys.executable, "-c", HOUR, scenario, folder, str(incidents)],
        env=_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def _game(scenario: str) -> Iterator[int]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", GAME, scenario],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=_environment(),
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield ours
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(ours)


def _press(terminal: int, key: bytes) -> float:
    begun = time.perf_counter()
    os.write(terminal, key)
    if not select.select([terminal], [], [], _PATIENCE)[0]:
        raise TimeoutError(f"{key!r} had no effect")
    taken = time.perf_counter() - begun
    _drain(terminal)
    return taken


def _drain(terminal: int) -> None:
    while select.select([terminal], [], [], _QUIET)[0]:
        os.read(terminal, 65_536)


def _read_until(terminal: int, marker: bytes) -> None:
    seen = b""
    while marker not in seen:
        if not select.select([terminal], [], [], _PATIENCE)[0]:
            raise TimeoutError(f"{marker!r} was not painted; the end of what was: {seen[-600:]!r}")
        seen += os.read(terminal, 65_536)


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "TERM": "xterm-256color",
        "TEXTUAL_ANIMATIONS": "none",
        "PYTHONPATH": str(ROOT),
    }


def main() -> None:
    """Measure and print."""
    import tempfile

    name = "sale-morning"
    taken = seconds_to_effect(name, 200)
    late = percentile(taken, 0.95)
    print(
        f"a key's effect with a log of {LINES:,} lines: median {median(taken) * 1000:.1f} ms, "
        f"p95 {late * 1000:.1f} ms, {late / SECONDS:.2f} x the budget of {SECONDS * 1000:.0f} ms"
    )
    alone = seconds_to_effect(name, 20, _ESCAPE)[1::2]
    print(
        f"Escape alone: median {median(alone) * 1000:.1f} ms, of which the terminal driver waits "
        "100 for the rest of a sequence"
    )
    with tempfile.TemporaryDirectory() as folder:
        used = mebibytes_of_an_hour(name, folder)
    print(f"an hour's play: {used:.0f} MiB, {used / MEBIBYTES:.2f} x the budget of {MEBIBYTES:.0f}")


if __name__ == "__main__":
    main()
