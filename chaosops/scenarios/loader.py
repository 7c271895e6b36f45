"""Finds and opens scenario files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from chaosops.env.models import Difficulty
from chaosops.errors import ScenarioError
from chaosops.scenarios.file_checks import id_place, same_id
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import builtin_folder, incident_files
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
    """Open the canonical built-in incident of a failure type.

    It is the one that is marked `canonical`, or else the one with the alphabetically first id, or
    else the first situation above the tutorial whose seeds may draw the type. Neither key is ever
    a template, so lines of text are enough to find a file.

    Raises:
        ScenarioError: There is no incident of that type.
    """
    wanted = f"failure_type: {failure_type}"
    found: dict[tuple[bool, str], Path] = {}
    for path, _home in incident_files((), []):
        lines = path.read_text("utf-8").splitlines()
        if wanted in lines:
            found[("canonical: true" not in lines, path.stem)] = path
    if found:
        return open_scenario(found[min(found)])
    drawn = [
        source
        for source in find_scenarios()
        if source.drawing and failure_type in source.drawing.diagnoses
    ]
    if drawn:
        return min(drawn, key=lambda source: source.level is Difficulty.TUTORIAL)
    raise ScenarioError(f"no built-in incident for {shown(failure_type)}")


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
    if (now := replaced_ids().get(name)) is not None:
        raise ScenarioError(
            f"{name} is no more: play {now} instead, which opens alike and has other answers"
        )
    cure = instead(name, [path.stem for path, _home in files])
    raise ScenarioError(f'no scenario "{shown(name)}"; {cure} (see `chaosops scenarios list`)')
