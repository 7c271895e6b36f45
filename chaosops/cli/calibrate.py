"""`chaosops calibrate`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from chaosops.cli.insert import insert
from chaosops.cli.jobs import BarredPool, jobs_option
from chaosops.cli.options import Seeds, json_option, scenarios_option
from chaosops.evaluation.calibration import markdown, play, table
from chaosops.output import print_data, say
from chaosops.scenarios.loader import find_scenarios
from chaosops.worker_pool import WorkerPool


@click.command(epilog="Example: chaosops calibrate --seeds 0:20 --write README.md")
@click.option(
    "--seeds",
    metavar="SEEDS",
    type=Seeds(),
    default="0:20",
    help="Seeds of each incident; 0:20 by default.",
)
@click.option(
    "--write",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also insert the table into this file, between its calibration comments.",
)
@jobs_option
@json_option
@scenarios_option
def calibrate(
    seeds: tuple[int, ...],
    write: Path | None,
    jobs: int,
    as_json: bool,
    folders: tuple[Path, ...],
) -> None:
    """Measure how hard each level is: each policy plays every incident in all four seats.

    Prints a row per level and policy: share resolved, mean reward, MTTR in turns, wrong fixes per
    episode, share of rogue agents caught, and share of innocent agents flagged.
    """
    sources = find_scenarios(folders)
    with WorkerPool(jobs) as pool:
        cells = table(list(play(sources, seeds, each=BarredPool("playing", pool))))
    text = markdown(cells)
    if write is not None:
        played = f"{len(sources)} incidents, {len(seeds)} seeds each."
        insert(write, "calibration", f"{text}\n\n{played}")
    print_data(json.dumps([cell._asdict() for cell in cells], indent=2)) if as_json else say(text)
