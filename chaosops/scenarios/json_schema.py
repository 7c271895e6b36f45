"""The JSON Schemas of scenario files, for completion and checks in editors."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from chaosops.scenarios.cause import Cause
from chaosops.scenarios.situation import Situation

SITUATION_SCHEMA_FILE = "situation.schema.json"
"""The file name of the schema in the files' editor comment."""

CAUSE_SCHEMA_FILE = "cause.schema.json"

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def situation_schema() -> dict[str, Any]:
    """Return the schema of a situation file."""
    return {
        "$schema": _DIALECT,
        **TypeAdapter(Situation).json_schema(),
        "title": "A ChaosOps situation",
    }


def cause_schema() -> dict[str, Any]:
    """Return the schema of a cause file."""
    return {"$schema": _DIALECT, **TypeAdapter(Cause).json_schema(), "title": "A ChaosOps cause"}
