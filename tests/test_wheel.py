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


ONLY_A_TRIAL = """#!/bin/sh
case "$*" in *trial.c*) exec cc "$@" ;; esac
exit 1
"""
"""A compiler that fails on anything but the line by which it is tried."""


@pytest.mark.parametrize(
    ("asked", "compiler"),
    [("", "false"), ("", "./only-a-trial"), ("0", "cc")],
    ids=["no compiler", "it does not compile", "left out"],
)
def test_without_the_compiled_core_it_is_plain_python(
    asked: str, compiler: str, tmp_path: Path
) -> None:
    script = tmp_path / "only-a-trial"
    script.write_text(ONLY_A_TRIAL, encoding="utf-8")
    script.chmod(0o755)
    compiler = compiler.replace(".", str(tmp_path), 1) if compiler.startswith(".") else compiler
    built = wheel(tmp_path / "built", CHAOSOPS_COMPILE=asked, CC=compiler)
    assert built.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
    assert "chaosops/env/world.py" in names
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
    with pytest.raises(RuntimeError, match="the C compiler does not work: exit code 1"):
        wheel(tmp_path, CHAOSOPS_COMPILE="1", CC="false")
