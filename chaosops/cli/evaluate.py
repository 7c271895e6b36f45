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
from chaosops.evaluation.gate_table import TABLE, Entry, measure
from chaosops.evaluation.measurement import Measurement
from chaosops.evaluation.report import line, markdown, row_line
from chaosops.evaluation.study import Plan, Study
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
    help=f"Who plays: {', '.join(_NAMES)}. Repeatable; all of them by default.",
)
@click.option(
    "--seeds",
    metavar="SEEDS",
    type=Seeds(),
    help="Seeds of each incident, such as 0:20; by default as few as make the figures steady.",
)
@click.option(
    "--training",
    metavar="NUMBER",
    type=click.IntRange(1, 1000),
    default=30,
    help="Other seeds of each incident that those know who learn by heart; 30 by default.",
)
@click.option(
    "--teammates",
    metavar="POLICY",
    type=PolicyName(),
    help="Who sits beside a thoughtless person; by default who sits beside a player.",
)
@click.option(
    "--jobs", metavar="NUMBER", type=click.IntRange(1, 64), default=1, help="Processes; 1."
)
@click.option("--rows", is_flag=True, help="Also print what each figure is made of.")
@click.option(
    "--write",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Put a table of all gates into this file, between its two evaluation comments; what "
    "was not measured gets a dash.",
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

    SCENARIO is an id from 'chaosops scenarios list' or the path of a file; without one, every
    incident is measured, which is what the gates are about. Each adversary plays, and each of its
    gates prints a line: figure, bound, margin (negative where the gate fails), and the number of
    samples. docs/evaluation.md says what each one does.

    With --json, each gate is an object in one list, with its rows. The exit code is 1 where a
    gate fails.
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
    entry: Entry,
    sources: tuple[ScenarioSource, ...],
    seeds: tuple[int, ...] | None,
    training: int,
    teammates: str | None,
    jobs: int,
) -> Study:
    plan = Plan(tuple(range(entry.seeds)) if seeds is None else seeds, training)
    if teammates is not None:
        plan = plan._replace(teammate=teammates)
    return Study(sources, plan, Spread(entry.name, jobs))


class Spread(NamedTuple):
    """Spreads work over processes, with a bar on a terminal.

    Attributes:
        what: What the bar says.
    """

    what: str
    jobs: int

    def __call__(
        self, function: Callable[[_ItemT], _ResultT], items: Sequence[_ItemT], /
    ) -> Iterator[_ResultT]:
        """The results, in the order of the items.

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
            raise ChaosOpsError("a process died while playing: try again with --jobs 1") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _end_on_interrupt() -> None:
    """Ends a process at once and in silence: the one that started it says what there is to say."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _as_object(one: Measurement) -> dict[str, Any]:
    return {**one._asdict(), "rows": [row._asdict() for row in one.rows]}
