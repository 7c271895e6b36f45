"""The text on leaving a game: where it is saved, and how to resume it."""

from __future__ import annotations

import shlex

from chaosops.play.formatting import shown
from chaosops.play.session import Session


def where_it_is(session: Session, *options: str, command: str = "") -> str:
    """Say which turns of a game are saved, and how to resume it.

    Args:
        options: What the command takes besides the file.
        command: The whole command instead.
    """
    session.log.keep(session.turn)
    path = session.recording
    if path is None:
        return "This game was not recorded."
    if session.log.is_gone:
        return (
            f"This game is not saved: its recording {shown(path, 1_000)} was deleted during "
            f"the game. {shown(session.trouble, 1_000)}".rstrip()
        )
    file = shown(shlex.quote(str(path)), 1_000)
    again = f"To continue: {command or ' '.join(('chaosops resume', file, *options))}"
    removed = "The recording had been deleted and was written again. "
    before = removed if session.log.was_remade else ""
    saved = session.log.saved(session.turn)
    if saved == session.turn:
        return f"{before}Saved after turn {saved}. {again}"
    return (
        f"{before}Saved up to turn {saved}; later turns, up to {session.turn}, "
        f"are not saved. {again}"
    )
