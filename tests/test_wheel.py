"""What `pip install .` installs where the core cannot be compiled."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.compiled import wheel


def test_where_the_core_does_not_compile_it_stays_plain_python(tmp_path: Path) -> None:
    built = wheel(tmp_path, CHAOSOPS_COMPILE="", CC="false")
    assert built.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
    assert "chaosops/env/physics.py" in names
    assert not [name for name in names if name.endswith((".so", ".pyd"))]
