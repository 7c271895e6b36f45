"""What is measured, each in a form small enough for a test and large enough for a figure."""

from __future__ import annotations

import fcntl
import gc
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

from chaosops.agents.policies import Policy, random_policy
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.recording.consent import ConsentStore

ROOT = Path(__file__).resolve().parent.parent.parent

_KEEPS_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"

ONE_LABEL = """
from textual.app import App
from textual.widgets import Label

class OneLabel(App):
    def compose(self):
        yield Label("first paint")

OneLabel().run()
"""

COMMAND = """
import os, sys
folder, *words = sys.argv[1:]
os.environ["XDG_CONFIG_HOME"] = folder
from chaosops.cli.main import main

main([*words, "--recordings", folder])
"""
"""The command line as the player types it, with settings and recordings in a folder."""


def answered_before(folder: Path) -> None:
    """Keep a no to the question that is asked before a first game."""
    ConsentStore(folder / "chaosops").decline()


def random_roster(seed: int) -> dict[AgentRole, Policy]:
    """A random policy for each role."""
    return {role: random_policy(seed * len(TURN_ORDER) + k) for k, role in enumerate(TURN_ORDER)}


def _turns(stepper: Stepper, roster: dict[AgentRole, Policy]) -> int:
    while not stepper.done:
        role = stepper.role
        if policy := roster.get(role):
            stepper.take(policy(stepper.observation, role))
        else:
            stepper.take(ChaosOpsAction(role, ActionType.NOOP))
    return len(stepper.steps)


def turns_per_second(scenario: Scenario, episodes: int) -> tuple[float, float]:
    """Turns a second of whole episodes, and of their turns alone (without the minutes before).

    Rendering the scenarios and making the policies does not count.
    """
    env = ChaosOpsEnvironment()
    turns = 0
    whole = alone = 0.0
    for seed in range(episodes):
        played, roster = scenario.with_seed(seed), random_roster(seed)
        reset = time.perf_counter()
        stepper = Stepper(env, played)
        begun = time.perf_counter()
        turns += _turns(stepper, roster)
        ended = time.perf_counter()
        whole += ended - reset
        alone += ended - begun
    return turns / whole, turns / alone


def cost_growth(scenario: Scenario, long: int, short: int = 40) -> float:
    """Cost of a turn in an episode of `long` turns, over that in episodes of `short` ones.

    Both take as many turns in all, after the minutes before the page.
    """

    def cost(turns: int, episodes: int) -> float:
        env = ChaosOpsEnvironment()
        taken, spent = 0, 0.0
        seed = 0
        while taken < turns * episodes:
            stepper = Stepper(env, scenario.lasting(turns).with_seed(seed))
            begun = time.perf_counter()
            taken += _turns(stepper, random_roster(seed))
            spent += time.perf_counter() - begun
            seed += 1
        return spent / taken

    return cost(long, 1) / cost(short, max(1, long // short))


def bytes_per_frame(
    scenario: Scenario,
    episodes: int,
    roster: Callable[[int], dict[AgentRole, Policy]] = random_roster,
) -> float:
    """Memory of a kept frame, with its share of what frames have in common.

    Args:
        roster: The policies for a seed; a role without one passes.
    """
    env = ChaosOpsEnvironment()
    kept: list[tuple[EpisodeStep, ...]] = []
    played = [scenario.with_seed(seed) for seed in range(episodes)]
    _turns(Stepper(env, scenario.lasting(4)), roster(0))
    gc.collect()
    tracemalloc.start()
    for seed, each in enumerate(played):
        stepper = Stepper(env, each)
        _turns(stepper, roster(seed))
        kept.append(stepper.steps)
        del stepper
    del env
    gc.collect()
    used, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / sum(len(steps) for steps in kept)


def environment() -> dict[str, str]:
    """What a game in a process of its own is started with.

    It keeps compiled modules, as an installed one has them: compiling them takes half of a start.
    """
    inherited = {name: os.environ[name] for name in os.environ if name != _KEEPS_NO_BYTECODE}
    return {
        **inherited,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "PYTHONPATH": str(ROOT),
    }


def seconds_to_help() -> float:
    """From the start of the process to the end of `chaosops --help`."""
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "chaosops", "--help"],
        env=environment(),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    return time.perf_counter() - begun


def seconds_to_start() -> float:
    """A Python that does nothing: what no program can go below."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], env=environment(), check=True, timeout=60)
    return time.perf_counter() - begun


def seconds_to_paint(
    program: str, marker: str, arguments: Sequence[str] = (), *, patience: float = 30.0
) -> float:
    """From the start of the process until the marker is on a terminal of 120 x 40.

    Raises:
        TimeoutError: It did not come; the text has the end of what did.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(),
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            return _painted(ours, marker.encode(), begun, patience)
        finally:
            process.send_signal(signal.SIGKILL)
            os.close(ours)


def _painted(terminal: int, marker: bytes, begun: float, patience: float) -> float:
    seen = b""
    while (left := begun + patience - time.perf_counter()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            break
        try:
            seen += os.read(terminal, 65_536)
        except OSError:
            break
        if marker in seen:
            return time.perf_counter() - begun
    raise TimeoutError(f"{marker!r} was not painted; the end of what was: {seen[-600:]!r}")
