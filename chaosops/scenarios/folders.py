"""The folders of scenario files.

A scenario folder holds incidents and situations as `**/<id>.yaml`, topologies as
`topologies/<id>.yaml` and causes as `causes/<family>/<id>.yaml`.
Users can have their own folders besides the built-in one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from chaosops.errors import ScenarioError
from chaosops.scenarios.problems import Problem, shown

TOPOLOGIES = "topologies"
"""The folder for topologies in a scenario folder."""

CAUSES = "causes"
"""The folder for causes in a scenario folder, each in the folder of its family."""

_MAX_ENTRIES = 20_000


def builtin_folder() -> Path:
    """Return the folder of the built-in scenarios.

    Raises:
        ScenarioError: It doesn't exist.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "data" / "scenarios", package.parent / "scenarios"):
        if folder.is_dir():
            return folder
    raise ScenarioError("the built-in scenarios are missing; install chaosops again")


def homes(folders: Sequence[Path]) -> list[Path]:
    """Return the scenario folders, the user's first, each once."""
    found: dict[str, Path] = {}
    for folder in (*folders, builtin_folder()):
        found.setdefault(os.path.realpath(folder), folder)
    return list(found.values())


def incident_files(folders: Sequence[Path], problems: list[Problem]) -> Iterator[tuple[Path, Path]]:
    """Yield every incident file once, with its scenario folder.

    Args:
        problems: Problems of the folders are added to it.
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


def topology_files(folders: Sequence[Path]) -> list[Path]:
    """Return every topology file, the user's before the built-in ones."""
    return [path for home in homes(folders) for path in sorted((home / TOPOLOGIES).glob("*.yaml"))]


def cause_files(folders: Sequence[Path]) -> dict[str, Path]:
    """Return every cause file by id, the user's before the built-in ones."""
    found: dict[str, Path] = {}
    for home in homes(folders):
        for path in causes_in(home):
            found.setdefault(path.stem, path)
    return found


def causes_in(home: Path) -> list[Path]:
    """Return the cause files of a scenario folder."""
    return sorted((home / CAUSES).glob("*/*.yaml"))


def is_cause(path: Path) -> bool:
    """Whether a file is read as a cause, which its folder decides."""
    return path.absolute().parent.parent.name == CAUSES


def is_played(path: Path) -> bool:
    """Whether a file is read as an incident or a situation."""
    return not is_topology(path) and not is_cause(path)


def files_in(home: Path, problems: list[Problem]) -> Iterator[Path]:
    """Yield the files of a scenario folder, sorted by name.

    Args:
        problems: Problems of the folder are added to it.
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
