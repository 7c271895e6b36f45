"""The layout of screens with a board: folded into tabs, side by side, or with all panes in view."""

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

WIDE_WIDTH: Final = 160
"""The width from which panes stand side by side, without tabs."""
_VAST_WIDTH: Final = 200
_TALL: Final = 55


def fold_for(screen: Screen[Any], size: Size) -> None:
    """Lay out the screen for a size: below 120 x 32, everything is behind tabs.

    Below 24 lines, the least important parts are hidden too. From 160 columns, the board shows all
    panes at once where it has the lines; a vast or tall screen gives its other parts more room.
    """
    folded = size.width < BOARD_WIDTH or size.height < ROOMY_HEIGHT
    screen.set_class(folded, "-folded")
    screen.set_class(size.height < _SHORT, "-short")
    screen.set_class(size.width >= WIDE_WIDTH and not folded, "-wide")
    screen.set_class(size.width >= _VAST_WIDTH and not folded, "-vast")
    screen.set_class(size.height >= _TALL and not folded, "-tall")
    for board in screen.query(Board):
        board.fold(folded)
