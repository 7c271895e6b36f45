"""Compiles the world with mypyc into the wheel, where CHAOSOPS_COMPILE=1 asks for it.

The wheel then has each module both ways: Python imports the compiled one, and the source beside
it is what tracebacks show. Nothing is written into the source tree, and an editable install is
never compiled, so that an edit always counts.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_ASKED = os.environ.get("CHAOSOPS_COMPILE", "") not in {"", "0"}

# What a compiler may contract into one rounding would differ in the last bit between machines.
_SAME_FLOATS = ["-ffp-contract=off"] if os.name != "nt" else ["/fp:precise"]


class CompiledCore(BuildHookInterface[Any]):
    """Adds the compiled modules that `modules` names to a wheel."""

    def dependencies(self) -> list[str]:
        """What is needed to build, only where it is asked for."""
        return list(self.config["needs"]) if self._is_wanted("standard") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put what comes out of it into the wheel."""
        if not self._is_wanted(version):
            return
        self._folder = tempfile.TemporaryDirectory(prefix="chaosops-core-")
        built = Path(self._folder.name, "built")
        self._compile(Path(self._folder.name), built)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for path in built.rglob("*"):
            if path.is_file():
                build_data["force_include"][str(path)] = path.relative_to(built).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        if self._is_wanted(version):
            self._folder.cleanup()

    def _is_wanted(self, version: str) -> bool:
        return _ASKED and self.target_name == "wheel" and version != "editable"

    def _compile(self, folder: Path, built: Path) -> None:
        from mypyc.build import mypycify
        from setuptools import Distribution

        here = Path.cwd()
        os.chdir(self.root)
        try:
            extensions = mypycify(
                [
                    "--config-file=",
                    f"--cache-dir={folder / 'cache'}",
                    "--follow-imports=silent",
                    "--ignore-missing-imports",
                    *self.config["modules"],
                ],
                target_dir=str(folder / "c"),
                group_name="chaosops_core",
            )
            for extension in extensions:
                extension.extra_compile_args += _SAME_FLOATS
            command = Distribution({"name": "chaosops", "ext_modules": extensions})
            build = command.get_command_obj("build_ext")
            build.build_lib, build.build_temp = str(built), str(folder / "o")
            build.ensure_finalized()
            build.run()
        finally:
            os.chdir(here)
