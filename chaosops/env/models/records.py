"""The base of an episode's values: dumping, copying and validating them by field."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Self, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Mode = Literal["python", "json"]


class Record:
    """A named tuple or a frozen dataclass with pydantic's methods.

    It is deeply immutable, so copying it returns itself.
    """

    __slots__ = ()

    def _parts(self) -> Mapping[str, Any]:
        """Return the fields by name."""
        kind: Any = type(self)
        return {name: getattr(self, name) for name in _names(kind)}

    def model_dump(
        self,
        *,
        mode: Mode = "python",
        include: Set[str] | None = None,
        exclude: Set[str] | None = None,
        exclude_none: bool = False,
    ) -> dict[str, Any]:
        """Return its fields as a dictionary, nested records included.

        Args:
            mode: `json` gives lists instead of tuples, and text instead of enumeration members.
            include, exclude: Names of fields of this record; by default all and none.
            exclude_none: Whether to leave out fields that are None, in nested records too.
        """
        return {
            name: _plain(value, mode, exclude_none=exclude_none)
            for name, value in self._parts().items()
            if (include is None or name in include)
            and (exclude is None or name not in exclude)
            and not (exclude_none and value is None)
        }

    def model_dump_json(
        self,
        *,
        indent: int | None = None,
        include: Set[str] | None = None,
        exclude: Set[str] | None = None,
        exclude_none: bool = False,
    ) -> str:
        """Return the same as JSON text."""
        values = self.model_dump(
            mode="json", include=include, exclude=exclude, exclude_none=exclude_none
        )
        separators = (",", ":") if indent is None else None
        return json.dumps(
            values, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a record with other values in some fields, which are not checked.

        `deep` makes no difference, since records are immutable.

        Raises:
            ValueError: There is no such field.
        """
        kind: Any = type(self)
        unknown = sorted(set(update or ()) - set(_names(kind)))
        if unknown:
            raise ValueError(f"{kind.__name__} has no field '{unknown[0]}'")
        if not update:
            return self
        made: Any = self
        if isinstance(self, tuple):
            made = made._replace(**update)
        else:
            made = dataclasses.replace(made, **update)
        return cast("Self", made)

    @classmethod
    def model_validate(cls, value: object) -> Self:
        """Make a record from what `model_dump` returned, in either mode; keep a record as it is.

        Raises:
            pydantic.ValidationError: A value is missing or has the wrong type. It is a
                ValueError.
        """
        if isinstance(value, cls):
            return value
        kind: Any = cls
        made: Self = _adapter(kind).validate_python(value)
        return made

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> Self:
        """Make a record from what `model_dump_json` returned; see `model_validate`."""
        kind: Any = cls
        made: Self = _adapter(kind).validate_json(text)
        return made

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


def dataclass_fields_of(record: type[tuple[Any, ...]]) -> dict[str, dataclasses.Field[Any]]:
    """Return what a named tuple needs for `dataclasses.asdict`, `fields` and `replace`."""
    made = dataclasses.make_dataclass(record.__name__, record.__annotations__.items())
    return {item.name: item for item in dataclasses.fields(made)}


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    if issubclass(kind, tuple):
        names: tuple[str, ...] = getattr(kind, "_fields", ())
        return names
    return tuple(item.name for item in dataclasses.fields(kind))


def _plain(value: Any, mode: Mode, *, exclude_none: bool) -> Any:
    if isinstance(value, Record):
        return value.model_dump(mode=mode, exclude_none=exclude_none)
    if isinstance(value, Enum):
        return value if mode == "python" else value.value
    if isinstance(value, Mapping):
        pairs: Iterator[tuple[Any, Any]] = iter(value.items())
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = zip(_names(type(value)), value, strict=True)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        items = [_plain(item, mode, exclude_none=exclude_none) for item in value]
        return items if mode == "json" else tuple(items)
    else:
        return value
    return {
        key: _plain(item, mode, exclude_none=exclude_none)
        for key, item in pairs
        if not (exclude_none and item is None)
    }
