"""Fuzz the terminal game: `python -m tests.fuzz --seconds 3600 --seed 1`.

Half of the time goes into an app without a terminal, half into the game on a real pty. A crash is
printed with its seed, its traceback and the shortest burst that still shows it; `--again FILE`
plays such a burst once more, `--again FILE --only pty --seed N` one that broke a game on a pty.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from itertools import count
from pathlib import Path

from tests.fuzz.acts import Burst, burst
from tests.fuzz.pilot import crash_of
from tests.fuzz.reduction import reduced
from tui.fixtures import FIXTURES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--only", choices=("pilot", "pty"), help="one of the two ways")
    parser.add_argument("--again", type=Path, metavar="FILE", help="a burst from a file, once")
    chosen = parser.parse_args()
    if chosen.again is not None:
        why = again(Burst.parsed(chosen.again.read_text(encoding="utf-8")), chosen)
        print(why or "no crash")
        return bool(why)
    ways = ("pilot", "pty") if chosen.only is None else (chosen.only,)
    found = 0
    for way in ways:
        until = time.monotonic() + chosen.seconds / len(ways)
        found += in_pilot(chosen.seed, until) if way == "pilot" else in_pty(chosen.seed, until)
    return 1 if found else 0


def again(tried: Burst, chosen: argparse.Namespace) -> str:
    """What a burst breaks on a pty or, where that was not asked for, without a terminal."""
    if chosen.only != "pty":
        return pilot_crash(tried)
    from tests.fuzz import in_pty

    return in_pty.crash_of(tried, chosen.seed)


def pilot_crash(chosen: Burst) -> str:
    return asyncio.run(crash_of(chosen))


def in_pilot(first: int, until: float) -> int:
    """Bursts without a terminal until a time is over; how many kinds of crash there were."""
    names = [fixture.name for fixture in FIXTURES]
    kinds: set[str] = set()
    sent = runs = 0
    for seed in count(first):
        if time.monotonic() >= until:
            break
        tried = burst(seed, names)
        why = pilot_crash(tried)
        runs += 1
        sent += len(tried.acts)
        kind = why.strip().rpartition("\n")[2]
        if why and kind not in kinds:
            kinds.add(kind)
            report(seed, tried, why)
    print(f"pilot: seeds {first} to {first + runs - 1}, {sent} acts, {len(kinds)} kinds of crash")
    return len(kinds)


def report(seed: int, tried: Burst, why: str) -> None:
    def fails(acts: tuple[str, ...]) -> bool:
        return bool(pilot_crash(tried._replace(acts=acts)))

    print(f"\ncrash at seed {seed}\n{why}", flush=True)
    short = tried._replace(acts=reduced(tried.acts, fails, limit=60))
    print(f"shortest burst that shows it:\n{short}\n", flush=True)


def in_pty(first: int, until: float) -> int:
    """Bursts into the game on a pty until a time is over; how many of them broke it."""
    from tests.fuzz.in_pty import fuzz

    return fuzz(first, until)


if __name__ == "__main__":
    sys.exit(main())
