"""Scenario files: where they are, how they are read, and everything that is wrong with them.

A scenario folder holds incidents as `**/<id>.yaml` and topologies as `topologies/<id>.yaml`.
People keep folders of their own beside the built-in one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.env.topology import Topology
from chaosops.errors import ScenarioError
from chaosops.scenarios.problems import (
    MAX_PROBLEMS,
    MORE,
    Problem,
    Wrong,
    instead,
    shown,
    shown_path,
)
from chaosops.scenarios.references import check_incident, check_topology
from chaosops.scenarios.schema import Incident
from chaosops.scenarios.templates import KEYS, Template, Value, read_template
from chaosops.scenarios.validation import validate
from chaosops.scenarios.yaml_source import Document, read_document

__all__ = [
    "MAX_SEED",
    "Problem",
    "ScenarioSource",
    "builtin_folder",
    "check_file",
    "find_scenarios",
    "open_scenario",
    "scan",
]

MAX_SEED = 2**32 - 1

TOPOLOGIES = "topologies"
"""The folder, in a scenario folder, that holds topologies."""
_MAX_ENTRIES = 20_000
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_LEVELS = tuple(Difficulty)


@dataclass(frozen=True, slots=True)
class ScenarioSource:
    """An incident file that was read and checked, ready to be rendered for any seed.

    Attributes:
        content_hash: SHA-256, in hex, of what the incident and its topology say; how the files
            are laid out, and their comments, do not matter.
        incident_hash, topology_hash: The same of each alone.
        title, level: As seed 0 has them.
    """

    path: Path
    id: str
    content_hash: str
    incident_hash: str = field(compare=False)
    topology_hash: str = field(compare=False)
    title: str = field(compare=False)
    level: Difficulty = field(compare=False)
    topology: Topology = field(compare=False, repr=False)
    _template: Template = field(compare=False, repr=False)
    _document: Document = field(compare=False, repr=False)

    def render(self, seed: int) -> Incident:
        """The incident as the seed decides it; the same in every process.

        Args:
            seed: From 0 to `MAX_SEED`.

        Raises:
            ScenarioError: The seed is out of range, or fills in something that cannot be.
        """
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise ScenarioError(
                f"{shown(repr(seed))} is no seed; use a whole number from 0 to {MAX_SEED}"
            )
        values = self._template.choose(seed)
        incident, wrong = _render(self._template, values, self.topology)
        if incident is None or wrong:
            raise _error(self.path, _place(self._document, wrong))
        return incident


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


def open_scenario(id_or_path: str | Path, folders: Sequence[Path] = ()) -> ScenarioSource:
    """The incident of that id, or in that file.

    Args:
        id_or_path: A path, or text with a slash or the ending `.yaml`, is a file; other text is
            the id of an incident in one of the folders or the built-in set.
        folders: People's own scenario folders.

    Raises:
        ScenarioError: There is none, there are two, or its file is broken.
    """
    if isinstance(id_or_path, Path) or _looks_like_path(id_or_path):
        path, home = Path(id_or_path), None
    else:
        path, home = _find(id_or_path, folders)
    source, problems = _Reader(folders).incident(path, home)
    if source is None or problems:
        raise _error(path, problems)
    return source


def open_canonical(failure_type: str) -> ScenarioSource:
    """The built-in incident that stands for a failure type.

    Only the file that says so is read as a scenario: `failure_type` and `canonical` are never
    templates, so a line of text tells which one it is.

    Raises:
        ScenarioError: No incident stands for it.
    """
    wanted = {f"failure_type: {failure_type}", "canonical: true"}
    for path, _home in _all_files((), []):
        if wanted <= set(path.read_text("utf-8").splitlines()):
            return open_scenario(path)
    raise ScenarioError(f"no built-in incident stands for {shown(failure_type)}")


def find_scenarios(folders: Sequence[Path] = ()) -> list[ScenarioSource]:
    """Every incident that can be played, by level and then by id.

    What is broken in people's own folders is left out; `scan` says what it is.

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
    """Every incident that can be played, by level and then by id, and what is wrong with others."""
    sources: dict[str, ScenarioSource] = {}
    problems: list[Problem] = []
    reader = _Reader(folders)
    first: dict[str, Path] = {}
    for path, home in _all_files(folders, problems):
        other = first.setdefault(path.stem, path)
        if other is not path:
            message = f"{shown_path(other)} has the same id; rename one of them"
            problems.append(Problem(path, 1, "id", message))
            continue
        source, found = reader.incident(path, home)
        problems += found
        if source is not None and not found:
            sources[source.id] = source
    ordered = sorted(sources.values(), key=lambda source: (_LEVELS.index(source.level), source.id))
    return ordered, problems


