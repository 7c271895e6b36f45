"""A base of all screens, whose layout measures again what has changed since it was requested."""

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

    Textual caches a widget's measures until the widget requests a layout again, and accepts
    no second request while the first one is pending. Another layout, such as after a resize
    or the end of a screen above, may come in between: what changed after it would keep its old
    size until the terminal is resized. The same holds for a look-up of a widget's position.
    """

    async def _on_layout(self, message: messages.Layout) -> None:
        """Drop the measures of a widget whose layout is due; Textual's own handler follows."""
        message.widget._layout_updates += 1

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """Return the widget at a cell and the offset in its text; none if that widget is gone.

        Until the next layout Textual still finds a removed widget, and a selection
        that begins there looks for its parent.
        """
        widget, offset = super().get_widget_and_offset_at(x, y)
        if widget is not None and widget is not self and widget.parent is None:
            return None, None
        return widget, offset

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay out, and drop the measures of widgets that still wait for a layout."""
        super()._refresh_layout(size, scroll)
        for widget in self.walk_children(Widget):
            if widget._layout_required:
                widget._layout_updates += 1
