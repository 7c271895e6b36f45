"""The history of signals, packed: a minute is written as its changes to the minute before.

A packed minute is an array of changes, each `[row, column, value, column, value, ...]`. A minute
that has none before it, or not the same number of rows, is `{"rows": [...]}`, all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Row = tuple[Any, ...]
Minute = Sequence[Row]

ROWS = "rows"


def pack(minutes: Sequence[Minute], before: Minute | None) -> list[Any]:
    """Pack minutes, each as its difference to the previous one; `before` precedes the first."""
    packed: list[Any] = []
    for minute in minutes:
        if before is None or len(before) != len(minute):
            packed.append({ROWS: minute})
        elif before is minute:
            packed.append(())
        else:
            pairs = enumerate(zip(before, minute, strict=True))
            packed.append([_changes(k, old, new) for k, (old, new) in pairs if old != new])
        before = minute
    return packed


def unpack(packed: Sequence[Any], before: Minute | None) -> Iterator[list[Row | list[Any]]]:
    """Unpack minutes: rows that didn't change are those of `before`, others are new lists.

    Raises:
        ValueError: A minute doesn't fit the previous one.
    """
    rows: list[Row | list[Any]] | None = None if before is None else list(before)
    for minute in packed:
        if isinstance(minute, dict):
            if set(minute) != {ROWS}:
                raise ValueError(f"a whole minute has {ROWS} and nothing else")
            rows = [*_lists(minute[ROWS], "rows")]
        elif rows is None:
            raise ValueError("there is no earlier minute to change")
        else:
            rows = list(rows)
            for index, *cells in _lists(minute, "changes"):
                rows[_index(index, rows)] = _changed(rows[_index(index, rows)], cells)
        yield rows


def _lists(value: object, what: str) -> Sequence[list[Any]]:
    """Return the value if it is a list of non-empty lists."""
    if isinstance(value, list) and all(isinstance(each, list) and each for each in value):
        return value
    raise ValueError(f"the {what} of a minute are a list of lists")


def _changes(index: int, old: Row, new: Row) -> list[Any]:
    change: list[Any] = [index]
    for column in range(len(new)):
        value = new[column]
        if old[column] != value:
            change.append(column)
            change.append(value)
    return change


def _changed(row: Row | list[Any], cells: Sequence[Any]) -> list[Any]:
    new = list(row)
    for column, value in zip(cells[::2], cells[1::2], strict=True):
        new[_index(column, new)] = value
    return new


def _index(value: object, within: Sequence[object]) -> int:
    if type(value) is not int or not 0 <= value < len(within):
        raise ValueError(f"there is no {value!r:.20} among {len(within)} to change")
    return value
