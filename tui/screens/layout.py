"""How a screen with a board makes room: folded into tabs, or spread out."""

from __future__ import annotations

from typing import Any

from textual.geometry import Size
from textual.screen import Screen

from tui.widgets.board import Board

ROOMY_WIDTH = 100
ROOMY_HEIGHT = 32


def fold_for(screen: Screen[Any], size: Size) -> None:
    """Lay the screen out for a size: below 100 x 32 everything is behind tabs."""
    folded = size.width < ROOMY_WIDTH or size.height < ROOMY_HEIGHT
    screen.set_class(folded, "-folded")
    for board in screen.query(Board):
        board.fold(folded)
