"""`chaosops scenarios validate`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chaosops.cli.bar import moving
from chaosops.cli.errors import FAILURE, SUCCESS
from chaosops.cli.jobs import BarredPool, jobs_option
from chaosops.cli.options import Seeds, json_option, scenarios_option
from chaosops.output import print_data, say
from chaosops.scenarios.file_checks import check_files
from chaosops.scenarios.folders import builtin_folder, is_played
from chaosops.scenarios.problems import Problem
from chaosops.worker_pool import WorkerPool

if TYPE_CHECKING:
    from chaosops.cli.proofs import GateProof


@click.command(epilog="Example: chaosops scenarios validate --prove ~/incidents")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--prove", is_flag=True, help="Also play each incident: is it solvable, and in no cheaper way?"
)
@click.option(
    "--seeds",
    metavar="SEEDS",
    type=Seeds(),
    default="0:20",
    help="Seeds to play every gate on; 0:20 by default, that is 0 to 19.",
)
@jobs_option
@json_option
@scenarios_option
def validate(
    paths: tuple[Path, ...],
    prove: bool,
    seeds: tuple[int, ...],
    jobs: int,
    as_json: bool,
    folders: tuple[Path, ...],
) -> int:
    """Check situation, cause and topology files, and print every problem.

    PATH is a file or a folder; by default, the built-in set and all --scenarios folders are
    checked. As with --scenarios, every incident in a folder needs an id that no other incident,
    built-in ones included, has. The exit code is 1 if there is a problem.

    With --prove, each valid incident is played, every gate on every seed: the best line and the
    expert resolve it, each tempting fix does harm, each mitigation helps, and neither a shortcut
    nor the best of 200 random games scores as well as the expert. That takes about a second per
    incident and seed. For a failed gate, the output names the place to look at.
    """
    given = paths or (builtin_folder(), *folders)
    for path in given:
        if not path.exists():
            raise click.UsageError(f"no file or folder '{path}': check the path")
    where = [*folders, *(path for path in given if path.is_dir())]
    files, problems = check_files(given, folders)
    broken = {problem.path for problem in problems}
    problems += _tried([path for path in files if path not in broken], where)
    if not as_json:
        for problem in problems:
            say(str(problem))
        say(f"{_count(len(files), 'file')}, {_count(len(problems), 'problem')}")
    broken = {problem.path for problem in problems}
    sound = [path for path in files if path not in broken and is_played(path)]
    proven = []
    for proof in _proofs(sound, seeds, where, jobs, not as_json) if prove else ():
        proven.append(proof)
        if not as_json:
            say(str(proof))
    if as_json:
        found: Any = [_as_row(problem) for problem in problems]
        if prove:
            found = {"problems": found, "proofs": [_as_proof(proof) for proof in proven]}
        print_data(json.dumps(found, indent=2))
    passed = not problems and all(proof.passed for proof in proven)
    return SUCCESS if passed else FAILURE


def _tried(paths: Sequence[Path], folders: Sequence[Path]) -> list[Problem]:
    """Return what only a simulation of sound files shows."""
    from chaosops.env.trials import try_file

    with moving(len(paths), "trying") as passed_on:
        found = []
        for path in paths:
            found += try_file(path, folders)
            passed_on()
    return found


def _proofs(
    files: Sequence[Path],
    seeds: tuple[int, ...],
    folders: Sequence[Path],
    jobs: int,
    in_words: bool,
) -> Iterator[GateProof]:
    from chaosops.cli.proofs import proofs, what_is_played

    if not files:
        if in_words:
            say("nothing to prove: no file here is a valid incident")
        return
    if in_words:
        say(what_is_played(len(files), seeds))
    with WorkerPool(jobs) as pool:
        yield from proofs(files, seeds, folders, BarredPool("proving", pool))


def _as_row(problem: Problem) -> dict[str, Any]:
    return problem._asdict() | {"path": str(problem.path)}


def _as_proof(proof: GateProof) -> dict[str, Any]:
    return {
        "id": proof.scenario_id,
        "path": str(proof.path),
        "seeds": proof.seeds,
        "passed": proof.passed,
        "trouble": proof.trouble,
        "gates": [
            {**gate._asdict(), "place": None if place is None else _as_row(place)}
            for gate, place in proof.gates
        ],
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
