"""What a screen has whose explain key explains the screen as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen

    _Base = Screen[Any]
else:
    _Base = object


class Explained(_Base):
    """A base of screens, before Textual's own, that explain themselves by their `EXPLAINED`."""

    def action_explain(self) -> None:
        """Explain the screen."""
        from tui.screens.dialogs.help import HelpScreen, explanation_for

        self.app.push_screen(HelpScreen(explanation_for(self), self))
