import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet as pq
import pytest

from chaosops.datasets.rows import ROW_OF, Format
from chaosops.recording.events import ConsentScope
from chaosops.recording.turn_sources import TurnSource
from tests.datasets.games import SRE, export, game, rows

ANYBODY = frozenset(TurnSource)


@pytest.mark.parametrize("kind", list(Format))
def test_parquet_holds_the_same_rows_as_json_lines(kind: Format, tmp_path: Path) -> None:
    scopes = (ConsentScope.ACTIONS,)
    game(tmp_path / "logs", people=(SRE,), scopes=scopes, copilot="random", max_turns=12)
    export(tmp_path / "logs", tmp_path / "lines", kind, sources=ANYBODY)
    export(tmp_path / "logs", tmp_path / "parquet", kind, sources=ANYBODY, parquet=True)
    table = pq.read_table(tmp_path / "parquet" / kind.value / "train.parquet")
    assert table.to_pylist() == rows(tmp_path / "lines", kind)
    assert table.schema.names == list(ROW_OF[kind].model_fields)
    assert not any(field.nullable for field in table.schema)


def test_the_types_do_not_depend_on_the_rows(tmp_path: Path) -> None:
    game(tmp_path / "a", max_turns=4)
    game(tmp_path / "b", people=(SRE,), scopes=(ConsentScope.ACTIONS,), max_turns=8)
    for name in ("a", "b"):
        export(tmp_path / name, tmp_path / f"set-{name}", Format.SFT, sources=ANYBODY, parquet=True)
    first, second = (
        pq.read_schema(tmp_path / f"set-{name}" / "sft" / "train.parquet") for name in ("a", "b")
    )
    assert first == second


def test_pandas_is_never_loaded_as_it_takes_more_memory_than_the_export(tmp_path: Path) -> None:
    game(tmp_path / "logs", max_turns=4)
    (tmp_path / "pandas.py").write_text("raise SystemExit('pandas was loaded')")
    command = ("export", "--format", "rewards", "--source", "scripted", "--parquet")
    done = subprocess.run(
        [sys.executable, "-m", "chaosops", "recordings", *command, "set", "logs"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_its_memory_is_the_systems_which_takes_it_back(tmp_path: Path) -> None:
    before = pyarrow.default_memory_pool()
    other = next(name for name in pyarrow.supported_memory_backends() if name != "system")
    pyarrow.set_memory_pool(getattr(pyarrow, f"{other}_memory_pool")())
    try:
        game(tmp_path / "logs", max_turns=4)
        export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY, parquet=True)
        assert pyarrow.default_memory_pool().backend_name == "system"
    finally:
        pyarrow.set_memory_pool(before)
