"""`chaosops play`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.options import (
    PolicyName,
    RoleName,
    ScenarioName,
    Seed,
    load_scenario,
    scenarios_option,
)
from chaosops.env.models import TURN_ORDER, AgentRole


@click.command(epilog="Example: chaosops play memory_leak --role sre --teammates expert --seed 7")
@click.argument("scenario", required=False, type=ScenarioName())
@click.option(
    "--role",
    "roles",
    metavar="ROLE",
    multiple=True,
    type=RoleName(),
    help="A role you play: sre, oversight, dev or manager. Repeatable; sre by default.",
)
@click.option(
    "--teammates",
    metavar="POLICY",
    type=PolicyName(),
    help="Who plays the other roles: random, heuristic, expert (the default), oracle or noop.",
)
@click.option("--seed", metavar="N", type=Seed(), help="Which variant of it; 0 by default.")
@click.option(
    "--recordings",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to keep the recording, instead of your data folder.",
)
@scenarios_option
def play(
    scenario: str | None,
    roles: tuple[AgentRole, ...],
    teammates: str | None,
    seed: int | None,
    recordings: Path | None,
    folders: tuple[Path, ...],
) -> int:
    """Play an incident in the terminal.

    SCENARIO is an id from 'chaosops scenarios list', or the path of a file. Without one, the list
    of incidents opens.
    """
    if scenario is None:
        if roles or teammates is not None or seed is not None:
            raise click.UsageError("--role, --teammates and --seed need a SCENARIO: name one")
        from chaosops.cli.game import open_home

        return open_home(folders=folders, recordings=recordings)
    loaded = load_scenario(scenario, seed or 0, folders)
    from chaosops.cli.game import open_incident

    return open_incident(
        loaded,
        humans=[role for role in TURN_ORDER if role in (roles or (AgentRole.SRE,))],
        teammates=teammates or "expert",
        folders=folders,
        recordings=recordings,
    )
