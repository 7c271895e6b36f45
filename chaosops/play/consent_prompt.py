"""Asks for consent after a first game, and lets the answer cover that game. No widget in here."""

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
    """Who agrees to the use of a game that begins now; None if nobody was asked, or did.

    Raises:
        ChaosOpsError: The answer cannot be read.
    """
    agreement = store.current if store.asked else None
    return None if agreement is None else agreement.player


def should_ask(consents: Callable[[], ConsentStore] | None, session: Session) -> bool:
    """Whether to ask now: a person has played a recorded game to its end, and never answered."""
    if consents is None or session.recording is None or not session.done:
        return False
    if all(part.source is Decider.SCRIPTED for part in session.humans):
        return False
    try:
        return not consents().asked
    except ChaosOpsError:
        return False


def cover(session: Session, agreement: Agreement) -> str:
    """Let an agreement cover the game that is over; why it does not, where it does not.

    A game with turns of another one is left as it is: they may be someone else's.
    """
    if any(part.policy == REPLAYED for part in session.humans):
        return ""
    try:
        session.agree(agreement.player)
    except ChaosOpsError as error:
        return f"Your consent doesn't cover this game: {error}"
    return ""
