"""Writes a new cause file to start from."""

from __future__ import annotations

import json
import os
import re
from importlib import resources
from pathlib import Path

from chaosops.env.models import FailureType
from chaosops.errors import ScenarioError
from chaosops.scenarios.cause_files import as_read
from chaosops.scenarios.folders import CAUSES, cause_files
from chaosops.scenarios.json_schema import CAUSE_SCHEMA_FILE, cause_schema
from chaosops.scenarios.problems import shown, shown_path

OWN_FAMILY = "own"
"""The family of a new cause if none is named."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def write_cause_starter(cause_id: str, folder: Path, family: str | None = None) -> Path:
    """Write a commented cause that validates, with the schema in its scenario folder.

    Existing files are never overwritten.

    Args:
        folder: A scenario folder, its folder of causes, or the folder of a family in that.
        family: By default the one whose folder it is, or else `OWN_FAMILY`.

    Raises:
        ScenarioError: A name is invalid or taken, the file exists, or the folder can't be written.
    """
    home, inside = _placed(folder)
    family = family or inside or OWN_FAMILY
    for name, kind in ((cause_id, "an id"), (family, "the name of a family")):
        if not _NAME.fullmatch(name):
            raise ScenarioError(
                f"'{shown(name)}' is not {kind}: start with a lower-case letter, then use up to "
                "39 lower-case letters, digits, - and _"
            )
    if inside and family != inside:
        raise ScenarioError(
            f"{shown_path(folder)} is the folder of the family {shown(inside)}: leave out --family"
        )
    taken = cause_files([home]).get(cause_id)
    if taken is not None:
        raise ScenarioError(f"{shown_path(taken)} has the id {cause_id}: choose another id")
    if as_read(cause_id) in {as_read(kind) for kind in FailureType}:
        raise ScenarioError(
            f"{cause_id} reads like a built-in failure type: choose another id, and name the "
            "type in the file under 'failure_type' if you mean it"
        )
    path = home / CAUSES / family / f"{cause_id}.yaml"
    text = resources.files("chaosops.scenarios").joinpath("cause_starter.yaml").read_text("utf-8")
    filled = text.replace("id: ID\n", f"id: {cause_id}\n").replace("FAMILY", family)
    schema = home / CAUSE_SCHEMA_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(filled)
        if not os.path.lexists(schema):
            schema.write_text(json.dumps(cause_schema(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        if isinstance(error, FileExistsError) and os.path.lexists(path):
            raise ScenarioError(f"{shown_path(path)} already exists: choose another id") from None
        raise ScenarioError(
            f"cannot write {shown_path(path)}: {error.strerror}; choose a folder with --to"
        ) from error
    return path


def _placed(folder: Path) -> tuple[Path, str]:
    """Return the scenario folder, and the family whose folder it is; empty for none."""
    whole = folder.absolute()
    if whole.parent.name == CAUSES:
        return folder.parent.parent, whole.name
    return (folder.parent, "") if whole.name == CAUSES else (folder, "")
