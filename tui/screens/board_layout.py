"""The layout of screens with a board: folded into tabs, or side by side."""

from __future__ import annotations

from typing import Any, Final

from textual.geometry import Size
from textual.screen import Screen

from tui.widgets.panes.board import Board

GAME_STYLES: Final = tuple(f"../../styles/{name}.tcss" for name in ("board", "screens", "debrief"))
"""The style sheets of screens with a board, which the app doesn't load, to start fast."""

ROOMY_WIDTH: Final = 100
ROOMY_HEIGHT: Final = 32

_SHORT: Final = 24

BOARD_WIDTH: Final = 120
"""The width from which the services beside the picker show as much as over the full width."""


def fold_for(screen: Screen[Any], size: Size) -> None:
    """Lay out the screen for a size: below 120 x 32, everything is behind tabs.

    Below 24 lines, the least important parts are hidden too.
    """
    folded = size.width < BOARD_WIDTH or size.height < ROOMY_HEIGHT
    screen.set_class(folded, "-folded")
    screen.set_class(size.height < _SHORT, "-short")
    for board in screen.query(Board):
        board.fold(folded)
