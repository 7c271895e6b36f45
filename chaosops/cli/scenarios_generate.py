"""`chaosops scenarios generate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from chaosops.cli.bar import over
from chaosops.cli.ending import cleaned_up
from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.jobs import jobs_option
from chaosops.cli.options import MAX_SEED, Seed, json_option
from chaosops.env.models import Difficulty
from chaosops.generation.batches import GenerationFailure, generated
from chaosops.generation.fleets import builtin_topologies
from chaosops.generation.output_folder import OutputFolder
from chaosops.generation.spec import FEWEST, LEVELS, MOST, SituationSpec
from chaosops.output import print_data, say
from chaosops.scenarios.problems import shown_path
from chaosops.worker_pool import WorkerPool

_MOST_AT_ONCE = 10_000


@click.command(
    epilog="Example: chaosops scenarios generate --seed 7 --level medium --count 5 --to ~/incidents"
)
@click.option(
    "--seed",
    metavar="N",
    type=Seed(),
    required=True,
    help="The generator's seed; with --count, the first of several.",
)
@click.option(
    "--level",
    type=click.Choice([level.value for level in LEVELS]),
    required=True,
    help="The level of the situations.",
)
@click.option(
    "--topology",
    metavar="TOPOLOGY",
    help="A built-in topology; by default the seed draws one, or makes one.",
)
@click.option(
    "--services",
    metavar="NUMBER",
    type=click.IntRange(FEWEST, MOST),
    help=f"Make a topology of that many services, {FEWEST} to {MOST}.",
)
@click.option(
    "--count",
    metavar="NUMBER",
    type=click.IntRange(1, _MOST_AT_ONCE),
    default=1,
    help="How many situations to make, each with the next seed; 1 by default.",
)
@jobs_option
@click.option(
    "--to",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    help="The folder for the files; the current one by default.",
)
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@json_option
def generate(
    seed: int,
    level: str,
    topology: str | None,
    services: int | None,
    count: int,
    jobs: int,
    to: Path,
    force: bool,
    as_json: bool,
) -> int:
    """Make situations without an author, each proven before it is written.

    The generator draws a fleet, causes that open alike, automation agents and decoys, and words
    it all by its symptoms; the seed of a scenario then draws which cause it is, as in any other
    situation. The same seed, level and topology always make the same file. Its comment has the
    margins of the proof, which takes up to a minute.

    Play one with 'chaosops play FILE'; 'chaosops evaluate DIR' measures a folder of them. The exit
    code is 1 if one could not be proven; the others are written.
    """
    if topology is not None and services is not None:
        raise click.UsageError("--topology and --services exclude each other: use one of them")
    if seed + count - 1 > MAX_SEED:
        raise click.UsageError(f"the seeds go beyond {MAX_SEED}: lower --seed or --count")
    known = sorted(builtin_topologies())
    if topology is not None and topology not in known:
        raise click.UsageError(f"no topology '{topology}': choose from {', '.join(known)}")
    specs = [
        SituationSpec(number, Difficulty(level), topology, services)
        for number in range(seed, seed + count)
    ]
    folder = OutputFolder(to, replaces=force)
    folder.prepare(specs)
    failed = 0
    rows: list[dict[str, Any]] = []
    with cleaned_up(), WorkerPool(jobs) as pool:
        for made in over(generated(specs, pool), len(specs), "generating"):
            if isinstance(made, GenerationFailure):
                failed += 1
                complain(made.message)
                rows.append({"seed": made.spec.seed, "error": made.message})
                continue
            path = folder.write(made)
            row = {
                "seed": made.spec.seed,
                "id": made.id,
                "path": str(path),
                "topology": made.topology_id,
                "causes": made.causes,
                "truths": made.truths,
            }
            rows.append(row)
            if not as_json:
                say(
                    f"{shown_path(path)}: {made.causes} causes, {made.truths} truths, "
                    f"on {made.topology_id}"
                )
    if as_json:
        print_data(json.dumps(rows, indent=2))
    return FAILURE if failed else SUCCESS
