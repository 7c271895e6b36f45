"""Reads plain data of any shape: what is there and well formed, with its path.

So a file with a mistake in one place is still checked everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from chaosops.scenarios.problems import FieldPath

M = TypeVar("M", bound=BaseModel)


def select(data: Any, pattern: str) -> Iterator[tuple[FieldPath, Any]]:
    """Yield every value at a path such as `services.*.name`; a star is each item of a list."""
    found: list[tuple[FieldPath, Any]] = [((), data)]
    for part in pattern.split("."):
        if part == "*":
            found = [
                ((*path, i), item)
                for path, node in found
                if isinstance(node, list)
                for i, item in enumerate(node)
            ]
        else:
            found = [
                ((*path, part), node[part])
                for path, node in found
                if isinstance(node, dict) and part in node
            ]
        if not found:
            break
    return iter(found)


def get(node: Any, key: str) -> Any:
    """Return the value of a key; None if there is none, or if the data is not a mapping."""
    return node.get(key) if isinstance(node, dict) else None


def names(data: Any, pattern: str) -> tuple[str, ...]:
    """Return every text at a path."""
    return tuple(name for _, name in select(data, pattern) if isinstance(name, str))


def parts(data: Any, pattern: str, model: type[M]) -> list[tuple[FieldPath, M]]:
    """Yield every well-formed part at a path, as its model."""
    found = []
    for path, item in select(data, pattern):
        try:
            found.append((path, model.model_validate(item)))
        except ValidationError:
            continue
    return found
