"""Writes each call of a model to a file that only its owner can read."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from chaosops.errors import ChaosOpsError
from chaosops.files import WRITE, open_descriptor, why

_MODE: Final = 0o600


class CallLog:
    """Appends JSON lines. A disk that fails ends the log, not the game.

    Attributes:
        trouble: Why the log ended; empty while it works.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, and make it private.

        Raises:
            ChaosOpsError: It can't be written.
        """
        self.trouble = ""
        self._path = path
        self._lock = threading.Lock()
        try:
            self._descriptor = _opened(path)
        except OSError as error:
            raise ChaosOpsError(
                f"cannot write the log {path}: {why(error)}; choose another file with --llm-log"
            ) from error

    def write(self, call: dict[str, Any]) -> None:
        """Append a call."""
        line = json.dumps(call, ensure_ascii=False, separators=(",", ":")) + "\n"
        # What a server sends may hold half of a surrogate pair.
        data = memoryview(line.encode("utf-8", "backslashreplace"))
        with self._lock:
            if self.trouble:
                return
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError as error:
                self.trouble = f"the log {self._path} ended: {why(error)}"


def _opened(path: Path) -> int:
    with suppress(FileExistsError):
        return os.open(path, WRITE | os.O_CREAT | os.O_EXCL | os.O_APPEND, _MODE)
    descriptor = open_descriptor(path, WRITE | os.O_APPEND)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, _MODE)
    return descriptor
