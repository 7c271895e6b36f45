"""From recordings to a data set: one pass over each, and nothing kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from chaosops.env.models import AgentRole
from chaosops.recording.events import Header
from chaosops.recording.exports.build import FindScenario, rows_of
from chaosops.recording.exports.card import Tally, ordered, render_card
from chaosops.recording.exports.episode import RecordedEpisode, Voice, Wanted
from chaosops.recording.exports.files import DataSetFolder, ExportError
from chaosops.recording.exports.privacy import people_in
from chaosops.recording.exports.rows import Format
from chaosops.recording.exports.splits import split_of
from chaosops.recording.origin import ScenarioBook
from chaosops.recording.reader import LogReader
from chaosops.recording.store import Entry

TEST_SHARE = 0.2
"""About this share of the incidents is for testing, unless another one is asked for."""


@dataclass(frozen=True)
class Request:
    """What to make.

    Attributes:
        target: The folder of the data set; not there yet, or empty.
        formats: Its configurations.
        test_share: About this share of the incidents is for testing, 0 to 1.
        parquet: Write Parquet instead of JSON lines; needs the `parquet` extra.
        folders: Where incidents are besides the built-in set, to simulate forks.
        licence: An SPDX identifier in small letters, such as cc-by-4.0, or "unknown".
        withdrawn: Pseudonyms whose consent was taken back: their recordings are left out,
            wherever they are.
    """

    target: Path
    formats: tuple[Format, ...]
    wanted: Wanted = field(default_factory=Wanted)
    test_share: float = TEST_SHARE
    parquet: bool = False
    folders: tuple[Path, ...] = ()
    licence: str = "unknown"
    title: str = "ChaosOps incident decisions"
    withdrawn: frozenset[str] = frozenset()


class Report(NamedTuple):
    """What was made: rows by file, recordings that gave some, and why others gave none.

    A format of which there is no row has no file, and stands under its own name with 0.
    """

    target: Path
    rows: Mapping[str, int]
    episodes: int
    left_out: Mapping[str, int]


def write_data_set(
    entries: Iterable[Entry],
    request: Request,
) -> Report:
    """Write a data set, whole or not at all.

    Args:
        entries: The recordings, as the store finds them. One that cannot be read is left out.

    Raises:
        ExportError: The folder is not empty, the disk failed, or there is nothing to write.
        RecordingError: A recording was damaged since it was found, or gives a row that breaks
            its schema.
    """
    tally = Tally()
    find = ScenarioBook(request.folders).scenario
    with DataSetFolder(request.target, parquet=request.parquet) as folder:
        for entry in entries:
            _add(entry, request, folder, tally, find)
        if not folder.counts:
            raise ExportError(_nothing(request, tally))
        folder.finish(lambda: _card(request, folder, tally))
    rows = {folder.path_of(*place): count for place, count in ordered(folder.counts)}
    given = {kind for kind, _ in folder.counts}
    rows |= {kind.value: 0 for kind in request.formats if kind not in given}
    return Report(request.target, rows, tally.episodes, dict(tally.left_out))


def _add(
    entry: Entry, request: Request, folder: DataSetFolder, tally: Tally, find: FindScenario
) -> None:
    if entry.header is None or entry.problem:
        tally.left_out["recordings that cannot be read"] += 1
        return
    episode = RecordedEpisode(
        entry.path, entry.header, entry.footer, entry.opinion, _people(entry.header, entry.path)
    )
    if entry.header.pseudonym in request.withdrawn:
        tally.left_out["recordings whose player took the consent back"] += 1
        return
    if episode.refusal:
        tally.left_out[f"recordings {episode.refusal}"] += 1
        return
    split = split_of(entry.header.scenario, request.test_share)
    voice = Voice(episode, request.wanted, tally.left_out)
    before = sum(folder.counts.values())
    for kind in request.formats:
        with LogReader(entry.path) as turns:
            for row in rows_of(kind, voice, turns, find):
                folder.add(kind, split, row)
                tally.row(row)
    if sum(folder.counts.values()) > before:
        tally.episode(episode)
    else:
        tally.left_out["recordings without a turn that was asked for"] += 1


def _people(header: Header, path: Path) -> frozenset[AgentRole]:
    with LogReader(path) as turns:
        return people_in(header, ((turn.frame.role, turn.human) for turn in turns))


def _card(request: Request, folder: DataSetFolder, tally: Tally) -> str:
    return render_card(
        tally,
        folder.counts,
        {place: folder.path_of(*place) for place in folder.counts},
        title=request.title,
        licence=request.licence,
        test_share=request.test_share,
        history=request.wanted.history,
    )


def _nothing(request: Request, tally: Tally) -> str:
    why = ", ".join(f"{count} {reason}" for reason, count in sorted(tally.left_out.items()))
    cure = "play or record something first, or ask for less"
    if not request.wanted.seats:
        cure = "add --source scripted for the turns of policies, or play something first"
        if request.formats == (Format.PREFERENCE,):
            cure = "add --forks N to simulate what else could have been done"
    return f"there is nothing to export ({why or 'no recordings that fit'}): {cure}"
