"""A player's progress, computed from their recordings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from chaosops.errors import RecordingError
from chaosops.play.stars import Star
from chaosops.play.truths import Truths
from chaosops.recording.events import SeatKind
from chaosops.recording.library import RecordedOutcome, RecordingSummary, find
from chaosops.recording.lines import is_gzip
from chaosops.scenarios.summaries import ScenarioSummary


class Best(NamedTuple):
    """The best of a player's finished games of one incident.

    Attributes:
        stars: Those that were earned in it.
        games: The number of finished games.
    """

    stars: frozenset[Star]
    resolved: bool
    score: float
    turns: int
    games: int = 1


class Progress(NamedTuple):
    """A player's progress, for the home screen.

    Attributes:
        best: By the incident's id.
        played: Incident and seed of every finished game.
        finished: Those games, the most recent first.
        unfinished: Games that can be resumed, the most recent first.
        games: The number of recordings.
        trouble: Why the recordings can't be read; empty if they can.
        truths: How many of its causes were met, by the incident's id; empty until they are counted,
            which takes longer than reading the recordings.
    """

    best: Mapping[str, Best]
    played: frozenset[tuple[str, int]] = frozenset()
    finished: tuple[RecordingSummary, ...] = ()
    unfinished: tuple[RecordingSummary, ...] = ()
    games: int = 0
    trouble: str = ""
    truths: Mapping[str, Truths] = MappingProxyType({})


NOTHING_YET = Progress({})


def read_progress(folder: Path, incidents: Iterable[ScenarioSummary]) -> Progress:
    """Read all recordings in a folder and its subfolders.

    Args:
        incidents: The incidents of interest.
    """
    known = {seen.id for seen in incidents}
    try:
        entries = sorted(find([folder]), key=begun_at, reverse=True)
    except RecordingError as error:
        return Progress({}, trouble=str(error))
    best: dict[str, Best] = {}
    finished: list[RecordingSummary] = []
    played: set[tuple[str, int]] = set()
    for entry in entries:
        if is_finished(entry) and entry.header is not None:
            name = entry.header.current_scenario
            finished.append(entry)
            played.add((name, entry.header.seed))
            if name in known:
                best[name] = _better(best.get(name), result_of(entry))
    unfinished = tuple(entry for entry in entries if can_go_on(entry))
    return Progress(best, frozenset(played), tuple(finished), unfinished, len(entries))


def begun_at(entry: RecordingSummary) -> int:
    """Return when a recorded game began, in milliseconds since the epoch; 0 if unknown."""
    return entry.header.started_at_ms if entry.header else 0


def is_finished(entry: RecordingSummary) -> bool:
    """Whether a person played the game to its end."""
    return entry.outcome in (RecordedOutcome.RESOLVED, RecordedOutcome.UNRESOLVED) and _has_person(
        entry
    )


def can_go_on(entry: RecordingSummary) -> bool:
    """Whether it is a person's unfinished game."""
    return (
        entry.outcome is RecordedOutcome.UNFINISHED
        and _has_person(entry)
        and not is_gzip(entry.path)
    )


def _has_person(entry: RecordingSummary) -> bool:
    seats = entry.header.seats.values() if entry.header else ()
    return any(seat.kind is not SeatKind.SCRIPTED for seat in seats)


def result_of(entry: RecordingSummary) -> Best:
    """Return the result of a finished game."""
    footer = entry.footer
    assert footer is not None
    stars = frozenset(Star(name) for name in footer.stars or ())
    return Best(stars, footer.resolved, footer.cumulative_reward, footer.turns)


def _better(one: Best | None, other: Best) -> Best:
    if one is None:
        return other
    games = one.games + other.games
    return max(one, other, key=lambda each: (each.resolved, len(each.stars), each.score))._replace(
        games=games
    )
