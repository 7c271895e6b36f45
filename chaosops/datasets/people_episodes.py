"""Recorded games of people, as episodes of a baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from chaosops.datasets.proof import first_broken_seal
from chaosops.datasets.stats import PEOPLE, PERSONS
from chaosops.errors import RecordingError
from chaosops.evaluation.baselines.episodes import BaselineEpisode
from chaosops.evaluation.process_figures import process_figures
from chaosops.recording.events import Header
from chaosops.recording.library import RecordingSummary
from chaosops.recording.reader import read_recording
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.scenarios.rendering import ScenarioSource


def people_episodes(
    entries: Iterable[RecordingSummary],
    sources: Sequence[ScenarioSource],
    folders: Sequence[Path],
    left_out: Callable[[str], object],
) -> Iterator[BaselineEpisode]:
    """Yield the finished games with a person in a seat, on incidents of a set.

    A game counts once, whatever copies there are of it. Discarded games don't count.

    Args:
        folders: Where scenarios are, besides the built-in set.
        left_out: Called with why a game can't be counted.
    """
    book = ScenarioBook(folders)
    levels = {source.id: source.level for source in sources}
    counted: set[str] = set()
    for entry in entries:
        header = entry.header
        if header is None or not entry.opinion.submitted or not _has_a_person(header):
            continue
        if header.current_scenario not in levels or header.episode_id in counted:
            continue
        try:
            episode = _episode(entry.path, book)
        except RecordingError as error:
            left_out(str(error))
            continue
        if episode is not None:
            counted.add(header.episode_id)
            yield episode


def _has_a_person(header: Header) -> bool:
    return any(seat.kind in PERSONS for seat in header.seats.values())


def _episode(path: Path, book: ScenarioBook) -> BaselineEpisode | None:
    """Return a recorded game as an episode; None if it isn't finished.

    Raises:
        RecordingError: It is damaged or was changed, or its incident is missing or another version.
    """
    if broken := first_broken_seal(path):
        raise RecordingError(f"{path}, line {broken}: it or its seal was changed")
    recording = read_recording(path)
    footer = recording.footer
    if footer is None:
        return None
    scenario = book.scenario(recording.header)
    return BaselineEpisode(
        PEOPLE,
        scenario.id,
        scenario.topology_id,
        scenario.difficulty,
        scenario.seed,
        str(scenario.failure_type),
        footer.resolved,
        footer.turns if footer.resolved else None,
        footer.turns,
        footer.cumulative_reward,
        footer.wrong_fixes,
        footer.oversight_flags,
        None if footer.declared_root_cause is None else str(footer.declared_root_cause),
        process_figures(scenario, recording.frames),
        tuple(frame.reward for frame in recording.frames),
        "",
    )
