"""`chaosops baseline`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

import click

from chaosops.cli.bar import over
from chaosops.cli.baseline_files import (
    HEADING,
    BaselineFolder,
    cell_object,
    table_rows,
)
from chaosops.cli.baseline_page import write_baseline
from chaosops.cli.ending import cleaned_up
from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.jobs import jobs_option
from chaosops.cli.options import (
    PolicyName,
    Seeds,
    check_isolated,
    isolated_option,
    json_option,
    scenarios_option,
)
from chaosops.cli.tables import table
from chaosops.datasets.people_episodes import people_episodes
from chaosops.evaluation.baselines.adversary_teams import ADVERSARY_TEAMS
from chaosops.evaluation.baselines.episodes import ALWAYS, TEAMS, BaselineEpisode, play_baselines
from chaosops.evaluation.baselines.plots import text_plot
from chaosops.evaluation.baselines.sets import SETS, SetError, open_set
from chaosops.evaluation.baselines.summary import BaselineSummary
from chaosops.generation.batches import GeneratedSets, Made
from chaosops.generation.errors import SetNameError
from chaosops.output import columns_of, print_data, say
from chaosops.recording.library import find, games
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.worker_pool import WorkerPool

_MOST_COMPLAINTS = 5


class PolicyNames(click.ParamType[tuple[str, ...]]):
    """Names of policies, separated by commas."""

    name = "policies"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names, if there are such policies."""
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",")]
        policy = PolicyName()
        return tuple(name if name in TEAMS else policy.convert(name, param, ctx) for name in names)


@click.command(epilog="Example: chaosops baseline --set situations --seeds 0:20 --out baseline")
@click.option(
    "--policies",
    metavar="POLICIES",
    multiple=True,
    type=PolicyNames(),
    default=["random,heuristic,expert,oracle"],
    help="Policies, separated by commas; random,heuristic,expert,oracle by default. Repeatable. "
    "noop and constant, the most common solution of the topology, are always played. Adversaries: "
    f"{', '.join(ADVERSARY_TEAMS)}.",
)
@click.option(
    "--set",
    "chosen",
    metavar="SET",
    default="all",
    help=f"What is played: {', '.join(SETS)}, ids of incidents, or generated:A:B for situations "
    "that are generated from the seeds A to B - 1, separated by commas; all by default.",
)
@click.option(
    "--seeds",
    metavar="SEEDS",
    type=Seeds(),
    default="0:5",
    help="Seeds of each incident; 0:5 by default.",
)
@click.option(
    "--people",
    metavar="PATH",
    type=click.Path(path_type=Path, exists=True),
    help="Also count people's finished games on these incidents: a recording, or a folder of them.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write rows, table and curves into this folder, which must be empty or not exist.",
)
@click.option(
    "--write",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also insert the table into this file, between its baseline comments.",
)
@isolated_option
@jobs_option
@json_option
@scenarios_option
def baseline(
    policies: tuple[tuple[str, ...], ...],
    chosen: str,
    seeds: tuple[int, ...],
    people: Path | None,
    out: Path | None,
    write: Path | None,
    isolated: bool,
    jobs: int,
    as_json: bool,
    folders: tuple[Path, ...],
) -> int:
    """Measure what policies score, each in all four seats, beside no-op and a constant answer.

    Prints a table by level with 95 % confidence intervals, and the mean cumulative reward by turn
    as a plot. With --out, the folder gets rows.jsonl (an object per episode, with the reward of
    each turn), rows.parquet if pyarrow is installed, table.md, curves.svg and summary.json.

    The exit code is 1 if a policy raised an error or its process died; the rest of such an episode
    is passed.
    """
    names = tuple(dict.fromkeys((*ALWAYS, *(name for some in policies for name in some))))
    if isolated:
        check_isolated(name for name in names if name not in TEAMS)
    summary = BaselineSummary()
    failed = 0
    with cleaned_up(), ExitStack() as stack:
        pool = stack.enter_context(WorkerPool(jobs))
        sources = _opened(chosen, folders, pool)
        total = len(sources) * len(seeds) * len(names)
        folder = None if out is None else stack.enter_context(BaselineFolder(out))
        played = play_baselines(sources, seeds, names, pool, isolated=isolated)
        games = () if people is None else _of_people(people, sources, folders)
        for episode in chain(over(played, total, "playing"), games):
            summary.add(episode)
            if folder is not None:
                folder.add(episode)
            if episode.error:
                failed += 1
                if failed <= _MOST_COMPLAINTS:
                    complain(episode.error)
        if folder is not None:
            about = {"set": chosen, "incidents": len(sources), "seeds": list(seeds)}
            folder.finish(summary, {**about, "policies": list(names), "isolated": isolated})
    if failed > _MOST_COMPLAINTS:
        complain(f"and {failed - _MOST_COMPLAINTS} more episodes: see the errors in the rows")
    _print(summary, as_json=as_json)
    if write is not None:
        write_baseline(write, summary, sources, _played(sources, seeds))
    return FAILURE if failed else SUCCESS


def _opened(chosen: str, folders: Sequence[Path], pool: WorkerPool) -> tuple[ScenarioSource, ...]:
    """Return the incidents of a set; situations that are generated are generated in the pool."""

    def watched(made: Iterable[Made], total: int) -> Iterable[Made]:
        return over(made, total, "generating")

    try:
        generated = GeneratedSets(pool, watched, complain)
        return open_set(chosen, folders, {"generated": generated})
    except (SetError, SetNameError) as error:
        raise click.UsageError(str(error)) from error


def _of_people(
    path: Path, sources: Sequence[ScenarioSource], folders: Sequence[Path]
) -> Iterator[BaselineEpisode]:
    entries = games(find([path]), folders=folders)
    return people_episodes(over(entries, len(entries), "reading"), sources, folders, complain)


def _played(sources: Sequence[ScenarioSource], seeds: Sequence[int]) -> str:
    def count(number: int, noun: str) -> str:
        return f"{number} {noun}{'' if number == 1 else 's'}"

    return f"{count(len(sources), 'incident')}, {count(len(seeds), 'seed')} each."


def _print(summary: BaselineSummary, *, as_json: bool) -> None:
    cells = summary.cells()
    if as_json:
        print_data(json.dumps([cell_object(cell) for cell in cells], indent=2))
        return
    width = columns_of(sys.stdout)
    say(table([list(HEADING), *table_rows(cells)], width, range(4, len(HEADING))))
    say("\nMean cumulative reward by turn; in brackets the 95 % confidence interval at the end")
    print_data(text_plot(summary.curves(), min(width or 80, 100)))
