"""What `pip install .` installs; that it compiles the core is in `test_determinism`."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.compiled import ROOT, wheel

pytestmark = pytest.mark.packaging


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
    assert "chaosops/env/service_flow.py" in names
    assert not [name for name in names if name.endswith((".so", ".pyd"))]


def test_a_source_distribution_has_all_that_a_wheel_is_built_from(tmp_path: Path) -> None:
    build = "import sys; from hatchling.build import build_sdist; build_sdist(sys.argv[1])"
    command = [sys.executable, "-c", build, str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    (source,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert ".hatch/compiled_core.py" in names
    assert not [name for name in names if name.startswith((".git/", ".venv/"))]
    built = wheel(tmp_path / "wheel", source, CHAOSOPS_COMPILE="0")
    assert built.stat().st_size > 100_000


@pytest.mark.parametrize("asked", ["no", "false", "yes"])
def test_a_wish_that_is_neither_yes_nor_no_is_named(asked: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=f"CHAOSOPS_COMPILE is 0, 1 or empty, not '{asked}'"):
        wheel(tmp_path, CHAOSOPS_COMPILE=asked)


def test_who_asks_for_the_compiled_core_is_told_why_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"CompileError: Command .*false"):
        wheel(tmp_path, CHAOSOPS_COMPILE="1", CC="false")
