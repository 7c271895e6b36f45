"""The line of keys at the bottom."""

from __future__ import annotations

from typing import Any

from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Footer


class KeyHints(Footer):
    """A footer that is made anew only where it shows other keys, and once for many changes.

    Making it costs as much as a paint, and every key that is pressed meanwhile waits for it.
    """

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._is_due = False
        self._hints: list[tuple[Binding, bool]] | None = None

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """Note that keys have changed."""
        if not self._is_due:
            super().bindings_changed(screen)
            self._is_due = self.is_attached and screen is self.screen and self.app.app_focus

    async def recompose(self) -> None:
        """Show the keys as they are now."""
        self._is_due = False
        if not self.is_attached:
            return
        hints = [
            (active.binding, active.enabled)
            for active in self.screen.active_bindings.values()
            if active.binding.show
        ]
        if hints != self._hints:
            self._hints = hints
            await super().recompose()
