"""What an hour's play takes of memory: the game itself, headless, incident after incident.

`python -m tests.benchmarks.hour TURNS FOLDER` plays so many turns of a person, as fast as it can,
with recordings in the folder, and prints what it came to.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any, NamedTuple

from textual.pilot import Pilot

from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.session import Session
from chaosops.play.setup import Setup, roster_of
from chaosops.scenarios.summaries import ScenarioSummary, scenario_summaries
from tests.benchmarks.measures import ROOT, environment
from tests.tui.games import UI
from tui.app import ChaosOpsApp
from tui.screens.debrief.screen import DebriefScreen
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.instrument.screen import InstrumentScreen
from tui.screens.replay.screen import ReplayScreen

MEBIBYTES = 150.0
"""What an hour's play may take at its peak."""

TURNS = 720
"""A person's turns in an hour, at five seconds each."""

_WIDE = (120, 40)
_MOST_KEYS = 12
"""More than any action takes."""


class Played(NamedTuple):
    """What was played, and what it took at its peak."""

    turns: int
    incidents: int
    debriefs: int
    mebibytes: float


def hour(folder: Path, turns: int = TURNS) -> Played:
    """Play in a process of its own.

    Args:
        turns: A person's turns, at least; the last incident is played to its end.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.hour", str(turns), str(folder)],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return Played(**json.loads(done.stdout))


async def _play(turns: int, folder: Path) -> Played:
    app = ChaosOpsApp(lambda: HomeScreen((), folder), home=lambda: HomeScreen((), folder), pace=0)
    taken = incidents = debriefs = 0
    async with app.run_test(size=_WIDE) as pilot:
        await _settled(pilot)
        for seed, incident in enumerate(cycle(scenario_summaries())):
            if taken >= turns:
                break
            await _begin(pilot, incident, seed, folder)
            incidents += 1
            while isinstance(app.screen, IncidentScreen):
                await _turn(pilot, app.screen, look=taken % 2 == 0)
                taken += 1
            if isinstance(app.screen, DebriefScreen):
                debriefs += 1
                await _debrief(pilot)
    return Played(taken, incidents, debriefs, _peak())


async def _begin(pilot: Pilot[int], incident: ScenarioSummary, seed: int, folder: Path) -> None:
    scenario = Scenario.load(incident.path, seed)
    roster = roster_of(Setup.of((AgentRole.SRE,), "heuristic", copilot="heuristic"), scenario)
    # Each look at the clock is a second after the last: no key comes too soon for a person's.
    begin = partial(
        Session, scenario, roster, recordings=folder, ui=UI, monotonic=count(1.0).__next__
    )
    await pilot.app.push_screen(IncidentScreen(scenario, roster, folder, begin=begin))
    await _settled(pilot)


async def _turn(pilot: Pilot[int], screen: IncidentScreen, *, look: bool) -> None:
    """Read on in another pane, then look somewhere or pass."""
    await pilot.press("right_square_bracket")
    turn = screen.session.turn
    await pilot.press("1" if look else "0")
    for _key in range(_MOST_KEYS):
        await pilot.press("enter")
        await _settled(pilot)
        if screen.session.turn != turn:
            if isinstance(pilot.app.screen, InstrumentScreen):
                await _press(pilot, "escape")
            return
    raise RuntimeError(f"turn {turn + 1} of {screen.session.scenario.label} could not be taken")


async def _debrief(pilot: Pilot[int]) -> None:
    """Wait for the expert, look at every pane, step through the game, and go home."""
    await _press(pilot, *["right_square_bracket"] * 4, "r")
    assert isinstance(pilot.app.screen, ReplayScreen)
    await _press(pilot, "right", "right", "end", "escape", "n")
    assert isinstance(pilot.app.screen, HomeScreen)


async def _press(pilot: Pilot[int], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await _settled(pilot)


async def _settled(pilot: Pilot[Any]) -> None:
    await pilot.pause()
    while len(pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


def _peak() -> float:
    """The most memory that this process took, in MiB, without what its parent had."""
    status = Path("/proc/self/status")
    if status.exists():
        found = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(next(found).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_play(int(sys.argv[1]), Path(sys.argv[2])))._asdict()))