def check_file(path: Path, folders: Sequence[Path] = ()) -> list[Problem]:
    """Everything that is wrong with one file, in the order of its lines.

    A file in a folder named `topologies` is read as a topology, any other as an incident.

    Args:
        folders: Where an incident's topology is looked for, besides its own folder, the one
            around it and the built-in set.
    """
    reader = _Reader(folders)
    if path.absolute().parent.name == TOPOLOGIES:
        return list(reader.topology(path).problems)
    return reader.incident(path, None)[1]


class _TopologyFile(NamedTuple):
    topology: Topology | None
    says: str
    problems: tuple[Problem, ...]


class _Reader:
    """Reads files, and each topology only once."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._topologies: dict[Path, _TopologyFile] = {}

    def topology(self, path: Path) -> _TopologyFile:
        """A topology file; `topology` is None where it has problems."""
        if path not in self._topologies:
            self._topologies[path] = _read_topology(path)
        return self._topologies[path]

    def incident(
        self, path: Path, home: Path | None
    ) -> tuple[ScenarioSource | None, list[Problem]]:
        """An incident file from the scenario folder `home`, None for a file on its own."""
        document = read_document(path)
        problems = list(document.problems)
        data = document.data
        if data is None:
            return None, problems
        wrong = _check_id(path, data)
        topology, says, trouble = self._topology_of(path, home, data.get("topology"))
        if trouble:
            wrong.append(Wrong(("topology",), trouble))
        template, found = read_template(data)
        wrong += found
        incident = None
        for values in template.samples():
            rendered, found = _render(template, values, topology)
            incident = incident or rendered
            wrong += found
            if len(wrong) > MAX_PROBLEMS:
                break
        problems += _place(document, wrong)
        problems = sorted(dict.fromkeys(problems), key=lambda problem: problem.line)
        if incident is None or topology is None or problems:
            return None, problems
        source = ScenarioSource(
            path,
            incident.id,
            _digest(f"{_canonical(data)}\n{says}"),
            _digest(_canonical(data)),
            _digest(says),
            incident.title,
            incident.level,
            topology,
            template,
            replace(document, data=None),
        )
        return source, []

    def _topology_of(
        self, path: Path, home: Path | None, name: Any
    ) -> tuple[Topology | None, str, str]:
        """The topology that an incident names, what its file says, and what is wrong with it.

        The incident's own folder comes first, so a person's topology never changes what a
        built-in incident means.
        """
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            return None, "", ""
        near = path.absolute().parents[:2] if home is None else (home,)
        places = [folder / TOPOLOGIES for folder in (*near, *_homes(self._folders))]
        for place in places:
            at = place / f"{name}.yaml"
            if at.is_file():
                topology, says, problems = self.topology(at)
                return topology, says, f"it is broken: {problems[0]}" if problems else ""
        known = sorted({found.stem for place in places for found in place.glob("*.yaml")})
        return None, "", f'no topology "{name}"; {instead(name, known)}'


def _read_topology(path: Path) -> _TopologyFile:
    document = read_document(path)
    data = document.data
    if data is None:
        return _TopologyFile(None, "", document.problems)
    topology, wrong = validate(Topology, data)
    wrong = _merge(check_topology(data), wrong) + _check_id(path, data)
    problems = sorted(
        (*document.problems, *_place(document, wrong)), key=lambda problem: problem.line
    )
    return _TopologyFile(None if problems else topology, _canonical(data), tuple(problems))


def _render(
    template: Template, values: Mapping[str, Value], topology: Topology | None
) -> tuple[Incident | None, list[Wrong]]:
    data = template.fill(values)
    incident, wrong = validate(Incident, data, more_keys=KEYS)
    wrong = _merge(check_incident(data, topology), wrong)
    if template.blind:
        wrong = [item for item in wrong if not template.is_blind(item.path)]
    if wrong and template.slots:
        origin = {
            slot.path: ", ".join(f"{{{name}}}" for name in slot.names)
            for slot in template.slots
            if slot.names
        }
        wrong = [
            item._replace(message=f"{item.message} (from {origin[item.path]})")
            if item.path in origin
            else item
            for item in wrong
        ]
    return incident, wrong


def _merge(names: list[Wrong], model: list[Wrong]) -> list[Wrong]:
    """Both lists; a model's check as a whole, which stops at its first find, only on its own."""
    return names + [item for item in model if not (item.whole and names)]


