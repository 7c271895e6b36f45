"""Who agreed to the use of a game that begins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chaosops.errors import ChaosOpsError

if TYPE_CHECKING:
    from chaosops.recording.events import Player
    from tui.game_app import GameApp


class AgreedPlayer(NamedTuple):
    """A player, and what kept them from being found; nobody is asked before a game."""

    player: Player | None = None
    trouble: str = ""


def player_of(app: GameApp, recordings: Path | None) -> AgreedPlayer:
    """Return who agreed to the use of a game that is recorded in a folder."""
    if app.consents is None or recordings is None:
        return AgreedPlayer()
    from chaosops.play.consent_prompt import agreed_player

    try:
        return AgreedPlayer(agreed_player(app.consents()))
    except ChaosOpsError as error:
        return AgreedPlayer(trouble=f"{error}. This game is recorded without your pseudonym.")
