"""A worker process: what it is sent, what it answers, and its loop."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from traceback import format_exc
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from chaosops.errors import ChaosOpsError


class WorkerError(ChaosOpsError):
    """Work that can't be done in other processes; the text says what to do."""


class Raised(NamedTuple):
    """What a function raised for an item."""

    error: Exception


class Ready(NamedTuple):
    """Says that a worker has started."""


class _ItemError(Exception):
    """Carries what a function raised for an item."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Task(NamedTuple):
    """A message to a worker: a function, if it is another one, and the next items."""

    function: bytes | None
    items: tuple[Any, ...]


def packed(thing: object, what: str) -> bytes:
    """Pickle something for another process.

    Args:
        what: Its name in the error.

    Raises:
        WorkerError: It can't be pickled.
    """
    try:
        return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise WorkerError(
            f"{what} cannot be sent to another process ({error}): define it at the top level of a "
            "module, or use one process (--jobs 1)"
        ) from error


def work(connection: Connection) -> None:
    """Apply functions to the items that come, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        try:
            _send(connection, Ready())
            function: Callable[[Any], Any]
            while True:
                task: Task = _unpacked(connection.recv_bytes())
                if task.function is not None:
                    function = _unpacked(task.function)
                for item in task.items:
                    answer = _answer(function, item)
                    _send(connection, answer)
                    if isinstance(answer, Raised):
                        break
        except WorkerError as error:
            connection.send_bytes(pickle.dumps(error))


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    # Unwinding closes recordings that are being written.
    sys.exit(0)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _unpacked(message: bytes) -> Any:
    try:
        return pickle.loads(message)
    except Exception as error:
        raise WorkerError(
            f"a worker process cannot read its work ({type(error).__name__}: {error}): define "
            "functions and policies in a module that can be imported, or use one process "
            "(--jobs 1)"
        ) from error


def _answer(function: Callable[[Any], Any], item: object) -> object:
    """Return the result, or what was raised instead."""
    try:
        return _result(function, item)
    except _ItemError as error:
        return Raised(error.cause)


def _result(function: Callable[[Any], Any], item: object) -> object:
    try:
        return function(item)
    except Exception as error:
        error.add_note(f"in a worker process:\n{format_exc()}")
        raise _ItemError(error) from error


def _send(connection: Connection, answer: object) -> None:
    """Send an answer; an error that can't be sent is replaced by its text."""
    if isinstance(answer, Raised):
        try:
            _unpacked(packed(answer, "this error"))
        except WorkerError:
            answer = Raised(WorkerError(f"{type(answer.error).__name__}: {answer.error}"))
    connection.send_bytes(packed(answer, "a result"))
