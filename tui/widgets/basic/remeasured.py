"""What every screen of the game has: a layout that measures what has changed since it was due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import messages
from textual.geometry import Offset, Size
from textual.widget import Widget

from tui.widgets.basic.taken_down import QuietWhenTakenDown

if TYPE_CHECKING:
    from textual.screen import Screen

    class _Base(QuietWhenTakenDown, Screen[Any]): ...
else:
    _Base = QuietWhenTakenDown


class Remeasured(_Base):
    """A base of screens, before Textual's own.

    Textual keeps what it measured of a widget until the widget asks for a layout again, and takes
    no second request while the first one waits. A layout that another one caused, such as a resize
    or the end of a screen above, may come in between: what changed after it would keep its old
    size until someone resizes the terminal. So may a look-up of where a widget is.
    """

    async def _on_layout(self, message: messages.Layout) -> None:
        """Forget the measures of a widget whose layout is due; Textual's own handler follows."""
        message.widget._layout_updates += 1

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """The widget at a cell and the place in its text; none if that widget is gone.

        Between the removal of a widget and the next layout Textual still finds it, and a selection
        that begins there looks for its parent.
        """
        widget, offset = super().get_widget_and_offset_at(x, y)
        if widget is not None and widget is not self and widget.parent is None:
            return None, None
        return widget, offset

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay out, and forget the measures of whatever still waits for its own layout."""
        super()._refresh_layout(size, scroll)
        for widget in self.walk_children(Widget):
            if widget._layout_required:
                widget._layout_updates += 1
