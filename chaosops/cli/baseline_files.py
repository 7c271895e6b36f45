"""The files of `chaosops baseline`: rows, the table and the reward curves."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from chaosops.env.engine import ENGINE
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.baselines.episodes import BaselineEpisode
from chaosops.evaluation.baselines.plots import svg_plot
from chaosops.evaluation.baselines.summary import (
    BaselineCell,
    BaselineSummary,
    IncidentCell,
    Interval,
)
from chaosops.files import why
from chaosops.version import __version__

ROWS: Final = "rows.jsonl"
PARQUET: Final = "rows.parquet"
TABLE: Final = "table.md"
CURVES: Final = "curves.svg"
SUMMARY: Final = "summary.json"

_TITLE: Final = "Cumulative reward by turn, mean and 95 % confidence band"
_BATCH: Final = 256


class BaselineFolder:
    """A folder that is filled while the episodes are played.

    If the command is interrupted, the rows so far stay.
    """

    def __init__(self, folder: Path) -> None:
        """Create the folder, and its files of rows.

        Raises:
            ChaosOpsError: It has files already, or can't be written to.
        """
        self.path = folder
        self._parquet: _ParquetRows | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise ChaosOpsError(f"{folder} is not empty: name another folder with --out DIR")
            self._rows = (folder / ROWS).open("x", encoding="utf-8")
        except OSError as error:
            raise _cannot_write(folder, error) from error
        if importlib.util.find_spec("pyarrow") is not None:
            self._parquet = _ParquetRows(folder / PARQUET)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._rows.close()
        if self._parquet is not None:
            self._parquet.close()

    def add(self, episode: BaselineEpisode) -> None:
        """Write an episode's row.

        Raises:
            ChaosOpsError: The disk failed.
        """
        row = episode.row()
        try:
            self._rows.write(f"{json.dumps(row)}\n")
            if self._parquet is not None:
                self._parquet.add(row)
        except OSError as error:
            raise _cannot_write(self.path, error) from error

    def finish(self, summary: BaselineSummary, played: dict[str, Any]) -> None:
        """Write the table, the curves and the summary.

        Args:
            played: What was played, for the summary.

        Raises:
            ChaosOpsError: The disk failed.
        """
        cells, curves = summary.cells(), summary.curves()
        about = {"chaosops": __version__, "engine": ENGINE, **played}
        found = {
            **about,
            "table": [cell_object(cell) for cell in cells],
            "incidents": [incident_object(cell) for cell in summary.incidents()],
            "curves": [
                {**curve._asdict(), "points": [point._asdict() for point in curve.points]}
                for curve in curves
            ],
        }
        try:
            self._rows.flush()
            by_incident = incident_table(summary.incidents())
            self._write(TABLE, f"{markdown_table(cells)}\n\n{by_incident}\n")
            self._write(CURVES, svg_plot(curves, _TITLE))
            self._write(SUMMARY, f"{json.dumps(found, indent=2)}\n")
        except OSError as error:
            raise _cannot_write(self.path, error) from error

    def _write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")


def cell_object(cell: BaselineCell) -> dict[str, Any]:
    """Return a cell as JSON values."""
    return {
        **cell._asdict(),
        "level": cell.level.value,
        "resolved": cell.resolved._asdict(),
        "reward": cell.reward._asdict(),
    }


def incident_object(cell: IncidentCell) -> dict[str, Any]:
    """Return the results on an incident as JSON values."""
    return {**cell._asdict(), "level": cell.level.value}


HEADING: Final = (
    "level",
    "policy",
    "resolved",
    "reward",
    "MTTR",
    "wrong fixes",
    "grounded",
    "coverage",
    "episodes",
)


def table_rows(cells: Sequence[BaselineCell]) -> list[list[str]]:
    """Return the rows of the table as text, without the heading."""
    return [
        [
            cell.level.value,
            cell.policy,
            _percent(cell.resolved),
            f"{cell.reward.mean:.1f} ({cell.reward.low:.1f} to {cell.reward.high:.1f})",
            "-" if cell.mttr is None else f"{cell.mttr:.1f}",
            f"{cell.wrong_fixes:.2f}",
            _share(cell.process["grounded_share"]),
            _share(cell.process["coverage"]),
            str(cell.episodes),
        ]
        for cell in cells
    ]


def markdown_table(cells: Sequence[BaselineCell]) -> str:
    """Return the table as Markdown."""
    return _markdown(HEADING, 2, table_rows(cells))


def incident_table(cells: Sequence[IncidentCell]) -> str:
    """Return a line for each incident as Markdown: resolved and mean reward of each policy."""
    policies = tuple(dict.fromkeys(cell.policy for cell in cells))
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in cells:
        figures = f"{cell.resolved:.0%}, {cell.reward:.1f}"
        lines.setdefault((cell.level.value, cell.incident), {})[cell.policy] = figures
    rows = [
        [level, incident, *(found.get(policy, "-") for policy in policies)]
        for (level, incident), found in lines.items()
    ]
    return _markdown(("level", "incident", *policies), 2, rows)


def _markdown(heading: Sequence[str], words: int, rows: Sequence[Sequence[str]]) -> str:
    """Return a table as Markdown, its first columns words and the others figures."""
    lines = [heading, (*("---",) * words, *("---:",) * (len(heading) - words)), *rows]
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _percent(share: Interval) -> str:
    return f"{share.mean:.0%} ({share.low:.0%} to {share.high:.0%})"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _cannot_write(folder: Path, error: OSError) -> ChaosOpsError:
    return ChaosOpsError(
        f"cannot write to {folder}: {why(error)}; name another folder with --out DIR"
    )


class _ParquetRows:
    """The same rows as Parquet."""

    def __init__(self, path: Path) -> None:
        self._arrow: Any = importlib.import_module("pyarrow")
        text, number, whole = self._arrow.string(), self._arrow.float64(), self._arrow.int64()
        flag = self._arrow.bool_()
        types = {
            "policy": text, "scenario": text, "topology": text, "level": text, "seed": whole,
            "cause": text, "resolved": flag, "mttr": whole, "turns": whole, "reward": number,
            "wrong_fixes": whole, "flags": self._arrow.list_(text), "diagnosis": text,
            "grounded": flag, "coverage": number, "looks": whole, "redundant_looks": whole,
            "time_to_ease": whole, "time_to_diagnose": whole, "error": text,
            "rewards": self._arrow.list_(number),
        }  # fmt: skip
        self._schema = self._arrow.schema(list(types.items()))
        writer = importlib.import_module("pyarrow.parquet").ParquetWriter
        self._writer = writer(path, self._schema, compression="zstd")
        self._batch: list[dict[str, object]] = []

    def add(self, row: dict[str, object]) -> None:
        self._batch.append(row)
        if len(self._batch) >= _BATCH:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._batch:
            self._writer.write_table(self._arrow.Table.from_pylist(self._batch, self._schema))
            self._batch.clear()
