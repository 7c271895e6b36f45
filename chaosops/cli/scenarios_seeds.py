"""`chaosops scenarios seeds`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.errors import FAILURE, SUCCESS
from chaosops.cli.jobs import BarredPool, jobs_option
from chaosops.env.engine import ENGINE
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.proven_seeds import (
    LEVELS,
    ProvenSeeds,
    ProvenSeedsError,
    ProvenSituation,
    as_text,
    read_seeds,
    shipped_path,
)
from chaosops.files import replace_file, why
from chaosops.output import say
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.problems import shown_path
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.worker_pool import WorkerPool

_WANTED = 12


@click.command(epilog="Example: chaosops scenarios seeds --write proven_seeds.json --jobs 2")
@click.option(
    "--write",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Prove seeds, and write them to this file. What is still current in it is kept.",
)
@click.option(
    "--number",
    metavar="NUMBER",
    type=click.IntRange(1, 1_000),
    default=_WANTED,
    help=f"Seeds of each situation to write; {_WANTED} by default.",
)
@click.option("--all", "afresh", is_flag=True, help="Prove also what is still current.")
@jobs_option
def seeds(write: Path | None, number: int, afresh: bool, jobs: int) -> int:
    """Check or write the proven seeds, which shifts and the daily incident are drawn from.

    A seed of a situation is proven if the expert resolves it and no shortcut scores as much. They
    hold for one engine and for the content of the situation. Without --write, the shipped ones are
    listed and checked, and the exit code is 1 if some are of another engine or content.

    Proving takes about two seconds per seed.
    """
    sources = [source for source in find_scenarios() if source.level in LEVELS]
    if write is None:
        return _check(read_seeds(shipped_path()), sources)
    before = _before(write)
    from chaosops.evaluation.seed_proofs import prove_seeds

    made = dict(before.situations) if before is not None and before.is_current else {}
    here = {source.id for source in sources}
    with WorkerPool(jobs) as pool:
        each = BarredPool("proving", pool)
        found = prove_seeds(sources, number, before=None if afresh else before, each=each)
        for one in found:
            made[one.id] = one
            # After each situation, so that an interrupt loses little.
            _write(write, {name: one for name, one in made.items() if name in here})
            say(_line(one))
    say(f"wrote {shown_path(write)}")
    return SUCCESS


def _write(path: Path, situations: dict[str, ProvenSituation]) -> None:
    try:
        replace_file(path, as_text(ProvenSeeds(ENGINE, situations)))
    except OSError as error:
        reason = f"cannot write {shown_path(path)}: {why(error)}; name another file"
        raise ChaosOpsError(reason) from error


def _before(path: Path) -> ProvenSeeds | None:
    """Return what the file has so far; None if it has nothing that can be read."""
    try:
        return read_seeds(path)
    except ProvenSeedsError:
        return None


def _check(known: ProvenSeeds, sources: list[ScenarioSource]) -> int:
    wrong = [] if known.is_current else [f"they are of engine {known.engine}, this is {ENGINE}"]
    here = {source.id: source for source in sources}
    for one in known.situations.values():
        source = here.get(one.id)
        if source is None:
            wrong.append(f"{one.id}: there is no such incident")
        elif not one.is_of(source):
            wrong.append(f"{one.id}: the incident was changed since")
        elif not one.seeds:
            wrong.append(f"{one.id}: none is proven")
        else:
            say(_line(one))
    wrong += [f"{name}: it is missing" for name in here if name not in known.situations]
    for problem in wrong:
        say(f"FAIL  {problem}; run 'chaosops scenarios seeds --write {shown_path(shipped_path())}'")
    return FAILURE if wrong else SUCCESS


def _line(one: ProvenSituation) -> str:
    noun = "seed" if len(one.seeds) == 1 else "seeds"
    return f"{one.id} ({one.level.value}, {one.topology}): {len(one.seeds)} {noun}"
