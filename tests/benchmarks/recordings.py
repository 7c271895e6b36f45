"""What recordings cost: `python -m tests.benchmarks.recordings` prints the figures.

Speeds are compared within one run, in processor time, so that a slow or busy machine measures the
same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Final

from chaosops.datasets.rows import Format
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.recording.library import look
from chaosops.recording.reader import read_recording
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.script import Script
from chaosops.recording.seal import SealChain
from chaosops.recording.verify import verify
from tests.benchmarks.measures import environment
from tests.compiled import compiled
from tests.recording.games import PLAYER, end_of, record, scenario

TURNS = 10_000
_SPEEDS = "speeds"
_DIFFERENT = 80
SHARE = 0.5
MEMORY_MIB = 150
COMMANDS = (
    ("list",),
    ("verify", "--jobs", "1"),
    ("stats", "--policy", "noop"),
)
_EXPORT = ("export", "--source", "human", "--source", "scripted")
_FORKS = {Format.PREFERENCE: ("--forks", "0", "--turn", "0")}
EXPORTS = {kind: (*_EXPORT, *_FORKS.get(kind, ()), "--format", kind.value) for kind in Format}
"""An export of all turns for each format; of pairs in the first turn of each game."""
HAS_PARQUET = find_spec("pyarrow") is not None

_MEASURED = """
import resource, sys
from pathlib import Path
from chaosops.cli.main import main
try:
    main(sys.argv[1:])
finally:
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts what the process that started this one had; its own peak is in /proc.
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.exists() else ():
        if line.startswith("VmHWM:"):
            kib = int(line.split()[1])
    print(kib // 1024, file=sys.stderr)
"""

_NAME: Final = "site-errors-above-limit"


def games(folder: Path, count: int) -> list[Path]:
    """Recordings of random policies beside a player who agreed to their use, one a seed."""
    return [record(folder, seed=seed, player=PLAYER, name=_NAME) for seed in range(count)]


def more_games(paths: Sequence[Path], folder: Path, turns: int) -> int:
    """Write these games into a folder, over and over, each time as a game of its own.

    Returns:
        How many turns there are then: so many at least.
    """
    there = number = 0
    while there < turns:
        source = paths[number % len(paths)]
        header = read_recording(source).header
        number += 1
        changed = header.model_copy(update={"episode_id": f"{number:032x}"})
        chain = SealChain()
        first = Script(chain).header(changed)
        bodies = [line.rpartition(b',"seal":')[0] for line in source.read_bytes().splitlines()[1:]]
        others = [chain.line(body + b"}") for body in bodies]
        (folder / f"{number}.jsonl").write_bytes(first + b"".join(others))
        there += look(source).turns
    return there


def speeds(paths: Sequence[Path], rounds: int) -> tuple[float, float]:
    """Turns a second of the engine with random policies, and of the proof of what it played.

    Both render the scenario of each game: more of them than are kept to verify others.
    """
    book, env = ScenarioBook(), ChaosOpsEnvironment()
    turns = sum(look(path).turns for path in paths)

    def engine() -> None:
        for seed in range(len(paths)):
            end_of(scenario(0).with_seed(seed), "random", env)

    def proof() -> None:
        for path in paths:
            if not verify(path, book=book, env=env).ok:
                raise RuntimeError(f"{path} does not verify")

    return turns / _fastest(engine, rounds), turns / _fastest(proof, rounds)


def bytes_of_forty_turns(path: Path) -> float:
    """How large a game of forty turns is whose turns are as large as those of a finished one."""
    header, *turns, footer = path.read_bytes().splitlines(keepends=True)
    return len(header) + 40 * fmean(map(len, turns)) + len(footer)


def memory_mib(command: Sequence[str], folder: Path) -> int:
    """The most memory of a process that runs `chaosops recordings COMMAND` on a folder."""
    with tempfile.TemporaryDirectory() as name:
        target = [str(Path(name, "set"))] if command[0] == "export" else []
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, "recordings", *command, *target, str(folder)],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return int(done.stderr.splitlines()[-1])


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        for which, env in (
            ("compiled core", compiled(Path(name))),
            ("plain Python", environment()),
        ):
            engine, proof = _speeds_of(env)
            print(which)
            print(f"turns a second, engine with random policies   {engine:8,.0f}")
            print(
                f"turns a second, verification                  {proof:8,.0f}   "
                f"{proof / engine:.2f} x the engine, budget {SHARE}"
            )
    with tempfile.TemporaryDirectory() as name:
        first, many = Path(name, "first"), Path(name, "many")
        first.mkdir()
        many.mkdir()
        paths = games(first, 6)
        size = max(bytes_of_forty_turns(path) for path in paths)
        print(f"bytes of a game of 40 turns, at most          {size:8,.0f}")
        turns = more_games(paths, many, TURNS)
        for command in COMMANDS:
            _print_memory(command[0], command, many, turns)
        for kind, command in EXPORTS.items():
            _print_memory(f"export {kind.value}", command, many, turns)
            if HAS_PARQUET:
                _print_memory(f"  {kind.value} as Parquet", (*command, "--parquet"), many, turns)


def _speeds_of(env: dict[str, str]) -> tuple[float, float]:
    """The speeds in a Python with that environment."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.benchmarks.recordings", _SPEEDS],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    engine, proof = json.loads(done.stdout)
    return engine, proof


def _print_speeds() -> None:
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(speeds(games(Path(name), _DIFFERENT), 5)))


def _print_memory(name: str, command: Sequence[str], folder: Path, turns: int) -> None:
    used = memory_mib(command, folder)
    print(f"MiB, {name:24} of {turns:,} turns  {used:7}   of {MEMORY_MIB}", flush=True)


def _fastest(run: Callable[[], object], rounds: int) -> float:
    run()
    best = float("inf")
    for _round in range(rounds):
        begun = time.process_time()
        run()
        best = min(best, time.process_time() - begun)
    return best


if __name__ == "__main__":
    if sys.argv[1:] == [_SPEEDS]:
        _print_speeds()
    else:
        main()
