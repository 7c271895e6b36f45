"""The layout of an observation's records in a log: rows, in the order of their columns.

A row is a JSON array. Its columns are part of the schema and are repeated in each log's
header, so that a log can be read without this code.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from chaosops.env.models import RoleView, ServiceSignals, SignalRows
from chaosops.rewards.reward_fn import StepRewardBreakdown


@cache
def view_parts() -> Mapping[str, Any]:
    """Return the parts of a view, which are written by name, with their types."""
    return get_type_hints(RoleView)


@cache
def records() -> Mapping[str, type[tuple[Any, ...]]]:
    """Return the types that are written as rows, by name."""
    found: dict[str, type[tuple[Any, ...]]] = {}
    for kind in (*view_parts().values(), StepRewardBreakdown):
        for record in _records_in(kind):
            found.setdefault(record.__name__, record)
    return dict(sorted(found.items()))


def columns() -> dict[str, tuple[str, ...]]:
    """Return the columns of each record's row."""
    return {name: fields_of(record) for name, record in records().items()}


def fields_of(record: Any) -> tuple[str, ...]:
    """Return the names of a named tuple's fields; empty for anything else."""
    names: tuple[str, ...] = getattr(record, "_fields", ())
    return names


def item_of(kind: Any) -> Any:
    """Return the type of the items of a list; None if the type is no list."""
    if kind is SignalRows:
        return ServiceSignals
    parts = get_args(kind)
    return parts[0] if get_origin(kind) is tuple and parts[1:] == (Ellipsis,) else None


def is_union(kind: Any) -> bool:
    """Whether a type is a union."""
    return get_origin(kind) in (types.UnionType, Union)


def _records_in(kind: Any) -> Iterator[type[tuple[Any, ...]]]:
    if fields_of(kind):
        yield kind
        parts: tuple[Any, ...] = tuple(get_type_hints(kind).values())
    else:
        item = item_of(kind)
        parts = get_args(kind) if item is None else (item,)
    for part in parts:
        yield from _records_in(part)
