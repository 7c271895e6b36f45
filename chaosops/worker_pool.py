"""Distributes work over processes: results in order, flat memory, and no item lost to a crash."""

from __future__ import annotations

import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, NamedTuple, NoReturn, Self, TypeVar

from chaosops.worker_process import Raised, Ready, Task, WorkerError, packed, work

_ItemT = TypeVar("_ItemT")
_ResultT = TypeVar("_ResultT")

_CHUNK_SECONDS: Final = 0.2
"""How long a chunk of items should take: long beside a message, short for a progress bar."""

_LARGEST_CHUNK: Final = 32
_CHUNKS_AHEAD: Final = 4
"""How many chunks per worker may be finished before an earlier one is."""

_FEWEST_AHEAD: Final = 16
_STOP_SECONDS: Final = 3.0
"""How long a worker may take to close what it has open before it is killed."""

_FAILED_STARTS: Final = 3


class WorkerPool:
    """Processes that work on one sequence of items after another.

    They are spawned when there is work, and end with the pool, with this process, and on an
    interrupt. Use it in one thread.
    """

    def __init__(self, jobs: int) -> None:
        """Choose the number of processes; with 1, everything happens in this one.

        Raises:
            ValueError: `jobs` is below 1.
        """
        if jobs < 1:
            raise ValueError(f"jobs must be 1 or more, not {jobs}")
        self._jobs = jobs
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes, each after it has closed what it has open."""
        _end_all(self._workers)

    def spread(
        self,
        function: Callable[[_ItemT], _ResultT],
        items: Iterable[_ItemT],
        *,
        lost: Callable[[_ItemT, str], _ResultT] | None = None,
    ) -> Iterator[_ResultT]:
        """Apply a function to items; yield the results in the items' order.

        The items are read as they are needed, and only a few results wait for an earlier one, so
        memory doesn't grow with their number. Each process gets a copy of the function, which may
        keep something between its items. A single item is worked on in this process.

        An item whose process dies is tried once more in a new process. End or close one iterator
        before the next call.

        Args:
            lost: Makes the result of an item whose process died twice, from a description of how
                it died; by default, that is an error.

        Raises:
            WorkerError: The function, an item or a result can't be sent to another process, no
                process could be started, or a process died.
        """
        rest = iter(items)
        first = list(islice(rest, self._jobs))
        items = chain(first, rest)
        if self._jobs < 2 or len(first) < 2:
            yield from map(function, items)
            return
        work = _Work(self._workers, packed(function, "this function"), self._jobs, lost or _refuse)
        is_through = False
        try:
            yield from work.results(items)
            is_through = True
        finally:
            if not is_through:
                self.close()


def spread(
    function: Callable[[_ItemT], _ResultT],
    items: Iterable[_ItemT],
    jobs: int,
    *,
    lost: Callable[[_ItemT, str], _ResultT] | None = None,
) -> Iterator[_ResultT]:
    """Apply a function to items in a pool of its own, which ends with the iterator.

    See `WorkerPool`, also for errors.
    """
    return _spread(WorkerPool(jobs), function, items, lost)


def _spread(
    pool: WorkerPool,
    function: Callable[[_ItemT], _ResultT],
    items: Iterable[_ItemT],
    lost: Callable[[_ItemT, str], _ResultT] | None,
) -> Iterator[_ResultT]:
    with pool:
        yield from pool.spread(function, items, lost=lost)


def _refuse(item: object, how: str) -> NoReturn:
    raise WorkerError(f"a worker process {how}: try again with one process (--jobs 1) to see where")


class _Chunk(NamedTuple):
    """Items that are sent together.

    Attributes:
        first: The index of the first one; the others follow it.
        again: Whether it is an item whose process died before.
    """

    first: int
    items: tuple[Any, ...]
    again: bool = False


class _Worker:
    """A process and the chunk that it works on.

    Attributes:
        ready: Whether it has started.
        function: The function that it has, pickled.
        answered: How many results of the chunk have come.
    """

    def __init__(self) -> None:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        self.connection: Connection = ours
        self.process: BaseProcess = context.Process(
            target=work, args=(theirs,), name="chaosops worker", daemon=True
        )
        self.chunk: _Chunk | None = None
        self.ready = False
        self.function: bytes | None = None
        self.answered = 0
        self._since = 0.0
        try:
            with _interrupt_blocked():
                self.process.start()
        except (OSError, ValueError, RuntimeError) as error:
            raise WorkerError(
                f"a worker process cannot be started ({' '.join(str(error).split())[:200]}): "
                "in a script, keep the call under if __name__ == '__main__'; otherwise use one "
                "process (--jobs 1)"
            ) from error
        theirs.close()

    def take(self, chunk: _Chunk, function: bytes) -> None:
        """Start to work on a chunk."""
        news = None if function is self.function else function
        message = packed(Task(news, chunk.items), "this work")
        self.function = function
        self.chunk, self.answered, self._since = chunk, 0, time.monotonic()
        # A process that died already is noticed when its answer is read.
        with suppress(OSError):
            self.connection.send_bytes(message)

    def seconds(self) -> float:
        """Return the time since it took its chunk."""
        return time.monotonic() - self._since

    def death(self) -> str:
        """Describe how the process ended."""
        self.connection.close()
        self.process.join(_STOP_SECONDS)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
            return "closed its connection"
        if code < 0:
            with suppress(ValueError):
                return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"


class _Work(Generic[_ItemT, _ResultT]):
    """One sequence of items: who works on what, and the results that wait for their turn."""

    def __init__(
        self,
        workers: list[_Worker],
        function: bytes,
        size: int,
        lost: Callable[[_ItemT, str], _ResultT],
    ) -> None:
        """Use the workers there are, and add and remove some.

        Args:
            size: The most workers.
        """
        self._function = function
        self._size = size
        self._lost = lost
        self._workers = workers
        self._again: deque[_Chunk] = deque()
        self._done: dict[int, _ResultT | Raised] = {}
        self._sent = self._given = 0
        self._chunk_size = 1
        self._failed_starts = 0
        self._has_raised = False

    def results(self, items: Iterator[_ItemT]) -> Iterator[_ResultT]:
        """Yield the results in order."""
        while True:
            self._feed(items)
            if self._given not in self._done:
                busy = [each for each in self._workers if each.chunk is not None]
                if not busy:
                    return
                self._collect(None)
                continue
            result = self._done.pop(self._given)
            self._given += 1
            if isinstance(result, Raised):
                raise result.error
            yield result
            self._collect(0)

    def _feed(self, items: Iterator[_ItemT]) -> None:
        """Give every idle worker a chunk, and start workers while there is work for them."""
        idle = deque(each for each in self._workers if each.chunk is None)
        while idle or len(self._workers) < self._size:
            chunk = self._again.popleft() if self._again else self._next(items)
            if chunk is None:
                return
            if not idle:
                self._workers.append(_Worker())
                idle.append(self._workers[-1])
            idle.popleft().take(chunk, self._function)

    def _next(self, items: Iterator[_ItemT]) -> _Chunk | None:
        ahead = self._size * max(_FEWEST_AHEAD, _CHUNKS_AHEAD * self._chunk_size)
        if self._has_raised or self._sent - self._given >= ahead:
            return None
        some = tuple(islice(items, self._chunk_size))
        if not some:
            return None
        chunk = _Chunk(self._sent, some)
        self._sent += len(some)
        return chunk

    def _collect(self, patience: float | None) -> None:
        """Take in what workers have sent; wait for the first of it without a limit if None."""
        busy = [each for each in self._workers if each.chunk is not None]
        heard = wait([each.connection for each in busy], patience)
        for worker in busy:
            if worker.connection in heard:
                self._hear(worker)

    def _hear(self, worker: _Worker) -> None:
        """Take in one message of a worker, or its death."""
        try:
            answer = pickle.loads(worker.connection.recv_bytes())
        except (EOFError, OSError):
            self._bury(worker)
            return
        if isinstance(answer, WorkerError):
            raise answer
        if isinstance(answer, Ready):
            self._failed_starts = 0
            worker.ready = True
            return
        chunk = worker.chunk
        assert chunk is not None
        self._done[chunk.first + worker.answered] = answer
        worker.answered += 1
        self._has_raised = self._has_raised or isinstance(answer, Raised)
        if worker.answered == len(chunk.items) or isinstance(answer, Raised):
            each = max(worker.seconds() / worker.answered, 1e-6)
            self._chunk_size = max(1, min(int(_CHUNK_SECONDS / each), _LARGEST_CHUNK))
            worker.chunk = None

    def _bury(self, worker: _Worker) -> None:
        """Plan anew what a process that died has left."""
        self._workers.remove(worker)
        how = worker.death()
        chunk = worker.chunk
        assert chunk is not None
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS or not any(w.ready for w in self._workers):
                raise WorkerError(
                    f"a worker process {how} before it could start: in a script, keep the call "
                    "under if __name__ == '__main__'; otherwise use one process (--jobs 1)"
                )
            self._again.append(chunk)
            return
        index = chunk.first + worker.answered
        item, *others = chunk.items[worker.answered :]
        if chunk.again:
            self._done[index] = self._lost(item, how)
            return
        self._again.append(_Chunk(index, (item,), again=True))
        if others:
            self._again.append(_Chunk(index + 1, tuple(others)))


def _end_all(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.process.terminate()
    until = time.monotonic() + _STOP_SECONDS
    for worker in workers:
        worker.process.join(max(0.0, until - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()
    workers.clear()


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """Start processes so that an interrupt doesn't reach them: their parent decides."""
    if sys.platform == "win32":
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    # Starting the tracker changes the mask.
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
