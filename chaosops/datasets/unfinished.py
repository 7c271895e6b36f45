"""The hidden folder of an unfinished data set, which gets its name at the end."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from chaosops.files import sync_folder
from chaosops.recording.locking import lock_for_certain, try_lock

_UNFINISHED: Final = ".partial"
_LOCK: Final = ".chaosops-export"
"""A file in the folder that is locked while the export runs."""
_IS_LOCKED: Final = b"1"
"""Its content once it is locked: an empty one belongs to an export that is just beginning."""


class UnfinishedFolder:
    """A hidden folder beside a target, locked while an export writes to it.

    What a killed process has left is removed by the next export to the same target.
    """

    def __init__(self, target: Path) -> None:
        """Make the folder.

        Raises:
            OSError: It can't be made.
        """
        place = target.absolute()
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(place)
        made = tempfile.mkdtemp(prefix=f".{place.name}.", suffix=_UNFINISHED, dir=place.parent)
        self.path = Path(made)
        self._descriptor: int | None = None
        try:
            self._descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try_lock(self._descriptor)
            os.write(self._descriptor, _IS_LOCKED)
        except OSError:
            self.remove()
            raise

    def become(self, target: Path) -> None:
        """Rename it to its final name.

        Raises:
            OSError: The disk failed, or the name is taken.
        """
        self._let_go()
        (self.path / _LOCK).unlink()
        for folder in (*filter(Path.is_dir, self.path.iterdir()), self.path):
            sync_folder(folder)
        if target.exists():
            target.rmdir()
        self.path.rename(target)
        sync_folder(target.absolute().parent)

    def remove(self) -> None:
        """Remove it with its content, unless it has its final name."""
        self._let_go()
        shutil.rmtree(self.path, ignore_errors=True)

    def _let_go(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _remove_abandoned(target: Path) -> None:
    """Remove a target's unfinished folders that no export uses any more."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]+{re.escape(_UNFINISHED)}")
    with suppress(OSError):
        for path in target.parent.iterdir():
            if name.fullmatch(path.name) and _is_abandoned(path):
                shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    """Whether it is an unfinished folder that certainly nobody has locked."""
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        return os.fstat(descriptor).st_size > 0 and lock_for_certain(descriptor)
    finally:
        os.close(descriptor)
