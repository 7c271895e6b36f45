"""Finds and opens scenario files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from chaosops.env.models import Difficulty
from chaosops.errors import ScenarioError
from chaosops.scenarios.file_checks import id_place, same_id
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import builtin_folder, cause_files, incident_files
from chaosops.scenarios.problems import Problem, instead, shown
from chaosops.scenarios.renamed_ids import current_id, replaced_ids
from chaosops.scenarios.rendering import ScenarioSource, file_error

_LEVELS = tuple(Difficulty)


def open_scenario(id_or_path: str | Path, folders: Sequence[Path] = ()) -> ScenarioSource:
    """Open the incident with an id, or in a file.

    Args:
        id_or_path: A path, or text with a slash or the ending `.yaml`, is a file; other text is
            the id of an incident in one of the folders or the built-in set. An id that was
            renamed opens the incident under its new one.
        folders: The user's scenario folders.

    Raises:
        ScenarioError: There is none, there are two, or its file is broken.
    """
    if isinstance(id_or_path, Path) or _looks_like_path(id_or_path):
        path, home = Path(id_or_path), None
    else:
        path, home = _find(id_or_path, folders)
    source, problems = FileReader(folders).incident(path, home)
    if source is None or problems:
        raise file_error(path, problems)
    return source


def open_canonical(failure_type: str) -> ScenarioSource:
    """Open the built-in situation of a failure type: the first one whose seeds draw it.

    Only files that name a cause of that type are parsed: an id in a line of text is enough to leave
    out the others.

    Raises:
        ScenarioError: There is no incident of that type.
    """
    named = {
        path.stem
        for path in cause_files(()).values()
        if path.stem == failure_type
        or f"failure_type: {failure_type}" in path.read_text("utf-8").splitlines()
    }
    reader = FileReader(())
    for path, home in sorted(incident_files((), []), key=_by_level):
        text = path.read_text("utf-8")
        if not any(cause in text for cause in named):
            continue
        source, _problems = reader.incident(path, home)
        if source is not None and failure_type in source.drawing.diagnoses:
            return source
    raise ScenarioError(f"no built-in incident for {shown(failure_type)}")


def _by_level(file: tuple[Path, Path]) -> tuple[int, str]:
    """Order built-in files from the easiest on, with the lessons, which are fixed, at the end."""
    path, _home = file
    level = _LEVELS.index(Difficulty(path.parent.name))
    return (level or len(_LEVELS), path.stem)


def find_scenarios(folders: Sequence[Path] = ()) -> list[ScenarioSource]:
    """Return every incident that can be played, by level and then by id.

    Broken files in the user's folders are left out; `scan` reports them.

    Raises:
        ScenarioError: A built-in file is broken.
    """
    sources, problems = scan(folders)
    builtin = builtin_folder()
    for problem in problems:
        if problem.path.is_relative_to(builtin):
            raise ScenarioError(f"{problem} (a built-in file: install chaosops again)")
    return sources


def scan(folders: Sequence[Path] = ()) -> tuple[list[ScenarioSource], list[Problem]]:
    """Return every playable incident, by level and then by id, and the problems of the others."""
    sources: dict[str, ScenarioSource] = {}
    problems: list[Problem] = []
    reader = FileReader(folders)
    first: dict[str, Path] = {}
    for path, home in incident_files(folders, problems):
        other = first.setdefault(path.stem, path)
        if other is not path:
            problems.append(same_id(path, other))
            continue
        source, found = reader.incident(path, home)
        problems += found
        if source is not None and not found:
            sources[source.id] = source
    ordered = sorted(sources.values(), key=lambda source: (_LEVELS.index(source.level), source.id))
    return ordered, problems


def _looks_like_path(text: str) -> bool:
    return "/" in text or os.sep in text or text.endswith((".yaml", ".yml"))


def _files_of(name: str, files: Sequence[tuple[Path, Path]]) -> list[tuple[Path, Path]]:
    return [(path, home) for path, home in files if path.stem == name]


def _find(name: str, folders: Sequence[Path]) -> tuple[Path, Path]:
    """Find the file of an id, current or former, and its scenario folder."""
    problems: list[Problem] = []
    files = list(incident_files(folders, problems))
    found = _files_of(name, files) or _files_of(current_id(name), files)
    if len(found) == 1:
        return found[0]
    if found:
        both = " and ".join(id_place(path) for path, _home in found[:2])
        raise ScenarioError(f'the id "{shown(name)}" is in {both}; rename one of them')
    for problem in problems:
        if problem.line == 0:
            raise ScenarioError(str(problem))
    if (now := replaced_ids().get(current_id(name))) is not None:
        raise ScenarioError(
            f"{name} is no more: play {now} instead, which opens alike and has other answers"
        )
    cure = instead(name, [path.stem for path, _home in files])
    raise ScenarioError(f'no scenario "{shown(name)}"; {cure} (see `chaosops scenarios list`)')
