"""Writes a new situation file to start from."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

from chaosops.errors import ScenarioError
from chaosops.scenarios.json_schema import SITUATION_SCHEMA_FILE, situation_schema
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.renamed_ids import current_id

_ID = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def write_starter(scenario_id: str, folder: Path) -> Path:
    """Write a commented situation that validates and can be played, with the schema beside it.

    Existing files are never overwritten, and a schema in the parent folder is used.

    Raises:
        ScenarioError: The id is invalid or taken by a built-in incident, the file exists, or the
            folder can't be written.
    """
    if not _ID.fullmatch(scenario_id):
        raise ScenarioError(
            f"'{scenario_id[:60]}' is not an id: start with a lower-case letter, then use "
            "lower-case letters, digits, - and _"
        )
    if any(source.id == scenario_id for source in find_scenarios()):
        raise ScenarioError(f"{scenario_id} is a built-in incident: choose another id")
    if (now := current_id(scenario_id)) != scenario_id:
        raise ScenarioError(f"{scenario_id} is a former id of {now}: choose another id")
    text = resources.files("chaosops.scenarios").joinpath("starter.yaml").read_text("utf-8")
    path = folder / f"{scenario_id}.yaml"
    schema = folder.absolute().parent / SITUATION_SCHEMA_FILE
    place = f"../{SITUATION_SCHEMA_FILE}"
    if not schema.is_file():
        schema, place = folder / SITUATION_SCHEMA_FILE, SITUATION_SCHEMA_FILE
    filled = text.replace("$schema=SCHEMA", f"$schema={place}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(
                filled.replace("id: ID\n", f"id: {scenario_id}\n").replace(
                    "ID-1", f"{scenario_id}-1"
                )
            )
        if not schema.exists():
            schema.write_text(json.dumps(situation_schema(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        if isinstance(error, FileExistsError) and path.exists():
            raise ScenarioError(f"{path} already exists: choose another id") from None
        raise ScenarioError(
            f"cannot write {path}: {error.strerror}; choose a folder with --to"
        ) from error
    return path
