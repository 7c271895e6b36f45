"""Lays the cells of a row out: in which order, in which style, and with which text around them."""

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
    """The place of a cell in a layout; rows without that cell skip it.

    Attributes:
        name: The name of the cell.
        before, after: The text around the cell.
        style: A style, or one for each weight of a row.
        limit: The longest text that is not cut, in characters.
        say: Words the value, by default in the dialect `ON_SCREEN`.
    """

    name: str
    before: str = ""
    after: str = ""
    style: Style = ""
    limit: int = 2_100
    say: Callable[[Any], str] | None = None


def clock_of(time: Moment) -> str:
    """Format the time of day, even of what may be days ago."""
    return clock(time.status, time.minute)


def placed(entry: Entry, places: Sequence[CellPlace]) -> Iterator[Piece]:
    """Yield the cells that have a place, in the order of the places."""
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
    """Yield the cells that have no place, as a line of text has them.

    Args:
        without: The names of cells to leave out.
    """
    known = {*without, *(place.name for place in places)}
    for cell in entry.cells:
        if cell.name not in known:
            yield shown(ON_SCREEN.joined((cell,))), ""


def words(entry: Entry, places: Sequence[CellPlace], without: Collection[str] = ()) -> str:
    """Join the cells that have a place, then the others, without their styles."""
    pieces = (*placed(entry, places), *unplaced(entry, places, without))
    return "".join(text for text, _style in pieces)
