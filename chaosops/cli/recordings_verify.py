"""`chaosops recordings verify`."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import click

from chaosops.cli.bar import over
from chaosops.cli.errors import FAILURE, SUCCESS
from chaosops.cli.options import json_option, scenarios_option
from chaosops.cli.recording_options import paths_argument, places, recordings_option
from chaosops.datasets.reasons import counted
from chaosops.output import print_data, say
from chaosops.recording.bulk import verify_many
from chaosops.recording.library import recording_files
from chaosops.recording.verdict import Verdict


@click.command(epilog="Example: chaosops recordings verify ~/recordings --json")
@paths_argument
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, 256),
    help="Maximum number of processes; one per CPU by default.",
)
@json_option
@recordings_option
@scenarios_option
def verify(
    paths: tuple[Path, ...],
    jobs: int | None,
    as_json: bool,
    recordings: Path | None,
    folders: tuple[Path, ...],
) -> int:
    """Verify recordings: simulate each one again and compare every frame.

    PATH is a file or a folder; by default, all your recordings are verified. Each gets a line that
    says "verified", or one of these words with the first turn and field that differ:

    \b
    edited         the file was changed after it was written
    drifted        this version of ChaosOps gives other frames than the one that wrote the file
    other_engine   its frames are from another engine version and can't be compared
    other_version  the scenario, its topology or the format has another version
    no_scenario    the scenario was not found
    damaged        the rest of the file can't be read

    With --json, each line is an object with path, status, turn, field, message, turns (verified),
    finished and warnings. The exit code is 1 if any recording isn't verified.
    """
    files = recording_files(places(paths, recordings))
    counts: Counter[str] = Counter()
    workers = jobs or os.cpu_count() or 1
    for verdict in over(verify_many(files, folders, jobs=workers), len(files), "verifying"):
        counts[verdict.status.value] += 1
        print_data(json.dumps(as_row(verdict))) if as_json else say(_line(verdict))
    if not as_json:
        say(_summary(counts))
    return SUCCESS if counts.total() == counts["verified"] else FAILURE


def as_row(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON values."""
    return verdict._asdict() | {
        "path": str(verdict.path),
        "warnings": list(verdict.warnings),
    }


def _line(verdict: Verdict) -> str:
    unfinished = "" if verdict.finished else ", unfinished"
    if verdict.ok:
        more = "".join(f"; {warning}" for warning in verdict.warnings)
        text = f"{verdict.path}: verified, {verdict.turns} turns{unfinished}{more}"
    else:
        place = "" if verdict.turn is None else f"turn {verdict.turn}: "
        text = f"{verdict.path}: {verdict.status.value}: {place}{verdict.message}"
    return text.replace("\n", " ")


def _summary(counts: Counter[str]) -> str:
    parts = [f"{count} {status}" for status, count in sorted(counts.items(), reverse=True)]
    return f"{counted(counts.total(), 'recordings')}: {', '.join(parts) or 'none'}"
