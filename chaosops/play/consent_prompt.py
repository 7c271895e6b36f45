"""Asks for consent after a first game, and applies the answer to that game. Needs no screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chaosops.errors import ChaosOpsError
from chaosops.recording.events import REPLAYED
from chaosops.recording.turn_sources import Decider

if TYPE_CHECKING:
    from chaosops.play.session import Session
    from chaosops.recording.consent import Agreement, ConsentStore
    from chaosops.recording.events import Player


def agreed_player(store: ConsentStore) -> Player | None:
    """Return who agrees to the use of a new game; None if nobody was asked or agreed.

    Raises:
        ChaosOpsError: The answer can't be read.
    """
    agreement = store.current if store.asked else None
    return None if agreement is None else agreement.player


def should_ask(consents: Callable[[], ConsentStore] | None, session: Session) -> bool:
    """Whether to ask now: after a recorded game that ended, if the player has never answered."""
    if consents is None or session.recording is None or not session.done:
        return False
    if all(part.source is Decider.SCRIPTED for part in session.humans):
        return False
    try:
        return not consents().asked
    except ChaosOpsError:
        return False


def cover(session: Session, agreement: Agreement) -> str:
    """Apply an agreement to the finished game; return why that is not possible, if it isn't.

    A game with turns of another one stays as it is: they may be someone else's.
    """
    if any(part.policy == REPLAYED for part in session.humans):
        return ""
    try:
        session.agree(agreement.player)
    except ChaosOpsError as error:
        return f"Your consent doesn't cover this game: {error}"
    return ""
