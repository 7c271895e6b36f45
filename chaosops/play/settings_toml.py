"""The TOML of the settings file: its values, their lines, and edits that keep the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

Scalar = str | int | bool
Place = tuple[str, str]
"""The name of a table, empty for the top level, and a key in it."""

_MARK: Final = "\N{OBJECT REPLACEMENT CHARACTER}"


class TomlError(ValueError):
    """A text that is not valid TOML. `line` counts from 1; 0 if it is unknown."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def parsed(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises:
        TomlError: It is not valid TOML.
    """
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _located(text, error) from None


def lines_of(text: str, places: Iterable[Place]) -> dict[Place, int]:
    """Return the line of each entry, or of its table, counted from 1; 0 if it is not found."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    wanted = list(places)
    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return dict.fromkeys(wanted, 0)
    return {place: _line(document, _item(document, place)) for place in wanted}


def edited(text: str, changes: Mapping[Place, Scalar | None]) -> str | None:
    """Return the text with some values changed; everything else stays, comments too.

    Args:
        changes: The new values; None removes an entry.

    Returns:
        None if the text can't be edited that way.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    expected = parsed(text)
    _change(expected, changes, dict)
    try:
        document = tomlkit.parse(text)
        _change(document, changes, tomlkit.table)
        new = document.as_string()
        return new if parsed(new) == expected else None
    except (TOMLKitError, TomlError):
        return None


def _change(data: Any, changes: Mapping[Place, Scalar | None], table_of: Any) -> None:
    for (table, name), value in changes.items():
        place = data.get(table) if table else data
        if value is None:
            if isinstance(place, MutableMapping):
                place.pop(name, None)
            continue
        if not isinstance(place, MutableMapping):
            data[table] = table_of()
            place = data[table]
        place[name] = value


def _item(document: TOMLDocument, place: Place) -> Any:
    """Return tomlkit's item of an entry, or else its table; None if there is neither."""
    from tomlkit.items import Table

    table, name = place
    within: Any = document.get(table) if table else document
    if hasattr(within, "item") and name in within:
        item = within.item(name)
    elif table in document:
        item = document.item(table)
    else:
        return None
    # A table made by dotted keys has no line; its first entry has.
    while isinstance(item, Table) and item.is_super_table() and len(item):
        item = item.item(next(iter(item)))
    return item


def _line(document: TOMLDocument, item: Any) -> int:
    """Find an item's line by marking its indentation, since tomlkit keeps no positions."""
    from tomlkit.items import AoT, Item

    if isinstance(item, AoT):
        item = item[0]
    if not isinstance(item, Item):
        return 0
    mark = _MARK
    while mark in document.as_string():
        mark += _MARK
    before, item.trivia.indent = item.trivia.indent, mark
    above, found, _below = document.as_string().partition(mark)
    item.trivia.indent = before
    return above.count("\n") + 1 if found else 0


def _located(text: str, error: Exception) -> TomlError:
    """Describe a syntax error with the line that tomlkit stops at; tomllib only has it in prose."""
    import tomlkit
    from tomlkit.exceptions import ParseError, TOMLKitError

    try:
        tomlkit.parse(text)
    except ParseError as found:
        message = str(found).removesuffix(f" at line {found.line} col {found.col}")
        return TomlError(message, found.line)
    except TOMLKitError as found:
        return TomlError(str(found), 0)
    return TomlError(str(error), 0)
