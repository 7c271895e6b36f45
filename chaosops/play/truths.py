"""How many of the causes that can be behind an incident a player has met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from chaosops.errors import RecordingError
from chaosops.recording.events import Header
from chaosops.recording.recorded_scenario import ScenarioBook


class Truths(NamedTuple):
    """How many causes of an incident were met, and how many there are."""

    met: int
    possible: int

    @property
    def are_all_met(self) -> bool:
        """Whether no cause is left to meet."""
        return self.met >= self.possible


def truths_met(games: Iterable[Header], folders: Sequence[Path] = ()) -> Mapping[str, Truths]:
    """Count the causes that were drawn in finished games, by the incident's id.

    A game of another version of its file doesn't count: its seed may draw something else now.

    Args:
        folders: The player's own scenario folders, besides the built-in one.
    """
    book = ScenarioBook(folders)
    met: dict[str, set[str]] = {}
    possible: dict[str, int] = {}
    for game in games:
        try:
            scenario = book.scenario(game)
        except RecordingError:
            continue
        name = game.current_scenario
        met.setdefault(name, set()).add(scenario.incident.drawn.cause.id)
        possible[name] = len({spec.cause for spec in scenario.source.drawing.situation.casts})
    return {name: Truths(len(causes), possible[name]) for name, causes in met.items()}
