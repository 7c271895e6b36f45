"""Where each pane stands when a board shows all of them at once, without tabs.

It depends only on the room and on what the panes need, never on what was shown before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from textual.geometry import Region, Size

LEAST_WIDTH: Final = 120
"""The narrowest board that is spread out: beside the picker, that of a screen of 160 columns."""
_LEAST_LINES: Final = 5
"""The lowest pane, border included."""
_WIDE: Final = 190
"""The width from which a pane that needs a lot of it shares the first column."""
_BROADEST: Final = 154
"""The width beyond which no pane shows more."""
_FIRST_COLUMN: Final = 0.54
"""The share of the width that the first of two columns takes."""
_BROAD_COLUMN: Final = 0.64
"""The share of a very wide board that its first column takes, with the broad panes."""
_MOST_TOP: Final = 0.62
"""The share of the height that panes over the full width may take."""


class PaneNeeds(NamedTuple):
    """What a pane needs.

    Attributes:
        width: How wide its rows are with all the room, border included; 0 if they wrap.
        lines: How many lines it takes at a width, border included.
        is_talk: It belongs in the last column: what was said, told and found.
    """

    name: str
    width: int
    lines: Callable[[int], int]
    is_talk: bool = False


def spread(size: Size, panes: Sequence[PaneNeeds]) -> dict[str, Region]:
    """Return where each pane stands; empty if there is no room for all of them.

    Args:
        size: Of the board.
        panes: Those that the role sees, the most important first.
    """
    width, height = size
    if width < LEAST_WIDTH or not panes:
        return {}
    broad = [pane for pane in panes if pane.width > width // 2]
    rest = [pane for pane in panes if pane not in broad]
    if width >= _WIDE and broad:
        left = max(width // 2, min(_BROADEST, round(width * _BROAD_COLUMN)))
        columns = _columns(rest, beside=len(broad))
        return {
            **_stacked(Region(0, 0, left, height), [*broad, *columns[0]], fixed=len(broad)),
            **_stacked(Region(left, 0, width - left, height), columns[1]),
        }
    tops = [(pane, pane.lines(width)) for pane in broad]
    top = sum(lines for _pane, lines in tops)
    if top > height * _MOST_TOP:
        return {}
    places = {}
    at = 0
    for pane, lines in tops:
        places[pane.name] = Region(0, at, width, lines)
        at += lines
    columns = _columns(rest)
    left = round(width * _FIRST_COLUMN) if columns[1] else width
    boxes = (Region(0, at, left, height - at), Region(left, at, width - left, height - at))
    for box, column in zip(boxes, columns, strict=True):
        found = _stacked(box, column)
        if column and not found:
            return {}
        places.update(found)
    return places


def _columns(
    panes: Sequence[PaneNeeds], beside: int = 0
) -> tuple[list[PaneNeeds], list[PaneNeeds]]:
    """Split panes into two columns by what they are, so that none moves from turn to turn.

    Args:
        beside: How many panes the first column has already.
    """
    left = [pane for pane in panes if not pane.is_talk]
    right = [pane for pane in panes if pane.is_talk]
    while len(right) > 1 and len(left) + beside < len(right) - 1:
        left.append(right.pop())
    return left, right


def _stacked(box: Region, panes: Sequence[PaneNeeds], fixed: int = 0) -> dict[str, Region]:
    """Return panes one below the other; empty if they are too many.

    Args:
        fixed: How many of the first ones get all the lines that they need.
    """
    needs = [max(_LEAST_LINES, pane.lines(box.width)) for pane in panes]
    kept = needs[:fixed]
    room = box.height - sum(kept)
    if room < _LEAST_LINES * (len(panes) - fixed) or (fixed == len(panes) and room < 0):
        return {}
    heights = [*kept, *shared(room, needs[fixed:])]
    if heights and fixed == len(panes):
        heights[-1] += room
    places = {}
    at = box.y
    for pane, lines in zip(panes, heights, strict=True):
        places[pane.name] = Region(box.x, at, box.width, lines)
        at += lines
    return places


def shared(room: int, needs: Sequence[int]) -> list[int]:
    """Share lines out: nobody gets less than it needs while another has more than it needs.

    Lines that nobody needs go to the lowest ones.
    """
    count = len(needs)
    if not count:
        return []
    heights = [0] * count
    enough = sum(needs) <= room
    if enough:
        heights = list(needs)
    for _line in range(room - sum(heights)):
        short = [at for at in range(count) if enough or heights[at] < needs[at]]
        heights[min(short, key=lambda at: heights[at])] += 1
    return heights
