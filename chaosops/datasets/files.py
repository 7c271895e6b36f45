"""Files of rows, and a folder of them that is written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from chaosops.datasets.errors import ExportError
from chaosops.datasets.parquet import Parquet, pyarrow
from chaosops.datasets.rows import ROW_OF, ExportRow, Format
from chaosops.datasets.splits import Split
from chaosops.datasets.unfinished import UnfinishedFolder


class RowFile(Protocol):
    """A file that takes rows of one model, and reads them back."""

    suffix: str

    def write(self, row: ExportRow) -> None:
        """Append a row."""

    def close(self) -> None:
        """Flush everything to disk."""

    def discard(self) -> None:
        """Close the file without finishing it."""


class JsonLines:
    """A file with one JSON object per line."""

    suffix = ".jsonl"

    def __init__(self, path: Path, model: type[ExportRow]) -> None:
        self._file = path.open("xb")

    def write(self, row: ExportRow) -> None:
        """Append a row."""
        self._file.write(row.model_dump_json().encode() + b"\n")

    def close(self) -> None:
        """Flush everything to disk."""
        with self._file:
            self._file.flush()
            os.fsync(self._file.fileno())

    def discard(self) -> None:
        """Close the file without finishing it."""
        with suppress(OSError):
            self._file.close()

    @staticmethod
    def read(path: Path, model: type[ExportRow]) -> Iterator[ExportRow]:
        """Read the rows of a file, each checked."""
        with path.open("rb") as file:
            for line in file:
                yield model.model_validate_json(line)


class DataSetFolder:
    """Collects rows in a temporary folder beside the target, and renames it on success.

    As a context manager it leaves nothing behind unless `finish` returned.
    """

    def __init__(self, target: Path, *, parquet: bool = False) -> None:
        """Begin a data set.

        Args:
            target: The final folder, which must not exist or be empty.

        Raises:
            ExportError: It is not empty, or can't be made.
        """
        self.target = target
        self._kind: type[JsonLines] | type[Parquet] = Parquet if parquet else JsonLines
        self._files: dict[tuple[Format, Split], RowFile] = {}
        self.counts: dict[tuple[Format, Split], int] = {}
        if parquet:
            pyarrow()
        try:
            if target.exists() and (not target.is_dir() or any(target.iterdir())):
                raise ExportError(f"{target} exists and is not empty: choose a new folder")
            self._unfinished = UnfinishedFolder(target)
        except OSError as error:
            raise self._failed(error) from error
        self._folder = self._unfinished.path

    def __enter__(self) -> DataSetFolder:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.discard()
        self._unfinished.remove()

    def add(self, kind: Format, split: Split, row: ExportRow) -> None:
        """Append a row.

        Raises:
            ExportError: The disk failed.
        """
        self._guard(lambda: self._file(kind, split).write(row))
        self.counts[kind, split] = self.counts.get((kind, split), 0) + 1

    def finish(self, card: Callable[[], str]) -> None:
        """Check every row on disk once more, write the card, and rename the folder.

        If every row would be for testing, all are for training.

        Args:
            card: Makes the text of README.md from the final `counts`.

        Raises:
            ExportError: The disk failed, or a row on it is not what was written.
        """
        self._guard(lambda: self._finish(card))

    def path_of(self, kind: Format, split: Split) -> str:
        """Return the path of the rows within the folder."""
        return f"{kind.value}/{split.value}{self._kind.suffix}"

    def _finish(self, card: Callable[[], str]) -> None:
        for file in self._files.values():
            file.close()
        if all(split is Split.TEST for _, split in self.counts):
            self._train_on_all()
        for (kind, split), count in self.counts.items():
            self._check(kind, split, count)
        readme = self._folder / "README.md"
        readme.write_text(card(), encoding="utf-8")
        with readme.open("rb") as written:
            os.fsync(written.fileno())
        self._unfinished.become(self.target)

    def _train_on_all(self) -> None:
        for kind, _ in list(self.counts):
            old = self._folder / self.path_of(kind, Split.TEST)
            old.rename(self._folder / self.path_of(kind, Split.TRAIN))
            self.counts[kind, Split.TRAIN] = self.counts.pop((kind, Split.TEST))

    def _check(self, kind: Format, split: Split, count: int) -> None:
        path = self.path_of(kind, split)
        try:
            found = sum(1 for _ in self._kind.read(self._folder / path, ROW_OF[kind]))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            raise ExportError(f"{path} does not match what was written: {first['msg']}") from None
        if found != count:
            raise ExportError(f"{path} has {found} rows, and {count} were written: try again")

    def _file(self, kind: Format, split: Split) -> RowFile:
        if (kind, split) not in self._files:
            path = self._folder / self.path_of(kind, split)
            path.parent.mkdir(exist_ok=True)
            self._files[kind, split] = self._kind(path, ROW_OF[kind])
        return self._files[kind, split]

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> ExportError:
        why = os.strerror(error.errno) if error.errno else str(error)
        return ExportError(
            f"cannot write the data set {self.target}: {why}; nothing was left there: "
            "free disk space, or choose another folder"
        )
