"""Boxes over the game that a click beside them closes, for who has only a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events

if TYPE_CHECKING:
    from textual.screen import ModalScreen

    class _ModalBase(ModalScreen[Any]): ...
else:
    _ModalBase = object


class ClosedFromOutside(_ModalBase):
    """A base of boxes: a click outside of it, or on its lower border, closes it with nothing.

    The lower border says which key closes the box.
    """

    def on_click(self, event: events.Click) -> None:
        """Close on a click outside the box or on the border that says how to close it."""
        box = self.query(".box").first().region
        is_border = event.screen_y == box.bottom - 1
        if is_border or not box.contains(event.screen_x, event.screen_y):
            event.stop()
            self.dismiss(None)
