"""The signals of a minute: rows that frames share, pack, or cut down to what a role sees.

A minute has a dozen rows, and a frame keeps half an hour of them, so they are not kept as such: a
service takes some 28 bytes in `PackedRows`, and what a role sees of them nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, Self, overload

from chaosops.env.models.roles import AgentRole
from chaosops.env.models.services import Health
from chaosops.env.models.signals import SIGNALS, ServiceSignals, SignalFormat

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

STEPS: Final = 10_000
"""Shares are packed as whole steps of this part, since they have four decimals."""

MOST: Final = 2**31 - 1
"""The largest number that is packed."""

SHARES: Final = tuple(k for k, spec in enumerate(SIGNALS, 2) if spec.format is SignalFormat.SHARE)
"""The places of shares in a row."""

_CODES: Final = {SignalFormat.SHARE: "h", SignalFormat.PERCENT: "b"}
ROW: Final = "b" + "".join(_CODES.get(spec.format, "i") for spec in SIGNALS)
"""A packed row: the health as its place in `HEALTHS`, then the signals; -1 stands for None."""

HEALTHS: Final = tuple(Health)
_ROW: Final = Struct(f"<{ROW}")
_set: Final = object.__setattr__


class SignalRows(Sequence[ServiceSignals]):
    """The signals of each service in one minute, in the topology's order.

    It is immutable, and equal to the tuple of its rows. A row may be made when it is read.
    """

    __slots__ = ("_rows",)

    _rows: tuple[ServiceSignals, ...]

    def __init__(self, rows: Iterable[ServiceSignals]) -> None:
        """Keep rows as they are."""
        _set(self, "_rows", tuple(rows))

    def row(self, place: int) -> ServiceSignals:
        """Return the signals of the service at a place, which is not negative."""
        return self._rows[place]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"signals cannot change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"signals cannot change: {name}")

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ServiceSignals]:
        for place in range(len(self)):
            yield self.row(place)

    @overload
    def __getitem__(self, place: int) -> ServiceSignals: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ServiceSignals, ...]: ...
    def __getitem__(self, place: int | slice) -> ServiceSignals | tuple[ServiceSignals, ...]:
        places = range(len(self))[place]
        return self.row(places) if isinstance(places, int) else tuple(map(self.row, places))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SignalRows | tuple):
            return NotImplemented
        return self is other or tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"SignalRows({tuple(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return SignalRows, (self._rows,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> tuple[ServiceSignals, ...]:
        # `dataclasses.asdict` makes plain values of a frame, and copies what it doesn't know.
        return tuple(self)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        rows = handler.generate_schema(tuple[ServiceSignals, ...])
        read = core_schema.no_info_after_validator_function(SignalRows, rows)
        kept = core_schema.is_instance_schema(SignalRows)
        return core_schema.json_or_python_schema(
            json_schema=read, python_schema=core_schema.union_schema([kept, read])
        )


class PackedRows(SignalRows):
    """Rows that are kept as numbers; `names` are those of the services."""

    __slots__ = ("_data", "_names")

    _data: bytes
    _names: tuple[str, ...]

    def __init__(self, names: tuple[str, ...], data: bytes) -> None:
        """Take what `SignalPacker` in `chaosops.env.new_records` made of rows."""
        _set(self, "_names", names)
        _set(self, "_data", data)

    def row(self, place: int) -> ServiceSignals:
        """Return the signals of the service at a place, which is not negative."""
        health, *values = _ROW.unpack_from(self._data, place * _ROW.size)
        row: list[Any] = [self._names[place], HEALTHS[health]]
        row += [None if value < 0 else value for value in values]
        for k in SHARES:
            row[k] /= STEPS
        return ServiceSignals(*row)

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedRows):
            return self._data == other._data and self._names == other._names
        return SignalRows.__eq__(self, other)

    __hash__ = SignalRows.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedRows, (self._names, self._data)


class RoleCut:
    """What a role sees of a minute: some services, and some signals of each.

    Attributes:
        services: The places of the services.
        signals: The places of the fields.
    """

    __slots__ = ("services", "signals")

    def __init__(self, role: AgentRole, services: tuple[int, ...]) -> None:
        seen = {spec.field for spec in SIGNALS if role in spec.seen_by} | {"service", "health"}
        self.services = services
        self.signals = tuple(k for k, name in enumerate(ServiceSignals._fields) if name in seen)


class SeenRows(SignalRows):
    """What a role sees of a minute; the other signals are None."""

    __slots__ = ("_cut", "_whole")

    _cut: RoleCut
    _whole: SignalRows

    def __init__(self, whole: SignalRows, cut: RoleCut) -> None:
        """Share the rows of a whole minute."""
        _set(self, "_whole", whole)
        _set(self, "_cut", cut)

    def row(self, place: int) -> ServiceSignals:
        """Return the signals of the service at a place, which is not negative."""
        whole = self._whole.row(self._cut.services[place])
        row: list[Any] = [None] * len(whole)
        for k in self._cut.signals:
            row[k] = whole[k]
        return ServiceSignals(*row)

    def __len__(self) -> int:
        return len(self._cut.services)

    def __reduce__(self) -> tuple[Any, ...]:
        return SeenRows, (self._whole, self._cut)
