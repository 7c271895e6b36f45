"""A wheel with the compiled core, unpacked: what `CHAOSOPS_COMPILE=1 pip install .` installs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def compiled(folder: Path) -> dict[str, str]:
    """Build it into a folder, in about a minute; needs a C compiler and the build's own tools.

    Returns:
        The environment in which a Python imports it, and the tests from here.
    """
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*build, "--wheel-dir", str(folder), str(ROOT)],
        env={**os.environ, "CHAOSOPS_COMPILE": "1"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the core does not compile: {done.stderr[-4000:]}")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    path = os.pathsep.join((str(folder / "unpacked"), str(ROOT)))
    return {**os.environ, "PYTHONPATH": path}
