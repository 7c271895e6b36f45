"""What is said when a game is left: where it is kept, and how to go on."""

from __future__ import annotations

import shlex

from tui.session import Session
from tui.words import shown


def where_it_is(session: Session, *options: str) -> str:
    """Up to where a game is on disk, and the command that goes on with it.

    Args:
        options: What the command takes besides the file.
    """
    path = session.recording
    if path is None:
        return "This game was not recorded."
    file = shown(shlex.quote(str(path)), 1_000)
    again = " ".join(("Go on with: chaosops resume", file, *options))
    if session.saved == session.turn:
        return f"Saved after turn {session.turn}. {again}"
    return (
        f"Saved up to turn {session.saved}; the turns after it, up to {session.turn}, are not on "
        f"disk. {again}"
    )
