"""Rows laid out: which cell stands where, and in which style. What a row says is its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from chaosops.play.formatting import clock, shown
from chaosops.play.plain_dialect import ON_SCREEN
from chaosops.presenter import Entry, Moment, Weight

Style: TypeAlias = str | Mapping[Weight, str]

Piece: TypeAlias = tuple[str, str]
"""A text and its style."""


class CellPlace(NamedTuple):
    """A place for a cell; a row without that cell skips it.

    Attributes:
        name: Of the cell.
        before, after: What stands around it.
        style: One style, or one for each weight of a row.
        limit: The characters of a text that are shown.
        say: Its words, where they are not those of `ON_SCREEN`.
    """

    name: str
    before: str = ""
    after: str = ""
    style: Style = ""
    limit: int = 2_100
    say: Callable[[Any], str] | None = None


def clock_of(time: Moment) -> str:
    """The time of day, also of what may be days ago."""
    return clock(time.status, time.minute)


def placed(entry: Entry, places: Sequence[CellPlace]) -> Iterator[Piece]:
    """The cells that have a place, in the order of the places."""
    for place in places:
        value = entry.find(place.name)
        if value is None:
            continue
        if place.say is not None:
            said = place.say(value)
        elif type(value) is str:
            said = shown(value, place.limit)
        else:
            said = ON_SCREEN.say(value)
        style = place.style if isinstance(place.style, str) else place.style[entry.weight]
        yield f"{place.before}{said}{place.after}", style


def unplaced(
    entry: Entry, places: Sequence[CellPlace], without: Collection[str] = ()
) -> Iterator[Piece]:
    """The cells that have no place, as a line tells them.

    Args:
        without: Those that are left out, since they are told elsewhere.
    """
    known = {*without, *(place.name for place in places)}
    for cell in entry.cells:
        if cell.name not in known:
            yield shown(ON_SCREEN.joined((cell,))), ""


def words(entry: Entry, places: Sequence[CellPlace], without: Collection[str] = ()) -> str:
    """The cells that have a place, then the others, without styles."""
    pieces = (*placed(entry, places), *unplaced(entry, places, without))
    return "".join(text for text, _style in pieces)
