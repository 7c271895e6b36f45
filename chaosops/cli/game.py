"""The one door from the command line to the screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from chaosops.agents.seats import seat_policies
from chaosops.cli.errors import is_terminal
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.errors import TerminalError
from chaosops.recording.folders import writable_folder

_NO_SCREEN = frozenset({"dumb", "unknown"})


def require_terminal() -> None:
    """Make sure that the game can be shown and typed into.

    Raises:
        TerminalError: A standard stream is no terminal, or the terminal cannot place text.
    """
    streams = {"standard input": sys.stdin, "standard output": sys.stdout, "stderr": sys.stderr}
    for name, stream in streams.items():
        if not is_terminal(stream):
            raise TerminalError(
                f"{name} is not a terminal: start the game in a terminal, without a pipe; "
                "'chaosops run' needs none"
            )
    kind = os.environ.get("TERM", "")
    if kind in _NO_SCREEN:
        raise TerminalError(
            f"the terminal calls itself '{kind}' (TERM) and cannot show the game: use one that "
            "can, or 'chaosops run', which needs none"
        )


def open_home(*, folders: Sequence[Path], recordings: Path | None) -> int:
    """Open the list of incidents; the result is the exit code."""
    require_terminal()
    folder = writable_folder(recordings)
    from tui import launch

    return launch.home(tuple(folders), folder)


def open_incident(
    scenario: Scenario,
    *,
    humans: Sequence[AgentRole],
    teammates: str,
    folders: Sequence[Path],
    recordings: Path | None,
) -> int:
    """Play an incident; the roles that no human takes are the teammates' policy's."""
    require_terminal()
    folder = writable_folder(recordings)
    names = {role: teammates for role in TURN_ORDER if role not in humans}
    from tui import launch

    return launch.play(
        scenario,
        tuple(humans),
        seat_policies(names, scenario),
        teammate_names=names,
        recordings=folder,
        folders=tuple(folders),
    )


def open_replay(path: Path) -> int:
    """Step through a recording."""
    require_terminal()
    from tui import launch

    return launch.replay(path)
