"""Hides the board until the next person at the keyboard confirms."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from chaosops.env.models import AgentRole
from chaosops.play.formatting import MUTED, ROLE_NAMES
from tui.keys.labels import key_of
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.key_guard import TOO_SOON, KeyGuard, is_drawn

_HINT: Final = "Nothing is shown until then. Swap seats first."

Answer = Literal["here", "alone"]
"""The next player is ready, or one person plays every seat and turns the curtain off."""


class HandoverScreen(Remeasured, ModalScreen[Answer]):
    """Waits for a key or a click, which count only once the player can have seen the screen.

    The last person's turn ends with the same key, so holding it a little too long would
    show them the next person's view.
    """

    INHERIT_BINDINGS: ClassVar[bool] = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "confirm('here')", "Here", id="handover.here", tooltip="Continue"),
        Binding(
            "n",
            "confirm('alone')",
            "No curtain",
            id="handover.alone",
            tooltip="You play every seat yourself: no curtain from now on",
        ),
    ]

    def __init__(self, role: AgentRole, clock: Callable[[], float]) -> None:
        """Create a box that names the role whose turn it is.

        Args:
            clock: A monotonic clock in seconds, to tell what the player can have seen.
        """
        super().__init__()
        self._role = role
        self._guard = KeyGuard(clock)

    def compose(self) -> ComposeResult:
        """One sentence."""
        name = ROLE_NAMES[self._role]
        with Vertical(id="handover"):
            yield Static(
                Content.assemble(
                    (f"{name}'s turn", "bold $accent"),
                    f" - press {key_of(self, 'handover.here')}",
                ),
                id="handover-who",
            )
            yield Static(Content.styled(_HINT, MUTED), id="handover-hint")
            yield Static(
                f"Do you play every seat? {key_of(self, 'handover.alone')} turns the curtain off.",
                id="handover-alone",
                markup=False,
            )

    def on_mount(self) -> None:
        """Remember when it appeared."""
        self._guard.begin(self._role)

    def on_resize(self) -> None:
        """Treat it as new: there may have been no room for it before."""
        self._guard.begin(self._role)

    def on_click(self) -> None:
        """Treat a click as the player being ready."""
        self.action_confirm("here")

    def action_confirm(self, answer: Answer) -> None:
        """Continue, if the player can have seen the question."""
        if is_drawn(self.query_one("#handover-who")) and self._guard.seen(self._role):
            self.dismiss(answer)
        else:
            hint = self.query_one("#handover-hint", Static)
            hint.update(Content.styled(f"{TOO_SOON} {_HINT}", MUTED))
