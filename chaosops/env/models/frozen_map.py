"""The arguments of an action: an immutable mapping from text to JSON values."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chaosops.text_safety import clean

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

MAX_TEXT = 2_000
"""The longest message a role may send, in characters."""

_MAX_KEPT_TEXT = MAX_TEXT + 1

MAX_KEPT = 4 * MAX_TEXT
"""The most that is kept of an action's arguments, in characters and values."""

MALFORMED = "malformed"
"""The key under which arguments that are not a mapping are kept."""

_MAX_DEPTH = 4
_MAX_ITEMS = 64


class FrozenMap(Mapping[str, Any]):
    """An immutable, hashable mapping of text keys to JSON values.

    Anything that is not a JSON value is replaced by the name of its type in angle brackets, so
    that every action can be kept and written down, however broken it is. Text is cleaned (see
    `chaosops.text_safety`) and cut one character past `MAX_TEXT`, lists become tuples. Of more
    than `MAX_KEPT` characters and values in all, nothing is kept.
    """

    __slots__ = ("_items",)

    _items: Mapping[str, Any]

    def __init__(self, items: object = None) -> None:
        """Freeze a dictionary or another frozen map; anything else gives an empty map."""
        kept = _freeze_items(pairs_of(items) or [], _MAX_DEPTH)
        self._fill(kept if _weight(kept) <= MAX_KEPT else {MALFORMED: "<too much>"})

    def _fill(self, items: dict[str, Any]) -> None:
        object.__setattr__(self, "_items", MappingProxyType(items))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value or the default, like `Mapping.get` but without raising internally."""
        return self._items.get(key, default)

    def items(self) -> ItemsView[str, Any]:
        """Return the items."""
        return self._items.items()

    def values(self) -> ValuesView[Any]:
        """Return the values."""
        return self._items.values()

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._items == other._items
        if isinstance(other, Mapping):
            return self._items == FrozenMap(other)._items
        return NotImplemented

    def __repr__(self) -> str:
        return f"FrozenMap({dict(self._items)!r})"

    def __reduce__(self) -> tuple[type[FrozenMap], tuple[dict[str, Any]]]:
        return FrozenMap, (dict(self._items),)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            cls, core_schema.dict_schema(keys_schema=core_schema.str_schema())
        )


def type_name(value: object) -> str:
    """Return a value's type name in angle brackets, which replaces values that can't be kept."""
    return f"<{type(value).__name__}>"


def pairs_of(value: object) -> list[tuple[Any, Any]] | None:
    """Return the items of a mapping, ignoring what a subclass overrides."""
    if isinstance(value, dict):
        return list(dict.items(value))
    return list(value.items()) if isinstance(value, FrozenMap) else None


def _freeze_items(pairs: list[tuple[Any, Any]], depth: int) -> dict[str, Any]:
    return {plain(key)[:80]: _freeze(value, depth - 1) for key, value in pairs[:_MAX_ITEMS]}


def _weight(value: Any) -> int:
    """Count the characters and values in a frozen value."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, (dict, FrozenMap)):
        return 1 + sum(len(key) + _weight(inner) for key, inner in value.items())
    if isinstance(value, tuple):
        return 1 + sum(map(_weight, value))
    return 1


def _freeze(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return plain(value)[:_MAX_KEPT_TEXT]
    if isinstance(value, int):
        whole = int.__add__(value, 0)
        return whole if -(2**53) < whole < 2**53 else type_name(value)
    if isinstance(value, float):
        number = float.__add__(value, 0.0)
        return number if -1e15 < number < 1e15 else type_name(value)
    pairs = pairs_of(value) if depth else None
    if pairs is not None:
        made = FrozenMap()
        made._fill(_freeze_items(pairs, depth))
        return made
    if depth and isinstance(value, list):
        return tuple(_freeze(item, depth - 1) for item in list.__iter__(value))[:_MAX_ITEMS]
    if depth and isinstance(value, tuple):
        return tuple(_freeze(item, depth - 1) for item in tuple.__iter__(value))[:_MAX_ITEMS]
    return type_name(value)


EMPTY = FrozenMap()
"""No arguments."""


def plain(value: object) -> str:
    """Return a string as a plain `str`, since a subclass may override anything."""
    return clean(str.__str__(value)) if isinstance(value, str) else type_name(value)
