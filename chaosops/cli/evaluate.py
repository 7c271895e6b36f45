"""`chaosops evaluate`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from chaosops.cli.errors import FAILURE, SUCCESS
from chaosops.cli.insert import insert
from chaosops.cli.jobs import BarredPool, jobs_option
from chaosops.cli.options import (
    PolicyName,
    ScenarioName,
    Seeds,
    json_option,
    load_scenario,
    scenarios_option,
)
from chaosops.evaluation.gate_table import TABLE, AdversaryGates, measure
from chaosops.evaluation.measurement import Measurement
from chaosops.evaluation.report import line, markdown, row_line
from chaosops.evaluation.study import Study, StudyPlan
from chaosops.output import print_data, say
from chaosops.scenarios.folders import incident_files
from chaosops.scenarios.loader import find_scenarios, open_scenario
from chaosops.scenarios.problems import shown_path
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.worker_pool import WorkerPool

_NAMES = tuple(entry.name for entry in TABLE)


@click.command(epilog="Example: chaosops evaluate --adversary memoriser --seeds 0:20 --jobs 2")
@click.argument("names", metavar="[SCENARIO]...", nargs=-1, type=ScenarioName())
@click.option(
    "--adversary",
    "wanted",
    metavar="NAME",
    multiple=True,
    type=click.Choice(_NAMES),
    help=f"Adversary: {', '.join(_NAMES)}. Repeatable; all by default.",
)
@click.option(
    "--seeds",
    metavar="SEEDS",
    type=Seeds(),
    help="Seeds of each incident, such as 0:20; by default the fewest that give stable figures.",
)
@click.option(
    "--training",
    metavar="NUMBER",
    type=click.IntRange(1, 1000),
    default=30,
    help="Other seeds of each incident that the memoriser has seen; 30 by default.",
)
@click.option(
    "--teammates",
    metavar="POLICY",
    type=PolicyName(),
    help="The policy that plays a thoughtless person's teammates; steady by default.",
)
@jobs_option
@click.option("--rows", is_flag=True, help="Also print the rows behind each figure.")
@click.option(
    "--write",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also insert a table of all gates into this file, between its evaluation comments; a dash "
    "means not measured.",
)
@json_option
@scenarios_option
def evaluate(
    names: tuple[str, ...],
    wanted: tuple[str, ...],
    seeds: tuple[int, ...] | None,
    training: int,
    teammates: str | None,
    jobs: int,
    rows: bool,
    write: Path | None,
    as_json: bool,
    folders: tuple[Path, ...],
) -> int:
    """Measure whether the incidents can be won without skill.

    SCENARIO is an id from 'chaosops scenarios list', or the path of a file or a folder. Without
    it, all incidents are measured, as the gates are meant to be. Each adversary plays, and each
    of its gates prints a line with the figure, the bound, the margin (negative if the gate fails)
    and the number of samples. docs/evaluation.md describes the adversaries and gates.

    With --json, the output is one list with an object per gate, including its rows. The exit code
    is 1 if a gate fails.
    """
    sources = _sources(names, folders)
    measured: list[Measurement] = []
    with WorkerPool(jobs) as pool:
        for entry in TABLE:
            if wanted and entry.name not in wanted:
                continue
            study = Study(
                sources, _plan(entry, seeds, training, teammates), BarredPool(entry.name, pool)
            )
            for one in measure(entry, study):
                measured.append(one)
                if not as_json:
                    say(line(one))
                    for row in one.rows if rows else ():
                        say(row_line(row))
    if as_json:
        print_data(json.dumps([_as_object(one) for one in measured], indent=2))
    if write is not None:
        insert(write, "evaluation", markdown(measured))
    return FAILURE if any(one.passes is False for one in measured) else SUCCESS


def _sources(names: Sequence[str], folders: Sequence[Path]) -> tuple[ScenarioSource, ...]:
    if not names:
        return tuple(find_scenarios(folders))
    found: dict[ScenarioSource, None] = {}
    for name in names:
        some = _in_folder(Path(name)) if Path(name).is_dir() else None
        found |= dict.fromkeys(some or (load_scenario(name, 0, folders).source,))
    return tuple(found)


def _in_folder(folder: Path) -> list[ScenarioSource]:
    """Return the incidents of a folder.

    Raises:
        click.UsageError: There are none.
        ScenarioError: One is broken.
    """
    files = [path for path, home in incident_files((folder,), []) if home == folder]
    if not files:
        raise click.UsageError(f"no incidents in {shown_path(folder)}: name another folder")
    return [open_scenario(path, (folder,)) for path in files]


def _plan(
    entry: AdversaryGates, seeds: tuple[int, ...] | None, training: int, teammates: str | None
) -> StudyPlan:
    plan = StudyPlan(tuple(range(entry.seeds)) if seeds is None else seeds, training)
    return plan if teammates is None else plan._replace(teammate=teammates)


def _as_object(one: Measurement) -> dict[str, Any]:
    return {**one._asdict(), "rows": [row._asdict() for row in one.rows]}
