"""How a screen with a board makes room: folded into tabs, or spread out."""

from __future__ import annotations

from typing import Any, Final

from textual.geometry import Size
from textual.screen import Screen

from tui.widgets.board import Board

GAME_STYLES: Final = tuple(f"../styles/{name}.tcss" for name in ("board", "screens", "debrief"))
"""The style sheets of screens with a board; the app itself loads none of them, to begin fast."""

ROOMY_WIDTH = 100
ROOMY_HEIGHT = 32


def fold_for(screen: Screen[Any], size: Size) -> None:
    """Lay the screen out for a size: below 100 x 32 everything is behind tabs."""
    folded = size.width < ROOMY_WIDTH or size.height < ROOMY_HEIGHT
    screen.set_class(folded, "-folded")
    for board in screen.query(Board):
        board.fold(folded)
