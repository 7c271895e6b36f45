"""Writes a data set from recordings, in one pass and with little memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from chaosops.datasets.advice import what_would_help
from chaosops.datasets.build import RowTools, rows_of
from chaosops.datasets.card import Tally, ordered, render_card
from chaosops.datasets.episode import RecordedEpisode, RedactedEpisode, RowSelection
from chaosops.datasets.errors import ExportError
from chaosops.datasets.files import DataSetFolder
from chaosops.datasets.proof import Proof, Unsound, prove, read_through
from chaosops.datasets.reasons import Reason, counted
from chaosops.datasets.rows import Format
from chaosops.datasets.splits import split_of
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.recording.events import Header
from chaosops.recording.library import RecordingSummary
from chaosops.recording.reader import LogReader
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.worker_pool import WorkerPool

TEST_SHARE = 0.2
"""The default share of the incidents that is for testing, approximately."""


@dataclass(frozen=True)
class Request:
    """What to export.

    Attributes:
        target: The folder of the data set, which must not exist or be empty.
        formats: Its configurations.
        test_share: About this share of the incidents is for testing, 0 to 1.
        parquet: Whether to write Parquet instead of JSON lines; needs the `parquet` extra.
        folders: Where incidents are besides the built-in set, to simulate forks.
        licence: An SPDX identifier in small letters, such as cc-by-4.0, or "unknown".
        withdrawn: Pseudonyms whose consent was withdrawn: their recordings are left out,
            wherever they are.
        verify: Whether recordings must verify; otherwise each must only be readable to its end,
            with intact seals.
        jobs: The number of processes in which forks are played.
    """

    target: Path
    formats: tuple[Format, ...]
    wanted: RowSelection = field(default_factory=RowSelection)
    test_share: float = TEST_SHARE
    parquet: bool = False
    folders: tuple[Path, ...] = ()
    licence: str = "unknown"
    title: str = "ChaosOps incident decisions"
    withdrawn: frozenset[str] = frozenset()
    verify: bool = True
    jobs: int = 1


class ExportReport(NamedTuple):
    """What was written, and what was left out.

    Attributes:
        rows: Rows by file. A format without rows has no file, and is listed under its
            own name with 0.
        episodes: Recordings with rows.
        verified: How many of them were verified by simulation.
        left_out: Recordings without rows, by reason.
        left_out_of: What was left out of each format, by reason.
        unsound: For each reason that is a fault of the file, the first such recording and what is
            wrong with it.
    """

    target: Path
    rows: Mapping[str, int]
    episodes: int
    verified: int
    left_out: Mapping[str, int]
    left_out_of: Mapping[str, Mapping[str, int]]
    unsound: Mapping[Reason, tuple[Path, str]]


def write_data_set(
    entries: Iterable[RecordingSummary],
    request: Request,
) -> ExportReport:
    """Write a data set completely, or not at all.

    Each recording is verified, or at least read to its end, before its first row is written. If it
    fails, it is left out, and so is a copy or an earlier state of one that was used.

    Args:
        entries: The recordings; of several files of one game, the first valid one is used,
            see `chaosops.recording.library.games`.

    Raises:
        ExportError: The folder is not empty, the disk failed, or there is nothing to write.
        RecordingError: A recording was damaged since it was verified, or gives a row that violates
            its schema.
    """
    tally = Tally()
    with (
        DataSetFolder(request.target, parquet=request.parquet) as folder,
        WorkerPool(request.jobs) as pool,
    ):
        making = _DataSetBuild(request, folder, tally, pool)
        for entry in entries:
            making.add(entry)
        if not folder.counts:
            raise ExportError(_nothing(request, tally))
        folder.finish(lambda: _card(request, folder, tally))
    rows = {folder.path_of(*place): count for place, count in ordered(folder.counts)}
    given = {kind for kind, _ in folder.counts}
    rows |= {kind.value: 0 for kind in request.formats if kind not in given}
    return ExportReport(
        request.target,
        rows,
        tally.episodes,
        tally.verified,
        dict(tally.left_out),
        {kind.value: dict(why) for kind, why in tally.left_out_of.items() if why},
        making.unsound,
    )


class _DataSetBuild:
    """A data set in progress."""

    def __init__(
        self, request: Request, folder: DataSetFolder, tally: Tally, pool: WorkerPool
    ) -> None:
        self.unsound: dict[Reason, tuple[Path, str]] = {}
        self._request = request
        self._folder = folder
        self._tally = tally
        self._book = ScenarioBook(request.folders)
        self._tools = RowTools(self._book.scenario, pool)
        self._env = ChaosOpsEnvironment()
        self._taken: set[str] = set()

    def add(self, entry: RecordingSummary) -> None:
        """Write the rows of a recording, or count why there are none."""
        try:
            episode = self._episode(entry)
        except Unsound as error:
            self.unsound.setdefault(error.reason, (entry.path, str(error)))
            episode = error.reason
        if isinstance(episode, Reason):
            self._tally.left_out[episode] += 1
        elif self._rows(episode):
            self._tally.episode(episode)
        else:
            self._tally.left_out[Reason.NO_TURN] += 1

    def _episode(self, entry: RecordingSummary) -> RecordedEpisode | Reason:
        """Return the checked recording, or why it can't be used.

        Raises:
            Unsound: It can't be trusted.
        """
        header = entry.header
        if header is None or entry.problem:
            reason = Reason.OTHER_FORMAT if entry.other_version else Reason.CANNOT_READ
            raise Unsound(reason, entry.problem)
        if header.pseudonym in self._request.withdrawn:
            return Reason.WITHDRAWN
        if not entry.opinion.submitted:
            reason = Reason.COPY if header.episode_id in self._taken else Reason.DISCARDED
            self._taken.add(header.episode_id)
            return reason
        proof = self._proof(entry.path, header)
        episode = RecordedEpisode(entry.path, header, entry.footer, entry.opinion, proof)
        if not episode.may_be_used:
            return Reason.NO_CONSENT
        if header.episode_id in self._taken:
            return Reason.COPY
        self._taken.add(header.episode_id)
        return episode

    def _proof(self, path: Path, header: Header) -> Proof:
        if self._request.verify:
            return prove(path, header, self._book, self._env)
        return read_through(path, header)

    def _rows(self, episode: RecordedEpisode) -> int:
        """Write the rows of a recording; return how many there are."""
        request, count = self._request, 0
        split = split_of(episode.header.current_scenario, request.test_share)
        for kind in request.formats:
            redacted = RedactedEpisode(episode, request.wanted, self._tally.left_out_of[kind])
            with LogReader(episode.path) as log:
                turns = islice(log, episode.proof.turns)
                for row in rows_of(kind, redacted, turns, self._tools):
                    self._folder.add(kind, split, row)
                    self._tally.row(kind, row)
                    count += 1
        return count


def _card(request: Request, folder: DataSetFolder, tally: Tally) -> str:
    return render_card(
        tally,
        folder.counts,
        {place: folder.path_of(*place) for place in folder.counts},
        title=request.title,
        licence=request.licence,
        test_share=request.test_share,
        wanted=request.wanted,
    )


def _nothing(request: Request, tally: Tally) -> str:
    reasons = sum(tally.left_out_of.values(), tally.left_out)
    why = ", ".join(counted(count, reason) for reason, count in sorted(reasons.items()))
    cure = what_would_help(request.formats, request.wanted, tally.left_out, tally.left_out_of)
    return f"there is nothing to export ({why or 'no recordings that fit'}): {cure}"
