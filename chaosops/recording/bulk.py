"""Verifies many recordings, in several processes if that is faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.errors import RecordingError
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.verdict import Verdict
from chaosops.recording.verify import verify

BATCH = 16
"""The most files in a batch."""

BATCH_BYTES = 2**20
"""Bytes that end a batch early: about what a process verifies in its start-up time."""


def verify_many(
    paths: Sequence[Path], folders: Sequence[Path] = (), *, jobs: int = 1
) -> Iterator[Verdict]:
    """Verify recordings, and yield the verdicts in the order of the paths.

    Args:
        folders: Where scenarios are, besides the built-in set.
        jobs: The most processes. A few short games are not worth a second one.

    Raises:
        RecordingError: A process died.
    """
    parts = list(batches(paths))
    workers = min(jobs, len(parts))
    check = partial(_verify_batch, tuple(folders))
    if workers < 2:
        yield from _verified(folders, paths)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        for verdicts in pool.map(check, parts):
            yield from verdicts
    except BrokenProcessPool as error:
        raise RecordingError("a worker process crashed: try again with --jobs 1") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _verify_batch(folders: Sequence[Path], paths: Sequence[Path]) -> list[Verdict]:
    return list(_verified(folders, paths))


def _verified(folders: Sequence[Path], paths: Sequence[Path]) -> Iterator[Verdict]:
    book, env = ScenarioBook(folders), ChaosOpsEnvironment()
    for path in paths:
        yield verify(path, book=book, env=env)


def batches(paths: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """Split the files into batches, in their order."""
    batch: list[Path] = []
    size = 0
    for path in paths:
        batch.append(path)
        with suppress(OSError):
            size += path.stat().st_size
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)
