"""`chaosops resume`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.models import ModelOptions, model_options
from chaosops.cli.options import CopilotName, SeatPolicy, scenarios_option, seat_names
from chaosops.cli.recording_options import recordings_option
from chaosops.env.models import AgentRole


@click.command(epilog="Example: chaosops resume")
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--plain", is_flag=True, help="Play as lines of text, for screen readers and pipes.")
@click.option(
    "--policy",
    "seats",
    metavar="ROLE=POLICY",
    multiple=True,
    type=SeatPolicy(),
    help="Gives the seat of a role to a policy. Repeatable.",
)
@click.option(
    "--copilot",
    metavar="POLICY",
    type=CopilotName(),
    help="Another copilot for your seats, or off for none.",
)
@model_options
@recordings_option
@scenarios_option
def resume(
    file: Path | None,
    plain: bool,
    seats: tuple[tuple[tuple[AgentRole, ...], str], ...],
    copilot: str | None,
    models: ModelOptions,
    recordings: Path | None,
    folders: tuple[Path, ...],
) -> int:
    """Resume an unfinished game.

    FILE is its recording; by default, the unfinished game that was started last. An incomplete
    last line, as a power cut leaves it, is removed and reported.

    If the policy of a seat can't be found here, such as one of a package that was removed, name
    another one with --policy. A seat never gets another policy by itself.
    """
    if any(len(roles) > 1 for roles, _policy in seats):
        raise click.UsageError("name each role whose seat changes, such as --policy dev=expert")
    from chaosops.cli.game import open_resumed

    return open_resumed(
        file,
        folders=folders,
        recordings=recordings,
        plain=plain,
        seats=seat_names(seats),
        copilot=copilot,
        models=models,
    )
