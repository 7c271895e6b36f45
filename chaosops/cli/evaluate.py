"""`chaosops evaluate`."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from chaosops.cli.bar import over
from chaosops.cli.errors import FAILURE, SUCCESS
from chaosops.cli.insert import insert
from chaosops.cli.options import (
    PolicyName,
    ScenarioName,
    Seeds,
    json_option,
    load_scenario,
    scenarios_option,
)
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.gate_table import TABLE, AdversaryGates, measure
from chaosops.evaluation.measurement import Measurement
from chaosops.evaluation.report import line, markdown, row_line
from chaosops.evaluation.study import Study, StudyPlan
from chaosops.output import print_data, say
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.rendering import ScenarioSource

_ItemT = TypeVar("_ItemT")
_ResultT = TypeVar("_ResultT")

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
    help="The policy that plays a thoughtless person's teammates; a player's by default.",
)
@click.option(
    "--jobs",
    metavar="NUMBER",
    type=click.IntRange(1, 64),
    default=1,
    help="Number of processes; 1 by default.",
)
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

    SCENARIO is an id from 'chaosops scenarios list' or the path of a file. Without it, all
    incidents are measured, as the gates are meant to be. Each adversary plays, and each of its
    gates prints a line with the figure, the bound, the margin (negative if the gate fails) and
    the number of samples. docs/evaluation.md describes the adversaries and gates.

    With --json, the output is one list with an object per gate, including its rows. The exit code
    is 1 if a gate fails.
    """
    sources = _sources(names, folders)
    measured: list[Measurement] = []
    for entry in TABLE:
        if wanted and entry.name not in wanted:
            continue
        for one in measure(entry, _study(entry, sources, seeds, training, teammates, jobs)):
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
    return tuple(dict.fromkeys(load_scenario(name, 0, folders).source for name in names))


def _study(
    entry: AdversaryGates,
    sources: tuple[ScenarioSource, ...],
    seeds: tuple[int, ...] | None,
    training: int,
    teammates: str | None,
    jobs: int,
) -> Study:
    plan = StudyPlan(tuple(range(entry.seeds)) if seeds is None else seeds, training)
    if teammates is not None:
        plan = plan._replace(teammate=teammates)
    return Study(sources, plan, Spread(entry.name, jobs))


class Spread(NamedTuple):
    """Distributes work over processes, with a progress bar on a terminal.

    Attributes:
        what: The bar's label.
    """

    what: str
    jobs: int

    def __call__(
        self, function: Callable[[_ItemT], _ResultT], items: Sequence[_ItemT], /
    ) -> Iterator[_ResultT]:
        """Yield the results in the order of the items.

        Raises:
            ChaosOpsError: A process died.
        """
        workers = min(self.jobs, len(items))
        if workers < 2:
            yield from over(map(function, items), len(items), self.what)
            return
        pool = ProcessPoolExecutor(
            workers, mp_context=get_context("spawn"), initializer=_end_on_interrupt
        )
        share = max(1, len(items) // (workers * 4))
        try:
            results = pool.map(function, items, chunksize=share)
            yield from over(results, len(items), self.what)
        except BrokenProcessPool as error:
            raise ChaosOpsError("a worker process crashed: try again with --jobs 1") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _end_on_interrupt() -> None:
    """Make a worker end silently on an interrupt; the parent process reports it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _as_object(one: Measurement) -> dict[str, Any]:
    return {**one._asdict(), "rows": [row._asdict() for row in one.rows]}
