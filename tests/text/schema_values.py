"""Values that fit a JSON Schema, drawn from it."""

from __future__ import annotations

from random import Random
from typing import Any


def drawn(schema: dict[str, Any], root: dict[str, Any], random: Random) -> Any:
    """A value that fits a schema, as far as the schemas of actions go."""
    if "$ref" in schema:
        return drawn(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, random)
    if "anyOf" in schema:
        return drawn(random.choice(schema["anyOf"]), root, random)
    if "enum" in schema:
        return random.choice(schema["enum"])
    kind = schema["type"]
    kind = random.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        return {
            name: drawn(value, root, random)
            for name, value in schema.get("properties", {}).items()
            if name in schema["required"] or random.random() < 0.5
        }
    if kind == "null":
        return None
    if kind == "integer":
        return random.randint(schema["minimum"], schema["maximum"])
    assert kind == "string"
    return random.choice(["look at db", 'say "when"', "x" * schema.get("maxLength", 5), "é\n{}"])
