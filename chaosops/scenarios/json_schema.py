"""The JSON Schema of scenario files, for completion and checks in editors."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from chaosops.scenarios.cause import Cause
from chaosops.scenarios.schema import Incident, Templates
from chaosops.scenarios.situation import Situation
from chaosops.scenarios.templates import LITERAL_KEYS

INCIDENT_SCHEMA_FILE = "incident.schema.json"
"""The file name of the schema in the files' editor comment."""

SITUATION_SCHEMA_FILE = "situation.schema.json"
CAUSE_SCHEMA_FILE = "cause.schema.json"

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

_VARIABLE = {
    "description": "A variable in braces, filled in from `variables` or `variants`.",
    "pattern": r"^\{[a-z][a-z0-9_-]{0,39}\}$",
    "type": "string",
}
_TEMPLATED = {"type": "string", "pattern": r"\{"}


def incident_schema() -> dict[str, Any]:
    """Return the schema of an incident file, whose values can be variables."""
    schema = TypeAdapter(Incident).json_schema()
    templates = TypeAdapter(Templates).json_schema()
    definitions = {
        name: _with_variables(part) for name, part in schema.pop("$defs", {}).items()
    } | templates.pop("$defs", {})
    properties = {
        name: part if name in LITERAL_KEYS else _with_variables(part)
        for name, part in schema["properties"].items()
    }
    return {
        "$schema": _DIALECT,
        **schema,
        "title": "A ChaosOps incident",
        "properties": properties | templates["properties"],
        "$defs": definitions,
    }


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


def _with_variables(node: Any) -> Any:
    """Return the same schema, with variables allowed for values of their kind."""
    if isinstance(node, list):
        return [_with_variables(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") in ("integer", "number", "boolean"):
        return {"anyOf": [node, _VARIABLE]}
    if "enum" in node or "pattern" in node:
        return {"anyOf": [node, _TEMPLATED]}
    return {
        key: {name: _with_variables(part) for name, part in value.items()}
        if key == "properties"
        else _with_variables(value)
        if key in ("items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties")
        else value
        for key, value in node.items()
    }
