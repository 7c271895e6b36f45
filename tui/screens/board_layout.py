"""How a screen with a board makes room: folded into tabs, or spread out."""

from __future__ import annotations

from typing import Any, Final

from textual.geometry import Size
from textual.screen import Screen

from tui.widgets.panes.board import Board

GAME_STYLES: Final = tuple(f"../../styles/{name}.tcss" for name in ("board", "screens", "debrief"))
"""The style sheets of screens with a board; the app itself loads none of them, to begin fast."""

ROOMY_WIDTH: Final = 100
ROOMY_HEIGHT: Final = 32

_SHORT: Final = 24

BOARD_WIDTH: Final = 120
"""From here on the services beside the picker show no less than over the whole width before."""


def fold_for(screen: Screen[Any], size: Size) -> None:
    """Lay the screen out for a size: below 120 x 32 everything is behind tabs.

    Below 24 lines, what tells least gives way too.
    """
    folded = size.width < BOARD_WIDTH or size.height < ROOMY_HEIGHT
    screen.set_class(folded, "-folded")
    screen.set_class(size.height < _SHORT, "-short")
    for board in screen.query(Board):
        board.fold(folded)
