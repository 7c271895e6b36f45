"""Pause: hides the board and stops every clock until the player continues."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from chaosops.play.formatting import MUTED
from tui.keys.labels import key_of
from tui.widgets.basic.remeasured import Remeasured


class PauseScreen(Remeasured, ModalScreen[bool]):
    """Covers the whole screen; a key or a click continues the game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,p,escape,space",
            "go_on",
            "Continue",
            id="pause.go_on",
            tooltip="Back to the game; clocks start again",
        ),
    ]

    def compose(self) -> ComposeResult:
        """Compose two lines."""
        with Vertical(classes="cover"):
            yield Static(
                Content.styled(
                    f"Paused. Press {key_of(self, 'pause.go_on')} to continue.", "bold $accent"
                )
            )
            yield Static(
                Content.styled(
                    "The board is hidden and all clocks are stopped. Your game is saved.", MUTED
                )
            )

    def action_go_on(self) -> None:
        """Return to the game."""
        self.dismiss(True)

    def on_click(self) -> None:
        """Do the same on a click."""
        self.dismiss(True)