def _check_id(path: Path, data: Mapping[str, Any]) -> list[Wrong]:
    name = data.get("id")
    if not isinstance(name, str) or name == path.stem:
        return []
    words = f'the file\'s name says "{shown(path.stem)}"; make the id and the name the same'
    return [Wrong(("id",), words)]


def _place(document: Document, wrong: Sequence[Wrong]) -> list[Problem]:
    problems = [document.problem(item.path, item.message) for item in wrong[:MAX_PROBLEMS]]
    if len(wrong) > MAX_PROBLEMS:
        problems.append(document.problem(wrong[MAX_PROBLEMS].path, MORE))
    return problems


def _error(path: Path, problems: Sequence[Problem]) -> ScenarioError:
    text = str(problems[0])
    if len(problems) > 1:
        command = f"chaosops scenarios validate {shown_path(path)}"
        text += f" (and {len(problems) - 1} more: run {command})"
    return ScenarioError(text)


def _canonical(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _looks_like_path(text: str) -> bool:
    return "/" in text or os.sep in text or text.endswith((".yaml", ".yml"))


def _find(name: str, folders: Sequence[Path]) -> tuple[Path, Path]:
    """The file of an id, and the scenario folder it is in."""
    problems: list[Problem] = []
    files = list(_all_files(folders, problems))
    found = [(path, home) for path, home in files if path.stem == name]
    if len(found) == 1:
        return found[0]
    if found:
        both = " and ".join(shown_path(path) for path, _home in found[:2])
        raise ScenarioError(f'the id "{shown(name)}" is in {both}; rename one of them')
    for problem in problems:
        if problem.line == 0:
            raise ScenarioError(str(problem))
    cure = instead(name, [path.stem for path, _home in files])
    raise ScenarioError(f'no scenario "{shown(name)}"; {cure} (see `chaosops scenarios list`)')


def _homes(folders: Sequence[Path]) -> list[Path]:
    """The scenario folders, people's own first, each only once."""
    homes: dict[str, Path] = {}
    for folder in (*folders, builtin_folder()):
        homes.setdefault(os.path.realpath(folder), folder)
    return list(homes.values())


def _all_files(folders: Sequence[Path], problems: list[Problem]) -> Iterator[tuple[Path, Path]]:
    """Every incident file, each only once, with the scenario folder it is in."""
    seen: set[str] = set()
    for home in _homes(folders):
        for path in _incident_files(home, problems):
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                yield path, home


def _incident_files(home: Path, problems: list[Problem]) -> Iterator[Path]:
    """The incident files of a scenario folder, in the order of their names."""
    if not home.is_dir():
        message = "there is no such folder; make it, or name another with --scenarios"
        problems.append(Problem(home, 0, "", message))
        return
    entries = 0
    for folder, inner, names in os.walk(home, onerror=lambda error: _skip(error, problems)):
        inner[:] = sorted(name for name in inner if name[0] != "." and name != TOPOLOGIES)
        entries += len(inner) + len(names)
        if entries > _MAX_ENTRIES:
            message = "it holds too many files; name a folder of scenarios only"
            problems.append(Problem(home, 0, "", message))
            return
        for name in sorted(names):
            path = Path(folder, name)
            if name[0] == "." or path.suffix not in (".yaml", ".yml"):
                continue
            if path.suffix == ".yml":
                problems.append(Problem(path, 0, "", "rename it so that it ends in .yaml"))
            else:
                yield path


def _skip(error: OSError, problems: list[Problem]) -> None:
    reason = shown(error.strerror or str(error))
    message = f"the folder cannot be read ({reason}); check its permissions"
    problems.append(Problem(Path(error.filename or "."), 0, "", message))
