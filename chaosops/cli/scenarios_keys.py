"""Every key of cause and situation files, as the guide to causes has it: made from the models."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from chaosops.env.injection import own_parameters
from chaosops.env.physics import registry
from chaosops.env.physics.component import Component
from chaosops.scenarios import agent_policies, cause, schema, situation
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_parameters import MEANINGS
from chaosops.scenarios.situation import Situation

_ELSEWHERE: Final = "see [physics.md](physics.md)"

_MOST_LISTED: Final = 14
"""Longer lists of values are in the schemas and in the guide to incidents."""

_ATTRIBUTE: Final = re.compile(r"^ {4}([a-z_]+(?:, [a-z_]+)*): (.*)$")


def keys() -> str:
    """Return the tables of all keys, then that of components and their parameters, in Markdown."""
    parts = []
    done: set[str] = set()
    for model in (Cause, Situation):
        whole = TypeAdapter(model).json_schema()
        models = {model.__name__: whole, **whole.get("$defs", {})}
        for name, node in models.items():
            if "properties" in node and name not in done:
                done.add(name)
                parts.append(_model(name, node, models))
    return "\n\n".join([*parts, _components()])


def described(name: str) -> Mapping[str, str]:
    """Return what the docstring of a model says of each of its fields."""
    found: dict[str, str] = {}
    last: tuple[str, ...] = ()
    for line in (inspect.getdoc(_models()[name]) or "").splitlines():
        if match := _ATTRIBUTE.match(line):
            last = tuple(match[1].split(", "))
            found.update(dict.fromkeys(last, match[2]))
        elif last and line.startswith("     "):
            found.update({field: f"{found[field]} {line.strip()}" for field in last})
        else:
            last = ()
    return found


def _models() -> dict[str, type[BaseModel]]:
    return {
        name: value
        for module in (schema, cause, situation, agent_policies)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, BaseModel)
    }


def _model(name: str, node: Mapping[str, Any], models: Mapping[str, Any]) -> str:
    summary = (inspect.getdoc(_models()[name]) or "").splitlines()[0]
    says = described(name)
    required = node.get("required", ())
    rows = [
        f"| `{field}`{'' if field in required else ' (optional)'} | {_value(part, models)} "
        f"| {says.get(field, '')} |"
        for field, part in node["properties"].items()
    ]
    return "\n".join([f"### {name}", "", summary, "", *_HEAD, *rows])


_HEAD: Final = ("| key | value | meaning |", "| --- | --- | --- |")


def _value(node: Mapping[str, Any], models: Mapping[str, Any]) -> str:
    """Return in words what a value may be."""
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[1]
        return _named(name, models[name])
    if "allOf" in node:
        return _value(node["allOf"][0], models)
    if "anyOf" in node or "oneOf" in node:
        every = node.get("anyOf") or node["oneOf"]
        kinds = [_value(part, models) for part in every if part.get("type") != "null"]
        return " or ".join(kinds)
    if "enum" in node:
        return _members(node)
    if "const" in node:
        return _listed([node["const"]])
    kind = node.get("type")
    if kind == "array":
        if "prefixItems" in node:
            return f"[{', '.join(_value(part, models) for part in node['prefixItems'])}]"
        return f"list of {_value(node['items'], models)}"
    if kind == "object":
        return "arguments by name"
    if kind in ("integer", "number"):
        return _number(kind, node)
    if kind == "boolean":
        return "true or false"
    return "a name" if "pattern" in node else "text"


def _named(name: str, node: Mapping[str, Any]) -> str:
    if "enum" in node:
        return _members({"title": name, **node})
    return f"[{name}](#{name.lower()})"


def _members(node: Mapping[str, Any]) -> str:
    known = node["enum"]
    return _listed(known) if len(known) <= _MOST_LISTED else f"a `{node['title']}`"


def _listed(values: list[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _number(kind: str, node: Mapping[str, Any]) -> str:
    words = "whole number" if kind == "integer" else "number"
    low = node.get("minimum", node.get("exclusiveMinimum"))
    high = node.get("maximum", node.get("exclusiveMaximum"))
    if low is None and high is None:
        return words
    above = "above" if "exclusiveMinimum" in node else "from"
    bounds = [f"{above} {low:g}"] if low is not None else []
    return " ".join([words, *bounds, *([f"to {high:g}"] if high is not None else [])])


def _components() -> str:
    rows = [
        f"| `{name}` | `{parameter}` | {MEANINGS.get(name, {}).get(parameter, _ELSEWHERE)} |"
        for name, own in _targets()
        for parameter in own
    ]
    head = ("| `part` | `parameter` | meaning |", "| --- | --- | --- |")
    return "\n".join(["### Parts and their parameters", "", *head, *rows])


def _targets() -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from own_parameters().items()
    known = vars(registry).values()
    found = {each for each in known if isinstance(each, type) and issubclass(each, Component)}
    for component in sorted(found, key=lambda each: each.name):
        if component.parameters:
            yield component.name, component.parameters
