"""A line that leads to another screen, by Enter or a click."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from chaosops.play.formatting import MUTED, shown
from tui.keys.labels import key_of
from tui.widgets.basic.lines import Row, wrap_row


class LinkLine(Widget, can_focus=True):
    """A label with a short description of its screen."""

    DEFAULT_CSS = """
    LinkLine {
        height: auto;
        padding: 0 1;
    }
    LinkLine:focus {
        background: $accent 25%;
        text-style: bold;
    }
    LinkLine:nocolor:focus {
        text-style: reverse;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "follow", "Open", show=False, id="link.follow", tooltip="Open this"),
    ]

    def __init__(
        self, name: str, action: str, key: str, label: str, *, label_width: int = 12
    ) -> None:
        """Create a line.

        Args:
            name: The id of the widget.
            action: The screen's action that it runs.
            key: The id of that action's binding.
        """
        super().__init__(id=name)
        self._action, self._key, self._label = action, key, label
        self._label_width = label_width
        self._words = ""

    def show(self, words: str) -> None:
        """Set the description."""
        self._words = words
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that it takes at a width, one if there is room."""
        return len(self._lines(width))

    def keys_changed(self) -> None:
        """Update the name of the key."""
        self.refresh(layout=True)

    def render(self) -> Content:
        """Render key, label and description."""
        return Content("\n").join(self._lines(self.size.width))

    def _lines(self, width: int) -> list[Content]:
        label = f"{self._label:<{self._label_width}}"
        words = f"▸ {shown(self._words, 200)}"
        line = Content.assemble((f"{key_of(self, self._key):<2}", MUTED), label, words)
        return wrap_row(Row(line, 4 + self._label_width), max(1, width))

    async def action_follow(self) -> None:
        """Open its screen."""
        await self.screen.run_action(self._action)

    async def on_click(self) -> None:
        """Do the same on a click."""
        await self.action_follow()
