"""The rows of a baseline as Parquet, if that is installed."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chaosops.cli import baseline_files
from chaosops.cli.baseline_files import PARQUET, ROWS
from tests.cli.helpers import run_here

SMALL = (
    "baseline",
    "--set",
    "paying-ends-in-an-error",
    "--seeds",
    "0:3",
    "--policies",
    "random,expert",
)


@pytest.mark.parametrize("batch", [1, 256])
def test_parquet_holds_the_same_rows_as_json_lines(
    batch: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(baseline_files, "_BATCH", batch)
    assert run_here(capsys, *SMALL, "--out", str(tmp_path / "out")).code == 0
    lines = (tmp_path / "out" / ROWS).read_text("utf-8").splitlines()
    table = pq.read_table(tmp_path / "out" / PARQUET)
    assert table.to_pylist() == [json.loads(line) for line in lines]
    assert table.schema.names == list(json.loads(lines[0]))
