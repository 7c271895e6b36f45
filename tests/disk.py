"""What is written to the disk, in which order."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class Disk:
    """Notes what is synced, renamed and removed, each by name, while it all happens.

    Attributes:
        events: `sync NAME`, `name NAME` where something gets that name, and `remove NAME`.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.events: list[str] = []
        self._watch(monkeypatch, "fsync", self._synced)
        for name in ("replace", "rename"):
            self._watch(monkeypatch, name, lambda _old, new: f"name {Path(new).name}")
        self._watch(monkeypatch, "unlink", lambda path: f"remove {Path(path).name}")

    def after(self, event: str) -> list[str]:
        """What happened after the last event of that name."""
        last = len(self.events) - 1 - self.events[::-1].index(event)
        return self.events[last + 1 :]

    def _watch(self, monkeypatch: pytest.MonkeyPatch, name: str, told: Callable[..., str]) -> None:
        real = getattr(os, name)

        def watched(*args: Any, **options: Any) -> Any:
            event = told(*args)
            found = real(*args, **options)
            self.events.append(event)
            return found

        monkeypatch.setattr(os, name, watched)

    @staticmethod
    def _synced(descriptor: int) -> str:
        return f"sync {Path(f'/proc/self/fd/{descriptor}').readlink().name}"
