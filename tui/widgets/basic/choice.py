"""A line with a value out of a few: arrows, space or a click choose the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from chaosops.play.formatting import MUTED, shown
from tui.keys.labels import key_of
from tui.widgets.basic.lines import Row, wrap_row

_ARROWS = 4
_GAP = 2
_NARROW_NOTE = 16
"""The cells from which a note stays in its own column."""


class ChoiceLine(Widget, can_focus=True):
    """Shows a label, its value between two arrows, and a note; posts `Changed`."""

    DEFAULT_CSS = """
    ChoiceLine {
        height: auto;
        padding: 0 1;
    }
    ChoiceLine:focus {
        background: $accent 25%;
        text-style: bold;
    }
    ChoiceLine:nocolor:focus {
        text-style: reverse;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left",
            "step(-1)",
            "Before",
            show=False,
            id="choice.before",
            tooltip="Previous value",
        ),
        Binding(
            "right,space",
            "step(1)",
            "Change",
            id="choice.next",
            tooltip="Next value",
        ),
    ]

    value: reactive[str] = reactive("", layout=True)

    class Changed(Message):
        """Posted when another value was chosen."""

        def __init__(self, choice: ChoiceLine, value: str) -> None:
            super().__init__()
            self.choice = choice
            self.value = value

        @property
        def control(self) -> ChoiceLine:
            """The line with the value."""
            return self.choice

    def __init__(
        self,
        name: str,
        label: str,
        options: Sequence[str],
        value: str,
        *,
        note: str = "",
        key: str = "",
        label_width: int = 12,
        value_width: int = 0,
    ) -> None:
        """Create a line.

        Args:
            name: The id of the widget.
            options: The values. Another value can be shown, but not chosen again.
            note: A note on the right.
            key: The id of the binding that changes it from anywhere on the screen.
            value_width: The least cells for the value.
        """
        super().__init__(id=name)
        self._label, self._note, self._key = label, note, key
        self._label_width, self._value_width = label_width, value_width
        self._options = tuple(options)
        self.set_reactive(ChoiceLine.value, value)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that it takes at a width, one if there is room."""
        return len(self._lines(width))

    def keys_changed(self) -> None:
        """Update the name of the key."""
        self.refresh(layout=True)

    def render(self) -> Content:
        """Render key, label, value and note; what doesn't fit continues below the value."""
        return Content("\n").join(self._lines(self.size.width))

    def _lines(self, width: int) -> list[Content]:
        below = 2 + self._label_width + 2
        choice = self._choice()
        note = choice.cell_length + _GAP
        row = Content.assemble(choice, (f"{' ' * _GAP}{self._note}" if self._note else "", MUTED))
        has_room = bool(self._note) and width - note >= _NARROW_NOTE
        return wrap_row(Row(row, note if has_room else below), max(1, width))

    def _choice(self) -> Content:
        """Return the line without its note."""
        wide = max(len(option) for option in (*self._options, self.value))
        value = shown(self.value, 60).center(max(min(wide, 24), self._value_width))
        key = key_of(self, self._key) if self._key else ""
        return Content.assemble(
            (f"{key:<2}", MUTED),
            f"{self._label:<{self._label_width}}",
            ("◂ ", MUTED),
            (value, "bold"),
            (" ▸", MUTED),
        )

    def offer(self, options: Sequence[str]) -> None:
        """Replace the values to choose from."""
        self._options = tuple(options)
        self.refresh(layout=True)

    def action_step(self, by: int) -> None:
        """Choose the value that many places further, wrapping around."""
        at = self._options.index(self.value) if self.value in self._options else -max(by, 0)
        self.value = self._options[(at + by) % len(self._options)]
        self.post_message(self.Changed(self, self.value))

    def on_click(self, event: Click) -> None:
        """Go back on the left arrow, forward anywhere else."""
        arrow = self.styles.padding.left + 2 + self._label_width
        self.action_step(-1 if arrow <= event.x < arrow + 2 else 1)
