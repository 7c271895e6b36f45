"""Asks for the number of a turn."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.keys.labels import key_of
from tui.widgets.basic.remeasured import Remeasured


class JumpScreen(Remeasured, ModalScreen[int]):
    """An input for a turn; Enter goes there, Escape cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", id="jump.close", tooltip="Back without a jump"),
    ]

    def __init__(self, turns: int, *, title: str = "Go to turn", first: int | None = None) -> None:
        """Ask for a turn from 1 to `turns`.

        Args:
            first: The initial text.
        """
        super().__init__()
        self._turns, self._heading, self._first = turns, title, first

    def compose(self) -> ComposeResult:
        """One box."""
        with Vertical(id="jump-box", classes="box") as box:
            box.border_title = Content(self._heading)
            box.border_subtitle = Content(
                f"1 to {self._turns}, Enter jumps, {key_of(self, 'jump.close')} cancels"
            )
            value = "" if self._first is None else str(self._first)
            yield Input(value, type="integer", max_length=4, compact=True, id="jump-turn")

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip("+-").isdigit():
            self.dismiss(int(event.value))
        else:
            self.dismiss(None)
