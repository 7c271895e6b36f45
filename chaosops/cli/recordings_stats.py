"""`chaosops recordings stats`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.bar import Bar
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from chaosops.agents.policies import POLICY_NAMES
from chaosops.cli.bar import over
from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.options import PolicyName, json_option, scenarios_option
from chaosops.cli.recording_options import (
    filter_options,
    paths_argument,
    places,
    recordings_option,
)
from chaosops.recording.stats import gather
from chaosops.recording.store import Filter, find, games

Row = dict[str, Any]

_BAR = 20
_TITLES = {
    "players": "Episodes by player",
    "scenarios": "Episodes by incident and player",
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
    help="A policy to set beside people: random, heuristic, expert, oracle or noop. Repeatable; "
    "all of them by default.",
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

    PATH is a file or a folder; without one, all your recordings count. Beside people stands what
    comes of the same incident, seed and teammates when a policy takes the people's seats. MTTR is
    the mean of turns to resolve, of what was resolved. Discarded games count only with --discarded,
    and copies of one game once. Files that cannot be read are named on stderr, and the exit code
    is 1.
    """
    entries = games(find(places(paths, recordings)), where, folders)
    found = gather(
        over(entries, len(entries), "reading"),
        policies=policies,
        folders=folders,
        discarded=where.submitted is False,
    )
    figures = found.figures()
    if as_json:
        click.echo(json.dumps(figures, indent=2))
    else:
        _print(figures)
    for _path, why in found.left_out:
        complain(why)
    for path, why in found.not_compared:
        complain(f"no policy was set beside {path}: {why}")
    return FAILURE if found.left_out else SUCCESS


def _print(figures: Row) -> None:
    console = Console(markup=False, highlight=False)
    for name, title in _TITLES.items():
        if figures[name]:
            console.print(_table(title, figures[name]))
    if figures["players"]:
        console.print(_plot(figures["players"]))
    else:
        console.print("no finished recordings")
    for count, what in (
        (figures["unfinished"], "not finished"),
        (figures["discarded"], "discarded, and not counted"),
        (figures["copies"], "counted already, in another file"),
        (len(figures["left_out"]), "cannot be read, and not counted"),
    ):
        if count:
            console.print(f"{count} {what}")


def _table(title: str, rows: Sequence[Row]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for name, value in rows[0].items():
        is_text = isinstance(value, str)
        heading = name.removesuffix("_ms").replace("_", " ")
        table.add_column(Text(heading), justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*(Text(_cell(name, value)) for name, value in row.items()))
    return table


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name == "resolved_share":
        return f"{value:.0%}"
    if name.endswith("_ms"):
        return f"{value / 1000:.1f} s"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _plot(rows: Sequence[Row]) -> Table:
    table = Table(title=Text("Side by side"), title_justify="left", box=None)
    table.add_column(no_wrap=True)
    table.add_column(Text("resolved"), width=_BAR)
    table.add_column()
    table.add_column(Text("mean reward"), width=_BAR)
    table.add_column()
    rewards = [row["mean_reward"] for row in rows]
    low, high = min(0.0, *rewards), max(0.0, *rewards)
    for row in rows:
        mean = row["mean_reward"]
        table.add_row(
            Text(row["player"]),
            _bar(1.0, 0.0, row["resolved_share"]),
            Text(f"{row['resolved_share']:.0%}"),
            _bar(
                high - low, min(0.0, row["mean_reward"]) - low, max(0.0, row["mean_reward"]) - low
            ),
            Text(f"{mean:.1f}"),
        )
    return table


def _bar(size: float, begin: float, end: float) -> RenderableType:
    return Bar(size, begin, end, width=_BAR) if size and end > begin else Text("")
