"""Prints the figures of the budgets: `python -m tests.benchmarks`."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path
from statistics import fmean

from chaosops.env.world_sim import Scenario
from chaosops.scenarios.loader import find_scenarios
from tests.benchmarks.hour import MEBIBYTES, hour
from tests.benchmarks.living import SITUATIONS, LivingSpeed, living_speed
from tests.benchmarks.measures import (
    COMMAND,
    ONE_LABEL,
    answered_before,
    bytes_per_frame,
    cost_growth,
    environment,
    seconds_to_help,
    seconds_to_paint,
    seconds_to_start,
)
from tests.compiled import compiled

_BYTES = 4096
_READING = 16 * 1024
_PAINT = 1.5
_HELP = 0.2


def main() -> None:
    """Measure and print, the best of several runs each."""
    scenario = Scenario.load(SITUATIONS[0], seed=3)
    services = len(scenario.topology.services)
    print(f"machine: {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"scenario: {scenario.id}, {services} services, random policies, one core\n")

    with tempfile.TemporaryDirectory() as name:
        _living("compiled core", living_speed(compiled(Path(name))))
    _living("plain Python", living_speed(environment(), rounds=2))
    growth = min(cost_growth(scenario, 5_000) for _ in range(3))
    _line("a turn of 5,000 over one of 40", f"x {growth:.2f}", growth, "x 1")
    sizes = [bytes_per_frame(Scenario.of(source), 3) for source in find_scenarios()]
    kept = fmean(sizes)
    _line("bytes a kept frame, all incidents", f"{kept:,.0f}", kept / _BYTES, f"{_BYTES:,}")
    print(f"(from {min(sizes):,.0f} to {max(sizes):,.0f})")

    with tempfile.TemporaryDirectory() as name:
        answered_before(Path(name))
        home, game = [name, "play"], [name, "play", scenario.id]
        one = min(seconds_to_paint(ONE_LABEL, "first paint") for _ in range(7))
        listed = min(seconds_to_paint(COMMAND, scenario.title, home) for _ in range(7))
        shown = min(seconds_to_paint(COMMAND, scenario.title, game) for _ in range(7))
        usable = min(seconds_to_paint(COMMAND, "restart", game) for _ in range(7))
    print(f"\nfirst paint of an app with one label: {one * 1000:.0f} ms")
    for what, seconds in (("the list of incidents", listed), ("an incident", shown)):
        ratio = seconds / one
        _line(
            f"first paint of {what}",
            f"{seconds * 1000:.0f} ms, x {ratio:.2f}",
            ratio / _PAINT,
            f"x {_PAINT}",
        )
    print(f"(until the first turn can be taken: {usable * 1000:.0f} ms, x {usable / one:.2f})")
    help_time = min(seconds_to_help() for _ in range(7))
    bare = min(seconds_to_start() for _ in range(7))
    _line(
        "chaosops --help", f"{help_time * 1000:.0f} ms", help_time / _HELP, f"{_HELP * 1000:.0f} ms"
    )
    print(f"(a Python that does nothing: {bare * 1000:.0f} ms)")

    with tempfile.TemporaryDirectory() as name:
        played = hour(Path(name))
    what = f"{played.turns} turns of a person in {played.incidents} incidents, an hour's play"
    print(f"\n{what}, each with its debrief and replay")
    used = played.mebibytes
    _line("memory at its peak", f"{used:.0f} MiB", used / MEBIBYTES, f"{MEBIBYTES:.0f} MiB")


def _living(which: str, one: LivingSpeed) -> None:
    """Print what the moving world costs; `still` is measured in the same run."""
    print(f"three moving situations, {which}")
    ratio = one.turns / one.still
    _line("turns a second", f"{one.turns:,.0f}", ratio, f"{one.still:,.0f}, four still services")
    _line("  with their resets", f"{one.whole:,.0f}", one.whole / one.still, f"{one.still:,.0f}")
    _line("a reset, in turns", f"{one.reset_turns:.1f}", one.reset_turns / 40, "40")
    _line("a minute of 40 services over 12", f"x {one.forty:.2f}", one.forty / 4, "x 4")
    _line("the slowest reading", f"{one.reading_ms:.2f} ms", one.reading_ms / 5, "5 ms")
    size = one.reading_bytes / _READING
    _line("the largest reading", f"{one.reading_bytes:,} bytes", size, f"{_READING:,}")
    kept = one.frame_bytes
    _line("bytes a kept frame, no looks", f"{kept:,.0f}", kept / _BYTES, f"{_BYTES:,}")


def _line(name: str, figure: str, share: float, budget: str) -> None:
    print(f"{name:36} {figure:>18}   {share:5.2f} x the budget of {budget}")


if __name__ == "__main__":
    main()
