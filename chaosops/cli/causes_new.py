"""`chaosops causes new`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.output import say
from chaosops.scenarios.cause_starter import write_cause_starter
from chaosops.scenarios.problems import shown_path


@click.command(epilog="Example: chaosops causes new stale_flag --to ~/incidents")
@click.argument("cause_id", metavar="ID")
@click.option(
    "--to",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    help="Your scenario folder, or a family's folder in it; the current folder by default.",
)
@click.option(
    "--family", metavar="NAME", help="The family; by default the folder's, or else 'own'."
)
def new(cause_id: str, to: Path, family: str | None) -> None:
    """Write a new cause file as a starting point.

    The file is commented, and it validates as it is. It goes to causes/FAMILY/ID.yaml in the
    folder, with the JSON Schema for editors beside 'causes'.
    """
    path = write_cause_starter(cause_id, to, family)
    file = shown_path(path)
    say(f"wrote {file}: edit it, then run 'chaosops causes validate {file}'")
