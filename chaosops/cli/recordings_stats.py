"""`chaosops recordings stats`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from chaosops.agents.policies import POLICY_NAMES
from chaosops.cli.bar import over
from chaosops.cli.bars import round_end, share_bar, signed_bar
from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.options import PolicyName, json_option, scenarios_option, tell_new_id
from chaosops.cli.recording_options import (
    filter_options,
    paths_argument,
    places,
    recordings_option,
)
from chaosops.cli.tables import table
from chaosops.datasets.stats import gather
from chaosops.output import columns_of, print_data, say
from chaosops.recording.library import Filter, find, games

Row = dict[str, Any]

_TITLES = {
    "players": "Episodes by player",
    "scenarios": "Episodes by incident and player",
    "process": "Process by player",
    "roles": "Turns by role",
    "decisions": "People's turns by verb",
}


@click.command(epilog="Example: chaosops recordings stats --source human --policy expert")
@paths_argument
@filter_options
@click.option(
    "--policy",
    "policies",
    metavar="POLICY",
    multiple=True,
    type=PolicyName(),
    default=POLICY_NAMES,
    help="A policy to compare people with, such as expert or steady. Repeatable; all built-in ones "
    "by default.",
)
@json_option
@recordings_option
@scenarios_option
def stats(
    paths: tuple[Path, ...],
    where: Filter,
    policies: tuple[str, ...],
    as_json: bool,
    recordings: Path | None,
    folders: tuple[Path, ...],
) -> int:
    """Compare people with policies on the same incidents.

    PATH is a file or a folder; by default, all your recordings count. Each game of a person is
    compared with policies in the person's seats, on the same incident and seed and with the same
    teammates. MTTR is the mean number of turns to resolve, over resolved games. Discarded games
    count only with --discarded, and copies of a game count once. Unreadable files are reported on
    stderr, and the exit code is 1.
    """
    entries = games(find(places(paths, recordings)), where, folders)
    found = gather(
        over(entries, len(entries), "reading"),
        policies=policies,
        folders=folders,
        discarded=where.submitted is False,
    )
    for entry in entries:
        if entry.header is not None:
            tell_new_id(entry.header.scenario, entry.header.current_scenario)
    figures = found.figures()
    if as_json:
        print_data(json.dumps(figures, indent=2))
    else:
        _print(figures)
    for _path, why in found.left_out:
        complain(why)
    for path, why in found.not_compared:
        complain(f"{path} was not compared with policies: {why}")
    return FAILURE if found.left_out else SUCCESS


def _print(figures: Row) -> None:
    width = columns_of(sys.stdout)
    for name, title in _TITLES.items():
        if figures[name]:
            say(f"{title}\n{_table(figures[name], width)}\n")
    if figures["players"]:
        say(f"Comparison\n{_plot(figures['players'], width)}")
    else:
        say("no finished recordings")
    for count, what in (
        (figures["unfinished"], "unfinished"),
        (figures["discarded"], "discarded, not counted"),
        (figures["copies"], "already counted, in another file"),
        (len(figures["left_out"]), "unreadable, not counted"),
    ):
        if count:
            say(f"{count} {what}")


def _table(rows: Sequence[Row], width: int) -> str:
    heading = [name.removesuffix("_ms").replace("_", " ") for name in rows[0]]
    cells = [[_cell(name, value) for name, value in row.items()] for row in rows]
    numbers = [at for at, value in enumerate(rows[0].values()) if not isinstance(value, str)]
    return table([heading, *cells], width, numbers)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name in ("resolved_share", "grounded_share", "coverage"):
        return f"{value:.0%}"
    if name.endswith("_ms"):
        return f"{value / 1000:.1f} s"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _plot(rows: Sequence[Row], width: int) -> str:
    """Draw each player's share of resolved games and mean reward as bars."""
    end = round_end(row["mean_reward"] for row in rows)
    cells = [["", "resolved", "0 to 100%", "reward", f"{-end:g} to {end:g}"]]
    for row in rows:
        share, mean = row["resolved_share"], row["mean_reward"]
        bars = share_bar(share), signed_bar(mean, end)
        cells.append([row["player"], f"{share:.0%}", bars[0], f"{mean:.1f}", bars[1]])
    return table(cells, width, (1, 3))
