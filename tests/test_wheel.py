"""What `pip install .` installs; that it compiles the core is in `test_determinism`."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.compiled import wheel


@pytest.mark.parametrize(
    ("asked", "compiler"), [("", "false"), ("0", "cc")], ids=["it does not compile", "left out"]
)
def test_without_the_compiled_core_it_is_plain_python(
    asked: str, compiler: str, tmp_path: Path
) -> None:
    built = wheel(tmp_path, CHAOSOPS_COMPILE=asked, CC=compiler)
    assert built.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
    assert "chaosops/env/physics.py" in names
    assert not [name for name in names if name.endswith((".so", ".pyd"))]


def test_who_asks_for_the_compiled_core_is_told_why_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"CompileError: Command .*false"):
        wheel(tmp_path, CHAOSOPS_COMPILE="1", CC="false")
