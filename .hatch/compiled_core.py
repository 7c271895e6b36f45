"""Compiles the world with mypyc into the wheel, where there is a C compiler to do it.

The wheel then has each module both ways, and Python imports the compiled one. Nothing is written
into the source tree, and an editable install is never compiled, so that an edit always counts.

CHAOSOPS_COMPILE=0 leaves it out. With CHAOSOPS_COMPILE=1 a core that does not compile is an error;
otherwise the wheel is built without it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WISH = os.environ.get("CHAOSOPS_COMPILE", "").strip()
if _WISH not in {"", "0", "1"}:
    raise ValueError(f"CHAOSOPS_COMPILE is 0, 1 or empty, not '{_WISH}'")

# What a compiler may contract into one rounding would differ in the last bit between machines;
# what a debugger needs would be a third of the size; and a warning is none of the user's business.
_FLAGS = ["-ffp-contract=off", "-g0", "-Wno-error"] if os.name != "nt" else ["/fp:precise"]

# Calls within the core need no table of a linker that could replace them. Not every compiler has
# these, so they are tried.
_DIRECT = ["-fno-semantic-interposition", "-fno-plt"]


class CompiledCore(BuildHookInterface[Any]):
    """Adds the compiled modules that `groups` names to a wheel; a folder stands for its modules."""

    def dependencies(self) -> list[str]:
        """What is needed to build, only where something is compiled."""
        return list(self.config["needs"]) if self._is_wanted("standard") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put what comes out of it into the wheel."""
        if not self._is_wanted(version):
            return
        self._folder = tempfile.TemporaryDirectory(prefix="chaosops-core-")
        built = Path(self._folder.name, "built")
        try:
            self._compile(Path(self._folder.name), built)
        except (Exception, SystemExit) as error:
            if _WISH:
                raise
            self.app.display_warning(
                f"the core does not compile here, so it stays plain Python, which is slower and "
                f"gives the same frames: {error}"
            )
            return
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
        if self.target_name != "wheel" or version == "editable" or _WISH == "0":
            return False
        return bool(_WISH) or not _why_not()

    def _modules(self, path: str) -> list[str]:
        """A module, or those in a folder."""
        here = Path(self.root)
        found = sorted(here.joinpath(path).glob("[!_]*.py"))
        return [file.relative_to(here).as_posix() for file in found] or [path]

    def _compile(self, folder: Path, built: Path) -> None:
        if problem := _why_not():
            raise OSError(problem)
        from mypyc.build import mypycify
        from setuptools import Distribution

        groups = [
            ([file for path in paths for file in self._modules(path)], f"chaosops_{name}")
            for name, paths in self.config["groups"].items()
        ]
        here = Path.cwd()
        os.chdir(self.root)
        try:
            extensions = mypycify(
                [
                    "--config-file=",
                    f"--cache-dir={folder / 'cache'}",
                    "--follow-imports=silent",
                    "--ignore-missing-imports",
                    *(file for files, _name in groups for file in files),
                ],
                opt_level="1",
                separate=groups,
                target_dir=str(folder / "c"),
            )
            flags = [*_FLAGS, *([] if _trial(_DIRECT) else _DIRECT)]
            for extension in extensions:
                extension.extra_compile_args = [*extension.extra_compile_args, *flags]
            command = Distribution({"name": "chaosops", "ext_modules": extensions})
            build = command.get_command_obj("build_ext")
            build.build_lib, build.build_temp = str(built), str(folder / "o")
            build.parallel = len(groups)
            build.ensure_finalized()
            build.run()
        finally:
            os.chdir(here)


def _why_not() -> str:
    """Why nothing can be compiled here; empty where it can, found out by compiling one line."""
    if os.name != "posix" or sys.implementation.name != "cpython":
        return "only CPython on a POSIX system is tried"
    problem = _trial([])
    return f"the C compiler {problem}" if problem else ""


def _trial(flags: list[str]) -> str:
    """Compile one line with some flags; return what is wrong, or an empty string."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    with tempfile.TemporaryDirectory(prefix="chaosops-core-") as folder:
        source = Path(folder, "trial.c")
        source.write_text("#include <Python.h>\n", encoding="utf-8")
        include = f"-I{sysconfig.get_path('include')}"
        built = str(source.with_suffix(".o"))
        # What a compiler does not know it may only warn of.
        strict = ["-Werror", *flags] if flags else []
        command = [*compiler, *strict, include, "-c", str(source), "-o", built]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
            )
        except OSError as error:
            return f"cannot be run: {error}"
    last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    return f"does not work: {last[0]}" if done.returncode else ""
