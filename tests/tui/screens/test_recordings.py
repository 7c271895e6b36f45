"""What the list of recordings says of each."""

from __future__ import annotations

from pathlib import Path

from chaosops.env.models import AgentRole
from chaosops.recording.library import look
from chaosops.recording.upkeep import discard
from tests.tui.games import session
from tests.tui.plain_games import played
from tui.screens.recordings.screen import about_of, line_of


def test_a_discarded_game_is_marked_in_the_list_and_says_how_it_ended(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path, rounds=1)
    played(game, "pass")
    game.close()
    path = game.recording
    assert path is not None
    assert "discarded" not in line_of(look(path)).plain
    discard(path)
    assert "discarded" in line_of(look(path)).plain
    assert "Discarded (✖ unresolved): excluded from stats" in about_of(look(path)).plain
