"""Changes single values in a TOML text and leaves all else in it as it is, comments too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

Scalar = str | int | bool

_TABLE: Final = re.compile(r"^\s*\[\s*([^\[\]#]+?)\s*\]\s*(#.*)?$")
_OTHER_TABLE: Final = re.compile(r"^\s*\[\[")
_ENTRY: Final = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w-]+(?:\.[\w-]+)*)\s*=\s*(.*)$""")
_SIMPLE: Final = re.compile(r"""^(?:"[^"]*"|'[^']*'|[\w.+-]+)(\s*#.*)?$""")
_LINE: Final = re.compile(r"line (\d+)")


class TomlError(ValueError):
    """A text that is no TOML. `line` counts from 1; 0 where it is not known."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def parsed(text: str) -> dict[str, Any]:
    """The content of a TOML text.

    Raises:
        TomlError: It is none.
    """
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = _LINE.search(str(error))
        message = re.sub(r"\s*\(at [^)]*\)$", "", str(error)) or "it is nested too deep"
        raise TomlError(message, int(found[1]) if found else 0) from None


class LineNumbers:
    """The lines of a TOML text's entries and tables; the text is read once for all of them."""

    def __init__(self, text: str) -> None:
        self._tables: dict[str, int] = {}
        self._entries: dict[tuple[str, str], int] = {}
        current = ""
        for number, line in enumerate(text.splitlines(), 1):
            if header := _TABLE.match(line):
                current = _bare(header[1])
                self._tables.setdefault(current, number)
            elif entry := _ENTRY.match(line):
                key = _bare(entry[1])
                self._entries.setdefault((current, key), number)
                self._entries.setdefault((current, key.partition(".")[0]), number)

    def of(self, table: str, name: str) -> int:
        """The line of an entry, or of its table, counted from 1; 0 where it is not found."""
        return self._entries.get((table, name)) or self._tables.get(table or name, 0)


def edited(text: str, changes: Mapping[tuple[str, str], Scalar | None]) -> str | None:
    """The text with other values at some places, given as table ("" for none) and key.

    Args:
        changes: What the values become; None removes an entry.

    Returns:
        None where the text is written in a way that cannot be edited line by line.
    """
    expected = _changed(parsed(text), changes)
    lines = text.splitlines()
    left = dict(changes)
    kept: list[str] = []
    current = ""
    for line in lines:
        if header := _TABLE.match(line):
            current = _bare(header[1])
        elif _OTHER_TABLE.match(line):
            current = "\0"
        elif entry := _ENTRY.match(line):
            place = (current, _bare(entry[1]))
            if place in left:
                value = left.pop(place)
                if value is not None:
                    simple = _SIMPLE.match(entry[2])
                    comment = simple[1] or "" if simple else ""
                    kept.append(f"{_key(place[1])} = {_value(value)}{comment}")
                continue
        kept.append(line)
    for (table, name), value in left.items():
        if value is not None:
            _insert(kept, table, f"{_key(name)} = {_value(value)}")
    new = "\n".join(kept) + "\n"
    try:
        return new if parsed(new) == expected else None
    except TomlError:
        return None


def written(values: Mapping[tuple[str, str], Scalar]) -> str:
    """A new text with these values, given by table and key."""
    lines: list[str] = []
    for (table, name), value in values.items():
        _insert(lines, table, f"{_key(name)} = {_value(value)}")
    return "\n".join(lines) + "\n"


def _insert(lines: list[str], table: str, entry: str) -> None:
    """Put an entry at the end of its table, which is made where it is missing."""
    current, at = "", 0
    found = not table
    for i, line in enumerate(lines):
        if header := _TABLE.match(line):
            current = _bare(header[1])
            found = found or current == table
        elif _OTHER_TABLE.match(line):
            current = "\0"
        if current == table and line.strip():
            at = i + 1
    if found:
        lines.insert(at, entry)
    else:
        lines += ([""] if lines else []) + [f"[{table}]", entry]


def _changed(
    data: dict[str, Any], changes: Mapping[tuple[str, str], Scalar | None]
) -> dict[str, Any]:
    result = deepcopy(data)
    for (table, name), value in changes.items():
        place = result.get(table) if table else result
        if value is None:
            if isinstance(place, dict):
                place.pop(name, None)
            continue
        if not isinstance(place, dict):
            place = result[table] = {}
        place[name] = value
    return result


def _bare(key: str) -> str:
    key = key.strip()
    return key[1:-1] if len(key) > 1 and key[0] == key[-1] and key[0] in "\"'" else key


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Scalar) -> str:
    """A value in TOML, which writes these as JSON does."""
    return json.dumps(value, ensure_ascii=False)
