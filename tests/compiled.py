"""Wheels as `pip install .` builds them, with the compiled core and without."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def wheel(folder: Path, source: Path = ROOT, **environment: str) -> Path:
    """Build it into a folder, in half a minute; needs the build's own tools.

    Args:
        source: The tree or the source distribution that it is built from.
        environment: Variables for the build.
    """
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*build, "--wheel-dir", str(folder), str(source)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the wheel cannot be built: {done.stderr[-4000:]}")
    (built,) = folder.glob("*.whl")
    return built


def compiled(folder: Path) -> dict[str, str]:
    """Build it as it is by default where there is a C compiler, and unpack it into a folder.

    A wheel that is built already is taken instead where CHAOSOPS_TEST_WHEEL names it.

    Returns:
        The environment in which a Python imports it, and the tests from here.
    """
    ready = os.environ.get("CHAOSOPS_TEST_WHEEL")
    with zipfile.ZipFile(ready or wheel(folder, CHAOSOPS_COMPILE="")) as archive:
        archive.extractall(folder / "unpacked")
    path = os.pathsep.join((str(folder / "unpacked"), str(ROOT)))
    return {**os.environ, "PYTHONPATH": path}
