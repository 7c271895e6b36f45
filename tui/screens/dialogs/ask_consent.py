"""Asks for consent after a player's first games, before their debrief is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chaosops.play.consent_prompt import cover, should_ask
from tui.game_app import GameApp

if TYPE_CHECKING:
    from chaosops.play.session import Session
    from chaosops.recording.consent import Agreement


def ask_consent(app: GameApp, sessions: Sequence[Session], leave: Callable[[], object]) -> bool:
    """Ask whether the recordings of games may be used, then leave.

    Args:
        sessions: The games, the newest last; an answer covers all of them.

    Returns:
        Whether it asks; if not, the caller has to leave.
    """
    if app.consents is None or not sessions or not should_ask(app.consents, sessions[-1]):
        return False
    from tui.screens.dialogs.consent import ConsentScreen

    def answered(agreement: Agreement | None) -> None:
        for session in sessions:
            trouble = "" if agreement is None else cover(session, agreement)
            if trouble:
                app.notify(trouble, severity="warning")
        leave()

    app.push_screen(ConsentScreen(app.consents()), answered)
    return True
