"""`chaosops causes validate`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chaosops.cli.bar import moving
from chaosops.cli.errors import FAILURE, SUCCESS
from chaosops.cli.insert import check_room, insert
from chaosops.cli.options import json_option, scenarios_option
from chaosops.cli.tables import table
from chaosops.errors import ScenarioError
from chaosops.output import columns_of, print_data, say
from chaosops.scenarios.cause_list import built_in_topologies, misplaced
from chaosops.scenarios.file_checks import check_files
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import CAUSES, builtin_folder, causes_in, is_cause
from chaosops.scenarios.problems import Problem, shown_path

if TYPE_CHECKING:
    from chaosops.env.cause_trials import PlaceTrial, Strength
    from chaosops.scenarios.cause import Cause

_MOVES: Final = ("clears", "eases", "tempts")


@click.command(epilog="Example: chaosops causes validate ~/incidents")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--write",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also insert a table of the outcome into this file, between its cause trials comments.",
)
@json_option
@scenarios_option
def validate(
    paths: tuple[Path, ...], write: Path | None, as_json: bool, folders: tuple[Path, ...]
) -> int:
    """Check cause files, and try each cause at every place that it fits.

    PATH is a cause file, a scenario folder or the folder of a family; by default, the causes of
    the built-in set and of all --scenarios folders are checked. Every problem of a file is printed
    with its line and how to fix it.

    Sound causes are then tried on the simulator, at each place where they fit on the built-in
    topologies: can they make 5, 15 and 40 % of the requests fail there, does everything under
    'clears' clear them, does everything under 'eases' help, and is everything under 'tempts'
    wrong, as a game judges it? It is normal that a place can't reach 40 %, or that users don't
    notice a service that none of them needs. The built-in set takes a minute or two; its outcome is
    in docs/cause-trials.md. The exit code is 1 if there is a problem.
    """
    files = list(_files(paths or (builtin_folder(), *folders)))
    where = [*folders, *dict.fromkeys(path.absolute().parents[2] for path in files)]
    problems = _checked(files, where)
    broken = {problem.path for problem in problems}
    if write is not None:
        _prepare(write, problems)
    tried = _tried([path for path in files if path not in broken], where, problems)
    if write is not None:
        _insert(write, tried)
    if as_json:
        found = {
            "problems": [problem._asdict() | {"path": str(problem.path)} for problem in problems],
            "trials": {str(path): [_as_row(one) for one in trials] for path, _, trials in tried},
        }
        print_data(json.dumps(found, indent=2))
    else:
        for path, _cause, trials in tried:
            say(f"{shown_path(path)}: {_summary(trials)}")
            say(_table(trials) + "\n")
        for problem in problems:
            say(str(problem))
        say(f"{_count(len(files), 'cause')}, {_count(len(problems), 'problem')}")
    return FAILURE if problems else SUCCESS


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise click.UsageError(f"no file or folder '{path}': check the path")
        if path.is_dir():
            found = _inside(path)
            if not found and path != builtin_folder():
                raise click.UsageError(
                    f"no causes in '{path}': they are in causes/FAMILY/ID.yaml of a scenario folder"
                )
            yield from found
        elif is_cause(path):
            yield path
        else:
            raise ScenarioError(misplaced(path))


def _inside(folder: Path) -> list[Path]:
    """Return the cause files of a scenario folder, of its folder of causes, or of a family."""
    whole = folder.absolute()
    if not (whole / CAUSES).is_dir():
        if whole.parent.name == CAUSES:
            return sorted(folder.glob("*.yaml"))
        if whole.name == CAUSES:
            return causes_in(folder.parent)
    return causes_in(folder)


def _checked(files: Sequence[Path], folders: Sequence[Path]) -> list[Problem]:
    """Return the problems of the files; names are compared with all causes of their folders."""
    wanted = {path.absolute() for path in files}
    beside = [path for home in folders for path in causes_in(home) if path.absolute() not in wanted]
    odd = [path for path in files if path.is_dir()]
    problems = [problem for path in odd for problem in FileReader(folders).check(path)]
    problems += check_files([*beside, *(path for path in files if path not in odd)], folders)[1]
    return [problem for problem in problems if problem.path.absolute() in wanted]


def _tried(
    files: Sequence[Path], folders: Sequence[Path], problems: list[Problem]
) -> list[tuple[Path, Cause, list[PlaceTrial]]]:
    """Try sound causes; add what is wrong with them to the problems."""
    from chaosops.env.cause_trials import fitting, problems_of, try_places
    from chaosops.env.trials import try_file
    from chaosops.scenarios.rendering import placed
    from chaosops.scenarios.yaml_source import read_document

    reader = FileReader(folders)
    topologies = built_in_topologies(reader)
    causes = [(path, cause) for path in files if (cause := reader.cause(path).cause) is not None]
    spots = {path: fitting(cause, topologies) for path, cause in causes}
    found = []
    with moving(sum(map(len, spots.values())), "trying") as passed_on:
        for path, cause in causes:
            wrong = try_file(path, folders)
            if wrong:
                problems += wrong
                _each(spots[path], passed_on)
                continue
            trials = []
            for trial in try_places(cause, spots[path]):
                trials.append(trial)
                passed_on()
            problems += placed(read_document(path), list(problems_of(cause, trials)))
            found.append((path, cause, trials))
    return found


def _prepare(path: Path, problems: Sequence[Problem]) -> None:
    """Make sure that a table of all files can be written, before minutes are spent on it."""
    from chaosops.evaluation.cause_outcomes import MARK

    if problems:
        for problem in problems:
            say(str(problem))
        raise ScenarioError(
            f"{path} was left as it is, since broken files can't be tried: mend them first"
        )
    check_room(path, MARK)


def _insert(path: Path, tried: Sequence[tuple[Path, Cause, Sequence[PlaceTrial]]]) -> None:
    from chaosops.evaluation.cause_outcomes import MARK, CauseOutcome, markdown

    outcomes = [CauseOutcome(cause, tuple(trials)) for _path, cause, trials in tried]
    insert(path, MARK, markdown(outcomes))


def _each(items: Sequence[object], passed_on: Callable[[], None]) -> None:
    for _item in items:
        passed_on()


def _summary(trials: Sequence[PlaceTrial]) -> str:
    topologies = {trial.topology for trial in trials}
    silent = sum(bool(trial.strengths) and not trial.hurts for trial in trials)
    unnoticed = f", users don't notice it at {silent} of them" if silent else ""
    return f"{_count(len(trials), 'place')} on {_topologies(len(topologies))}{unnoticed}"


def _topologies(number: int) -> str:
    return f"{number} topolog{'y' if number == 1 else 'ies'}"


def _table(trials: Sequence[PlaceTrial]) -> str:
    from chaosops.env.cause_trials import SHARES

    head = ["TOPOLOGY", "PLACE", "CALLER", *(f"{share:.0%}" for share in SHARES)]
    head += [name.upper() for name in _MOVES]
    rows = [
        [
            trial.topology,
            trial.place,
            trial.caller or "-",
            *(_strength(each) for each in trial.strengths or [None] * len(SHARES)),
            *(_moves(trial, name) for name in _MOVES),
        ]
        for trial in trials
    ]
    return table([head, *rows], columns_of(sys.stdout))


def _strength(strength: Strength | None) -> str:
    if strength is None:
        return "harmless"
    if strength.reached:
        return "yes"
    if strength.jumps:
        return f"jumps to {strength.most:.0%}"
    return "unnoticed" if strength.is_unnoticed else f"at most {strength.most:.0%}"


def _moves(trial: PlaceTrial, name: str) -> str:
    """Return how many of the actions do what the file says."""
    moves = [move for move in trial.moves if move.field[0] == name]
    right = sum(not move.problem for move in moves)
    return f"{right} of {len(moves)}" if moves else "-"


def _as_row(trial: PlaceTrial) -> dict[str, Any]:
    return {
        "topology": trial.topology,
        "place": trial.place,
        "caller": trial.caller,
        "strengths": [each._asdict() | {"most": round(each.most, 4)} for each in trial.strengths],
        "moves": [
            {
                "list": move.field[0],
                "index": move.field[1],
                "action": move.action,
                "relief": round(move.relief, 4),
                "problem": move.problem,
            }
            for move in trial.moves
        ],
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
