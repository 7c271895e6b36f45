"""Where scenario files are.

A scenario folder holds incidents and situations as `**/<id>.yaml`, topologies as
`topologies/<id>.yaml` and causes as `causes/<family>/<id>.yaml`.
People keep folders of their own beside the built-in one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from chaosops.errors import ScenarioError
from chaosops.scenarios.problems import Problem, shown

TOPOLOGIES = "topologies"
"""The folder, in a scenario folder, that holds topologies."""

CAUSES = "causes"
"""The folder, in a scenario folder, that holds causes, each in the folder of its family."""

_MAX_ENTRIES = 20_000


def builtin_folder() -> Path:
    """The folder of the scenarios that come with the package.

    Raises:
        ScenarioError: It is not there.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "data" / "scenarios", package.parent / "scenarios"):
        if folder.is_dir():
            return folder
    raise ScenarioError("the built-in scenarios are missing; install chaosops again")


def homes(folders: Sequence[Path]) -> list[Path]:
    """The scenario folders, people's own first, each only once."""
    found: dict[str, Path] = {}
    for folder in (*folders, builtin_folder()):
        found.setdefault(os.path.realpath(folder), folder)
    return list(found.values())


def incident_files(folders: Sequence[Path], problems: list[Problem]) -> Iterator[tuple[Path, Path]]:
    """Every incident file, each only once, with the scenario folder it is in.

    Args:
        problems: What is wrong with the folders is added to it.
    """
    seen: set[str] = set()
    for home in homes(folders):
        for path in files_in(home, problems):
            real = os.path.realpath(path)
            if not is_topology(path) and real not in seen:
                seen.add(real)
                yield path, home


def is_topology(path: Path) -> bool:
    """Whether a file is read as a topology, which its folder decides."""
    return path.absolute().parent.name == TOPOLOGIES


def cause_files(folders: Sequence[Path]) -> dict[str, Path]:
    """Every cause file by id, people's own before the built-in ones."""
    found: dict[str, Path] = {}
    for home in homes(folders):
        for path in sorted((home / CAUSES).glob("*/*.yaml")):
            found.setdefault(path.stem, path)
    return found


def is_cause(path: Path) -> bool:
    """Whether a file is read as a cause, which its folder decides."""
    return path.absolute().parent.parent.name == CAUSES


def files_in(home: Path, problems: list[Problem]) -> Iterator[Path]:
    """The files of a scenario folder, in the order of their names.

    Args:
        problems: What is wrong with the folder is added to it.
    """
    if not home.is_dir():
        message = "no such folder; create it, or name another with --scenarios"
        problems.append(Problem(home, 0, "", message))
        return
    entries = 0
    for folder, inner, names in os.walk(home, onerror=lambda error: _skip(error, problems)):
        is_leaf = Path(folder).name == TOPOLOGIES
        inner[:] = (
            [] if is_leaf else sorted(name for name in inner if name[0] != "." and name != CAUSES)
        )
        entries += len(inner) + len(names)
        if entries > _MAX_ENTRIES:
            message = "too many files; use a folder that only has scenarios"
            problems.append(Problem(home, 0, "", message))
            return
        for name in sorted(names):
            path = Path(folder, name)
            if name[0] == "." or path.suffix.lower() not in (".yaml", ".yml"):
                continue
            if path.suffix != ".yaml":
                problems.append(Problem(path, 0, "", "rename it so that it ends in .yaml"))
            else:
                yield path


def _skip(error: OSError, problems: list[Problem]) -> None:
    reason = shown(error.strerror or str(error))
    message = f"the folder cannot be read ({reason}); check its permissions"
    problems.append(Problem(Path(error.filename or "."), 0, "", message))
