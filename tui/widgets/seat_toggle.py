"""A seat that a person takes or leaves to a policy."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from chaosops.env.models import AgentRole
from tui.words import ROLE_NAMES


class SeatToggle(Widget, can_focus=True):
    """Shows whether a seat is taken, by a mark and not by colour alone."""

    DEFAULT_CSS = """
    SeatToggle {
        height: 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,space",
            "toggle_seat",
            "Take or leave",
            show=False,
            id="seat.toggle",
            tooltip="Take this seat, or leave it to a policy",
        ),
    ]

    taken: reactive[bool] = reactive(False, layout=True)

    def __init__(self, key: str, role: AgentRole, taken: bool) -> None:
        """A seat with the key that toggles it from anywhere on the screen."""
        super().__init__()
        self.role = role
        self._key = key
        self.set_reactive(SeatToggle.taken, taken)

    def render(self) -> Content:
        """Key, mark, role."""
        mark = "[x]" if self.taken else "[ ]"
        style = "bold $accent" if self.taken else ""
        return Content.assemble(f"{self._key} ", (f"{mark} {ROLE_NAMES[self.role]}", style))

    def action_toggle_seat(self) -> None:
        """Take the seat, or leave it."""
        self.taken = not self.taken

    def on_click(self) -> None:
        """A click toggles it."""
        self.action_toggle_seat()
