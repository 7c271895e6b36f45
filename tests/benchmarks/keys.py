"""How fast a key shows its effect with a long log, and with two charts side by side.

`python -m tests.benchmarks.keys` prints it; the game runs in a process and a pty of its own.
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
from statistics import median

from tests.benchmarks.measures import environment

SECONDS = 0.05
"""Within which a key shows its effect, at the 95th percentile."""

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
from chaosops.play.seats import Roster
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.panes.board import Board

levels = list(LogLevel)
LINES = tuple(
    LogLine(i // 400 - 25, "checkout", levels[i % 3], f"request {{i}} took {{i % 997}} ms")
    for i in range({LINES})
)
show = Board.show
Board.show = lambda board, view: show(
    board, view if view.logs is None else view._replace(logs=LINES)
)
roster = Roster(frozenset({{AgentRole.SRE}}), {{}}, {{}})
ChaosOpsApp(lambda: IncidentScreen(Scenario.load(sys.argv[1]), roster, None), pace=0).run()
"""


CHART_KEYS = (b",", b">", b";", b"<")
"""Keys that show another chart, and the charts of another finding."""

CHARTS = """
import sys
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.play.readings import known_findings
from tui.app import ChaosOpsApp
from tui.screens.instrument.screen import InstrumentScreen

env = ChaosOpsEnvironment()
seen = env.reset(Scenario.load(sys.argv[1]))
for service in [one.service for one in seen.view.services[:3]]:
    metrics = {"source": "metrics"}
    look = ChaosOpsAction(AgentRole.SRE, ActionType.INVESTIGATE, service, metrics)
    seen = env.step(look)
    while seen.turn_role is not AgentRole.SRE:
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
known = known_findings(seen.view)
ChaosOpsApp(lambda: InstrumentScreen(known, 0, seen.view.status), pace=0).run()
"""


def seconds_to_effect(
    scenario: str,
    presses: int,
    keys: Sequence[bytes] = _KEYS,
    *,
    game: str = GAME,
    shown: bytes = b"restart",
    first: bytes = b"",
) -> list[float]:
    """For each press, seconds from the key until the first of its effect is on the terminal.

    Args:
        game: The program that opens a screen.
        shown: What that has once it is painted.
        first: A key to press before the measurement, if any.

    Raises:
        TimeoutError: A key had none.
    """
    with _game(game, scenario) as terminal:
        _read_until(terminal, shown)
        _drain(terminal)
        if first:
            _press(terminal, first)
        return [_press(terminal, keys[i % len(keys)]) for i in range(presses)]


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def _game(game: str, scenario: str) -> Iterator[int]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", game, scenario],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment(), "TEXTUAL_ANIMATIONS": "none"},
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


def main() -> None:
    """Measure and print."""
    name = "errors-come-and-go"
    taken = seconds_to_effect(name, 200)
    late = percentile(taken, 0.95)
    print(
        f"a key's effect with a log of {LINES:,} lines: median {median(taken) * 1000:.1f} ms, "
        f"p95 {late * 1000:.1f} ms, {late / SECONDS:.2f} x the budget of {SECONDS * 1000:.0f} ms"
    )
    charts = seconds_to_effect(name, 200, CHART_KEYS, game=CHARTS, shown=b"Beside", first=b"v")
    late = percentile(charts, 0.95)
    print(
        f"with two charts side by side: median {median(charts) * 1000:.1f} ms, "
        f"p95 {late * 1000:.1f} ms, {late / SECONDS:.2f} x the budget"
    )
    alone = seconds_to_effect(name, 20, _ESCAPE)[1::2]
    print(
        f"Escape alone: median {median(alone) * 1000:.1f} ms, of which the terminal driver waits "
        "100 for the rest of a sequence"
    )


if __name__ == "__main__":
    main()
