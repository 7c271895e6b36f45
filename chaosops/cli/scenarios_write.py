"""`chaosops scenarios new` and `schema`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from chaosops.output import print_data, say
from chaosops.scenarios.json_schema import cause_schema, situation_schema
from chaosops.scenarios.problems import shown_path
from chaosops.scenarios.starter import write_starter


@click.command(epilog="Example: chaosops scenarios new slow-mornings --to ~/incidents")
@click.argument("scenario_id", metavar="ID")
@click.option(
    "--to",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    help="The folder for the file; the current one by default.",
)
def new(scenario_id: str, to: Path) -> None:
    """Write a new situation file as a starting point.

    The file is commented, and it validates and plays as it is. The JSON Schema for editors is
    written beside it.
    """
    path = write_starter(scenario_id, to)
    file = shown_path(path)
    say(f"wrote {file}: edit it, then run 'chaosops scenarios validate --prove {file}'")


_SCHEMAS = {"situation": situation_schema, "cause": cause_schema}


@click.command(epilog="Example: chaosops scenarios schema > situation.schema.json")
@click.argument("kind", type=click.Choice(list(_SCHEMAS)), default="situation")
def schema(kind: str) -> None:
    """Print the JSON Schema of situation (the default) or cause files."""
    print_data(json.dumps(_SCHEMAS[kind](), indent=2))
