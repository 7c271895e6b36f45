"""What recordings cost: `python -m tests.benchmarks.recordings` prints the figures.

Speeds are compared within one run, in processor time, so that a slow or busy machine measures the
same.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.recording.origin import ScenarioBook
from chaosops.recording.store import look
from chaosops.recording.verify import verify
from tests.recording.games import outcome, record

TURNS = 10_000
SHARE = 0.5
MEMORY_MIB = 150
COMMANDS = (
    ("list",),
    ("verify", "--jobs", "1"),
    ("stats", "--policy", "noop"),
)

_MEASURED = """
import resource, sys
from chaosops.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""


def games(folder: Path, count: int) -> list[Path]:
    """Recordings of random policies, one a seed."""
    return [record(folder, seed=seed) for seed in range(count)]


def copies(paths: Sequence[Path], folder: Path, turns: int) -> int:
    """Copy recordings into a folder until they have so many turns; how many there are then."""
    there = number = 0
    while there < turns:
        source = paths[number % len(paths)]
        (folder / f"{number}.jsonl").write_bytes(source.read_bytes())
        there += look(source).turns
        number += 1
    return there


def speeds(paths: Sequence[Path], rounds: int) -> tuple[float, float]:
    """Turns a second of the engine with random policies, and of the proof of what it played."""
    book, env = ScenarioBook(), ChaosOpsEnvironment()
    turns = sum(look(path).turns for path in paths)

    def engine() -> None:
        for seed in range(len(paths)):
            outcome(seed, env=env)

    def proof() -> None:
        for path in paths:
            if not verify(path, book=book, env=env).ok:
                raise RuntimeError(f"{path} does not verify")

    return turns / _fastest(engine, rounds), turns / _fastest(proof, rounds)


def memory_mib(command: Sequence[str], folder: Path) -> int:
    """The most memory of a process that runs `chaosops recordings COMMAND` on a folder."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, "recordings", *command, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return int(done.stderr.splitlines()[-1])


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        first, many = Path(name, "first"), Path(name, "many")
        first.mkdir()
        many.mkdir()
        paths = games(first, 6)
        engine, proof = speeds(paths, 7)
        print(f"turns a second, engine with random policies   {engine:8,.0f}")
        print(
            f"turns a second, verification                  {proof:8,.0f}   "
            f"{proof / engine:.2f} x the engine, budget {SHARE}"
        )
        size = max(look(path).size * 40 / look(path).turns for path in paths)
        print(f"bytes of a game of 40 turns, at most          {size:8,.0f}")
        turns = copies(paths, many, TURNS)
        for command in COMMANDS:
            used = memory_mib(command, many)
            print(f"MiB, {command[0]:7} of {turns:,} turns            {used:8}   of {MEMORY_MIB}")


def _fastest(run: Callable[[], object], rounds: int) -> float:
    run()
    best = float("inf")
    for _round in range(rounds):
        begun = time.process_time()
        run()
        best = min(best, time.process_time() - begun)
    return best


if __name__ == "__main__":
    main()
