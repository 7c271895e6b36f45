"""Hides the board until the next person at the keyboard says that it is them."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from chaosops.env.models import AgentRole
from tui.words import MUTED, ROLE_NAMES


class HandoverScreen(ModalScreen[bool]):
    """Waits for Enter or a click. A key that was pressed before it was shown does not count."""

    INHERIT_BINDINGS: ClassVar[bool] = False

    def __init__(self, role: AgentRole) -> None:
        super().__init__()
        self._role = role
        self._since = 0.0

    def compose(self) -> ComposeResult:
        """One sentence."""
        name = ROLE_NAMES[self._role]
        with Vertical(id="handover"):
            yield Static(
                Content.assemble((f"{name}'s turn", "bold $accent"), " - press Enter"),
                id="handover-who",
            )
            yield Static(Content.styled("The last view is hidden. Change seats first.", MUTED))

    def on_mount(self) -> None:
        """Remember since when it is there."""
        self._since = events.Mount().time

    def on_key(self, event: events.Key) -> None:
        """Enter confirms."""
        if event.key == "enter":
            event.stop()
            if event.time > self._since:
                self.dismiss(True)

    def on_click(self) -> None:
        """So does a click."""
        self.dismiss(True)
