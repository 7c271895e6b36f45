"""Checks scenario files, one by one and together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from chaosops.env.models import FailureType
from chaosops.scenarios.cause_files import as_read
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import (
    causes_in,
    files_in,
    homes,
    incident_files,
    is_cause,
    is_topology,
)
from chaosops.scenarios.problems import FieldPath, Problem, dotted, shown_path
from chaosops.scenarios.yaml_source import read_document


def check_file(path: Path, folders: Sequence[Path] = ()) -> list[Problem]:
    """Return all problems of one file, in the order of its lines.

    A file in a folder named `topologies` is read as a topology, one in a folder of a folder named
    `causes` as a cause, any other as an incident.

    Args:
        folders: Where to look for an incident's topology, besides its own folder, the one
            around it and the built-in set.
    """
    return FileReader(folders).check(path)


def check_files(
    paths: Iterable[Path], folders: Sequence[Path] = ()
) -> tuple[list[Path], list[Problem]]:
    """Return all problems of files, one by one and together.

    Args:
        paths: Files, and scenario folders.
        folders: The user's scenario folders, whose ids are taken as well.

    Returns:
        The files that were checked, and the problems.
    """
    given = list(paths)
    own = [path for path in given if path.is_dir()]
    problems: list[Problem] = []
    files: dict[str, Path] = {}
    for path in given:
        inside = (*files_in(path, problems), *causes_in(path)) if path.is_dir() else (path,)
        for file in inside:
            files.setdefault(os.path.realpath(file), file)
    reader = FileReader((*folders, *own))
    for file in files.values():
        problems += reader.check(file)
    incidents = {real: path for real, path in files.items() if not is_cause(path)}
    causes = [path for path in files.values() if is_cause(path)]
    problems += _check_ids(incidents, (*own, *folders))
    problems += _check_causes(causes, (*own, *folders))
    return list(files.values()), problems + _check_diagnoses(reader, causes)


def _check_diagnoses(reader: FileReader, paths: Iterable[Path]) -> list[Problem]:
    """Report each name that players may type for two causes of authors."""
    first: dict[str, tuple[Path, str]] = {}
    problems = []
    for path in paths:
        cause = reader.cause(path).cause
        if cause is None or isinstance(cause.diagnosis, FailureType):
            continue
        at = "id" if cause.failure_type is None else "failure_type"
        names: list[tuple[str, FieldPath]] = [(cause.diagnosis, (at,))]
        names += [(alias, ("aliases", i)) for i, alias in enumerate(cause.aliases)]
        for name, field in names:
            other, of = first.setdefault(as_read(name), (path, cause.id))
            if other is not path:
                words = f'{of} in {shown_path(other)} is named "{name}" too; rename one of them'
                line = read_document(path).line(field)
                problems.append(Problem(path, line, dotted(field), words))
    return problems


def _check_causes(paths: Iterable[Path], folders: Sequence[Path]) -> list[Problem]:
    """Report each cause whose id another file has, in whichever folder or family."""
    before: dict[str, Path] = {}
    for home in reversed(homes(folders)):
        for path in causes_in(home):
            before.setdefault(path.stem, path)
    return [
        same_id(path, other)
        for path in paths
        if not _is_same(path, other := before.setdefault(path.stem, path))
    ]


def _is_same(path: Path, other: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _check_ids(files: Mapping[str, Path], folders: Sequence[Path]) -> list[Problem]:
    """Report each file whose id is taken by an earlier file or in a scenario folder."""
    in_folders = {os.path.realpath(path): path for path, _home in incident_files(folders, [])}
    taken: dict[str, list[str]] = {}
    for real, path in in_folders.items():
        if real not in files:
            taken.setdefault(path.stem, []).append(real)
    problems = []
    before: dict[str, Path] = {}
    for real, path in files.items():
        if is_topology(path):
            continue
        other = before.setdefault(path.stem, path)
        if other is path and real in in_folders and path.stem in taken:
            other = in_folders[taken[path.stem][0]]
        if other is not path:
            problems.append(same_id(path, other))
    return problems


def same_id(path: Path, other: Path) -> Problem:
    """Report a file whose id is taken by another one."""
    words = f"{id_place(other)} has the same id; rename one of them"
    return Problem(path, read_document(path).line(("id",)), "id", words)


def id_place(path: Path) -> str:
    """Format the file with the line of its id."""
    return f"{shown_path(path)}:{read_document(path).line(('id',))}"
