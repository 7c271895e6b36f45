"""Options shared by the commands for recordings."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import click

from chaosops.cli.options import Decorated, RoleName, ScenarioName
from chaosops.env.models import AgentRole
from chaosops.recording.folders import default_folder
from chaosops.recording.library import Filter, RecordedOutcome
from chaosops.recording.turn_sources import TurnSource


class Day(click.ParamType[int]):
    """A date, optionally with a time, in local time; its value is milliseconds since 1970."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the given time, or the start of the day."""
        if isinstance(value, int):
            return value
        try:
            return round(datetime.fromisoformat(str(value)).timestamp() * 1000)
        except (ValueError, OverflowError, OSError):
            self.fail(f"'{value}' is not a date: write it as 2026-01-31", param, ctx)


def recordings_option(command: Decorated) -> Decorated:
    """Add `--recordings DIR`; the parameter is `recordings`, None for the default folder."""
    return click.option(
        "--recordings",
        metavar="DIR",
        type=click.Path(file_okay=False, path_type=Path),
        help="The folder with recordings, instead of your data folder.",
    )(command)


def paths_argument(command: Decorated) -> Decorated:
    """Add `[PATH]...`; the parameter is `paths`."""
    return click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))(
        command
    )


def filter_options(command: Decorated) -> Decorated:
    """Add the options that select recordings; the parameter is `where`, a `Filter`."""
    proved = click.option(
        "--verified/--unverified",
        "verified",
        default=None,
        help="Only games that verify, or only those that don't; simulates each one again.",
    )
    return glance_filter_options(proved(command))


def glance_filter_options(command: Decorated) -> Decorated:
    """Add the options that select recordings by what their files say, without `--verified`."""

    @functools.wraps(command)
    def with_filter(
        *args: Any,
        only_scenarios: tuple[str, ...],
        outcomes: tuple[str, ...],
        sources: tuple[str, ...],
        seats: tuple[AgentRole, ...],
        since: int | None,
        until: int | None,
        min_quality: int | None,
        discarded: bool | None,
        verified: bool | None = None,
        **others: Any,
    ) -> Any:
        where = Filter(
            scenarios=only_scenarios,
            outcomes=tuple(RecordedOutcome(name) for name in outcomes),
            sources=tuple(TurnSource(name) for name in sources),
            roles=seats,
            since_ms=since,
            until_ms=until,
            verified=verified,
            min_quality=min_quality,
            submitted=None if discarded is None else not discarded,
        )
        return command(*args, where=where, **others)

    options = (
        click.option(
            "--scenario", "only_scenarios", metavar="ID", multiple=True, type=ScenarioName(),
            help="Only games of this incident. Repeatable.",
        ),
        click.option(
            "--outcome", "outcomes", multiple=True, type=click.Choice(_names(RecordedOutcome)),
            help="Only games with this outcome. Repeatable.",
        ),
        click.option(
            "--source", "sources", multiple=True, type=click.Choice(_names(TurnSource)),
            help="Only games with turns from this source: human, human with a copilot, scripted "
            "policy, llm (a model or another program in a seat), or timeout. Repeatable.",
        ),
        click.option(
            "--role", "seats", metavar="ROLE", multiple=True, type=RoleName(),
            help="Only games with this role; with --source, its turns must be from that source. "
            "Repeatable.",
        ),
        click.option(
            "--since", metavar="DATE", type=Day(), help="Only games started on or after this date."
        ),
        click.option(
            "--until", metavar="DATE", type=Day(), help="Only games started before this date."
        ),
        click.option(
            "--min-quality", metavar="N", type=click.IntRange(1, 5),
            help="Only games rated this or better, from 1 to 5.",
        ),
        click.option(
            "--discarded/--kept", "discarded", default=None,
            help="Only discarded games, or only those that were kept.",
        ),
    )  # fmt: skip
    decorated: Any = with_filter
    for option in reversed(options):
        decorated = option(decorated)
    done: Decorated = decorated
    return done


def places(paths: Sequence[Path], recordings: Path | None) -> list[Path]:
    """Return the given paths, or else the folder of recordings, if it exists."""
    if paths:
        return list(paths)
    folder = default_folder() if recordings is None else recordings
    return [folder] if recordings is not None or folder.is_dir() else []


def _names(kind: type[StrEnum]) -> list[str]:
    return [member.value for member in kind]
