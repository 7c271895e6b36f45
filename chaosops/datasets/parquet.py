"""Parquet files of rows; needs the `parquet` extra."""

from __future__ import annotations

import importlib
import io
import os
import types
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel

from chaosops.datasets.errors import ExportError
from chaosops.datasets.rows import ExportRow

_BATCH: Final = 64
"""Rows per row group: more take more memory, fewer more disk space."""


class Parquet:
    """A Parquet file."""

    suffix = ".parquet"

    def __init__(self, path: Path, model: type[ExportRow]) -> None:
        self._arrow = pyarrow()
        self._schema = self._arrow.schema(
            [
                self._arrow.field(name, _arrow_type(self._arrow, field.annotation), nullable=False)
                for name, field in model.model_fields.items()
            ]
        )
        self._file = path.open("xb")
        writer = importlib.import_module("pyarrow.parquet").ParquetWriter
        # Statistics keep the lowest and the highest prompt of each group in memory to the end.
        self._writer = writer(self._file, self._schema, compression="zstd", write_statistics=False)
        self._rows: list[bytes] = []

    def write(self, row: ExportRow) -> None:
        """Append a row."""
        self._rows.append(row.model_dump_json().encode())
        if len(self._rows) >= _BATCH:
            self._flush()

    def close(self) -> None:
        """Flush everything to disk."""
        with self._file:
            self._flush()
            self._writer.close()
            self._file.flush()
            os.fsync(self._file.fileno())

    def discard(self) -> None:
        """Close the file without finishing it."""
        with suppress(OSError, ValueError):
            self._writer.close()
        with suppress(OSError):
            self._file.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._table(b"\n".join(self._rows)))
            self._rows.clear()

    def _table(self, lines: bytes) -> Any:
        # Through JSON, since pyarrow loads pandas, with all of its memory, to read Python objects.
        json = importlib.import_module("pyarrow.json")
        table = json.read_json(
            io.BytesIO(lines),
            json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            json.ParseOptions(explicit_schema=self._schema, unexpected_field_behavior="error"),
        )
        return table.cast(self._schema)

    @staticmethod
    def read(path: Path, model: type[ExportRow]) -> Iterator[ExportRow]:
        """Read the rows of a file, each checked."""
        file = importlib.import_module("pyarrow.parquet").ParquetFile(path, pre_buffer=False)
        with file:
            for batch in file.iter_batches(_BATCH, use_threads=False):
                for row in batch.to_pylist():
                    yield model.model_validate(row)


def pyarrow() -> types.ModuleType:
    """Import the library that writes Parquet, and let it use the system's memory allocator.

    Raises:
        ExportError: It is not installed.
    """
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        raise ExportError(
            "Parquet needs pyarrow: pip install 'chaosops[parquet]', or remove --parquet"
        ) from None
    # Its own pools keep freed memory, a quarter of what an export takes.
    arrow.set_memory_pool(arrow.system_memory_pool())
    return arrow


def _arrow_type(arrow: Any, kind: Any) -> Any:
    origin = get_origin(kind)
    if origin is Annotated:
        return _arrow_type(arrow, get_args(kind)[0])
    if origin is list:
        return arrow.list_(arrow.field("item", _arrow_type(arrow, get_args(kind)[0]), False))
    if origin is Literal:
        return arrow.string()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return arrow.struct(
            [
                arrow.field(name, _arrow_type(arrow, field.annotation), nullable=False)
                for name, field in kind.model_fields.items()
            ]
        )
    return {str: arrow.string, bool: arrow.bool_, int: arrow.int64, float: arrow.float64}[kind]()
