"""Scenario files: how they are found and read, and everything that is wrong with them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.env.models.topology import Topology
from chaosops.errors import ScenarioError
from chaosops.scenarios.cause_files import (
    CauseFile,
    check_situation,
    named_causes,
    read_cause,
)
from chaosops.scenarios.checks.giveaways import check_giveaways
from chaosops.scenarios.checks.moves import check_moves
from chaosops.scenarios.checks.reach import check_reach
from chaosops.scenarios.checks.references import check_incident, check_topology
from chaosops.scenarios.checks.solving import check_solving
from chaosops.scenarios.drawing import Drawing
from chaosops.scenarios.folders import (
    TOPOLOGIES,
    builtin_folder,
    cause_files,
    files_in,
    homes,
    incident_files,
    is_cause,
    is_topology,
)
from chaosops.scenarios.problems import (
    MAX_PROBLEMS,
    MORE,
    FieldPath,
    Problem,
    Wrong,
    instead,
    shown,
    shown_path,
)
from chaosops.scenarios.renamed_ids import current_id
from chaosops.scenarios.schema import Incident
from chaosops.scenarios.situation import Situation
from chaosops.scenarios.templates import KEYS, Template, Value, read_template
from chaosops.scenarios.validation import validate
from chaosops.scenarios.yaml_source import Document, read_document

__all__ = [
    "MAX_SEED",
    "Problem",
    "ScenarioSource",
    "builtin_folder",
    "check_file",
    "check_files",
    "find_scenarios",
    "open_scenario",
    "scan",
]

MAX_SEED = 2**32 - 1

_MAX_LOOKED_AT = 100_000
"""Fields, over all samples, whose sense is looked at: of a huge file, not every sample is."""
_SEEDS_CHECKED = range(20)
"""Where several things vary, samples meet no more than some of what can come together."""
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
    _template: Template | Drawing = field(compare=False, repr=False)

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
        if isinstance(self._template, Drawing):
            return self._template.draw(seed)
        values = self._template.choose(seed)
        data = self._template.fill(values)
        incident, wrong = _check_data(data, self.topology)
        if incident is None or wrong:
            found = _place(read_document(self.path), _explained(self._template, wrong))
            raise _error(self.path, found)
        return incident

    @property
    def drawing(self) -> Drawing | None:
        """What a situation draws from; None for an incident with one answer."""
        return self._template if isinstance(self._template, Drawing) else None

    def line(self, path: FieldPath) -> int:
        """The line of the file that a field is on, or the nearest thing around it.

        The file is read again for it: the lines of all fields take most of a file's memory.
        """
        return read_document(self.path).line(path)


def open_scenario(id_or_path: str | Path, folders: Sequence[Path] = ()) -> ScenarioSource:
    """The incident of that id, or in that file.

    Args:
        id_or_path: A path, or text with a slash or the ending `.yaml`, is a file; other text is
            the id of an incident in one of the folders or the built-in set. An id that was
            renamed opens the incident under its new one.
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

    It is the one that is marked `canonical`, or else the one whose id is the first by name, or
    else the first situation whose seeds may draw the type. Of incidents only the file found is
    read as a scenario: neither key is ever a template, so lines of text tell.

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
    for source in find_scenarios():
        drawing = source.drawing
        if drawing and failure_type in {cause.failure_type for cause in drawing.causes.values()}:
            return source
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
    for path, home in incident_files(folders, problems):
        other = first.setdefault(path.stem, path)
        if other is not path:
            problems.append(_same_id(path, other))
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
    return _Reader(folders).check(path)


def check_files(
    paths: Iterable[Path], folders: Sequence[Path] = ()
) -> tuple[list[Path], list[Problem]]:
    """Everything that is wrong with files, each by itself and all together.

    Args:
        paths: Files, and folders, which are looked at as scenario folders.
        folders: People's own scenario folders, whose ids are taken as well.

    Returns:
        The files that were looked at, and the problems.
    """
    given = list(paths)
    own = [path for path in given if path.is_dir()]
    problems: list[Problem] = []
    files: dict[str, Path] = {}
    for path in given:
        for file in files_in(path, problems) if path.is_dir() else (path,):
            files.setdefault(os.path.realpath(file), file)
    reader = _Reader((*folders, *own))
    for file in files.values():
        problems += reader.check(file)
    return list(files.values()), problems + _check_ids(files, (*own, *folders))


def _check_ids(files: Mapping[str, Path], folders: Sequence[Path]) -> list[Problem]:
    """Each file whose id another one has: one before it, or one of the scenario folders."""
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
            problems.append(_same_id(path, other))
    return problems


def _same_id(path: Path, other: Path) -> Problem:
    words = f"{_id_place(other)} has the same id; rename one of them"
    return Problem(path, read_document(path).line(("id",)), "id", words)


def _id_place(path: Path) -> str:
    return f"{shown_path(path)}:{read_document(path).line(('id',))}"


class _TopologyFile(NamedTuple):
    topology: Topology | None
    says: str
    problems: tuple[Problem, ...]


class _Reader:
    """Reads files, and each topology only once."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._topologies: dict[Path, _TopologyFile] = {}
        self._causes: dict[Path, CauseFile] = {}

    def check(self, path: Path) -> list[Problem]:
        """Everything that is wrong with one file, in the order of its lines."""
        if is_topology(path):
            return list(self.topology(path).problems)
        if is_cause(path):
            return list(self.cause(path).problems)
        return self.incident(path, None, seeds=_SEEDS_CHECKED)[1]

    def topology(self, path: Path) -> _TopologyFile:
        """A topology file; `topology` is None where it has problems."""
        if path not in self._topologies:
            self._topologies[path] = _read_topology(path)
        return self._topologies[path]

    def cause(self, path: Path) -> CauseFile:
        """A cause file; `cause` is None where it has problems."""
        if path not in self._causes:
            self._causes[path] = read_cause(path, cause_files(self._folders))
        return self._causes[path]

    def incident(
        self, path: Path, home: Path | None, seeds: Iterable[int] = ()
    ) -> tuple[ScenarioSource | None, list[Problem]]:
        """An incident file.

        Args:
            home: The scenario folder that it is in; None for a file on its own.
            seeds: They are looked at as well as what the file declares.
        """
        document = read_document(path)
        problems = list(document.problems)
        data = document.data
        if data is None:
            return None, problems
        if "casts" in data:
            return self._situation(document, data, home)
        wrong = _check_id(path, data)
        topology, says, trouble = self._topology_of(path, home, data.get("topology"))
        if trouble:
            wrong.append(Wrong(("topology",), trouble))
        template, found = read_template(data)
        wrong += found
        size = len(document.lines)
        incident, found = _look_through(template, template.samples(), topology, size)
        wrong += found
        if not wrong:
            chosen = (template.choose(seed) for seed in seeds)
            wrong = _look_through(template, chosen, topology, size)[1]
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
        )
        return source, []

    def _situation(
        self, document: Document, data: dict[str, Any], home: Path | None
    ) -> tuple[ScenarioSource | None, list[Problem]]:
        """A situation file, with the causes that it names."""
        path = document.path
        wrong = _check_id(path, data)
        topology, says, trouble = self._topology_of(path, home, data.get("topology"))
        if trouble:
            wrong.append(Wrong(("topology",), trouble))
        files = cause_files(self._folders)
        causes = {name: self.cause(files[name]) for name in named_causes(data) if name in files}
        situation, found = validate(Situation, data)
        wrong += _merge(check_situation(data, topology, causes, tuple(files)), found)
        known = {name: file.cause for name, file in causes.items() if file.cause is not None}
        if situation is None or topology is None or wrong:
            return None, [*document.problems, *_place(document, wrong)]
        texts = "\n".join(causes[name].says for name in sorted(causes))
        drawing = Drawing(situation, topology, known)
        says = f"{says}\n{texts}"
        source = ScenarioSource(
            path,
            situation.id,
            _digest(f"{_canonical(data)}\n{says}"),
            _digest(_canonical(data)),
            _digest(says),
            situation.title,
            situation.level,
            topology,
            drawing,
        )
        return source, list(document.problems)

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
        places = [folder / TOPOLOGIES for folder in (*near, *homes(self._folders))]
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


def _look_through(
    template: Template,
    choices: Iterable[Mapping[str, Value]],
    topology: Topology | None,
    size: int,
) -> tuple[Incident | None, list[Wrong]]:
    """The first incident that such choices give, and what is wrong with any, each thing once.

    Args:
        size: Fields of the file.
    """
    incident = None
    wrong: dict[Wrong, None] = {}
    for i, values in enumerate(choices):
        data = template.fill(values)
        rendered, found = _check_data(data, topology)
        incident = incident or rendered
        if i * size < _MAX_LOOKED_AT:
            found += _senseless(data, topology)
        wrong.update(dict.fromkeys(_explained(template, found)))
        if len(wrong) > MAX_PROBLEMS:
            break
    return incident, list(wrong)


def _check_data(
    data: Mapping[str, Any], topology: Topology | None
) -> tuple[Incident | None, list[Wrong]]:
    """The incident that rendered data describes, and what keeps it from being played."""
    incident, wrong = validate(Incident, data, more_keys=KEYS)
    return incident, _merge(check_incident(data, topology), wrong)


def _senseless(data: Mapping[str, Any], topology: Topology | None) -> list[Wrong]:
    """What is well formed and makes no sense, which does not keep it from being played."""
    return [
        *check_moves(data, topology),
        *check_reach(data),
        *check_solving(data),
        *check_giveaways(data),
    ]


def _explained(template: Template, wrong: list[Wrong]) -> list[Wrong]:
    """The same, without what cannot be known, and with the variables that something comes from."""
    if template.blind:
        wrong = [item for item in wrong if not template.is_blind(item.path)]
    if not wrong or not template.slots:
        return wrong
    origin = {
        slot.path: ", ".join(f"{{{name}}}" for name in slot.names)
        for slot in template.slots
        if slot.names
    }
    return [
        item._replace(message=f"{item.message} (from {origin[item.path]})")
        if item.path in origin
        else item
        for item in wrong
    ]


def _merge(names: list[Wrong], model: list[Wrong]) -> list[Wrong]:
    """Both lists; a model's check as a whole, which stops at its first find, only on its own."""
    return names + [item for item in model if not (item.whole and names)]


def _check_id(path: Path, data: Mapping[str, Any]) -> list[Wrong]:
    name = data.get("id")
    if not isinstance(name, str) or name == path.stem:
        return []
    words = f'the file\'s name says "{shown(path.stem)}"; make the id and the name the same'
    return [Wrong(("id",), words)]


def _place(document: Document, found: Sequence[Wrong]) -> list[Problem]:
    """The problems with their lines; where all else is well, text that is doubtful is one."""
    wrong = [item for item in found if item.path not in document.unread]
    told = {item.path for item in found}
    wrong += [
        Wrong(path, f'some readers take this for no text: put it in quotes, "{text}"')
        for path, text in document.doubtful.items()
        if path not in told
    ]
    problems = [document.problem(item) for item in wrong[:MAX_PROBLEMS]]
    if len(wrong) > MAX_PROBLEMS:
        problems.append(document.problem(Wrong(wrong[MAX_PROBLEMS].path, MORE)))
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


def _files_of(name: str, files: Sequence[tuple[Path, Path]]) -> list[tuple[Path, Path]]:
    return [(path, home) for path, home in files if path.stem == name]


def _find(name: str, folders: Sequence[Path]) -> tuple[Path, Path]:
    """The file of an id, current or former, and the scenario folder it is in."""
    problems: list[Problem] = []
    files = list(incident_files(folders, problems))
    found = _files_of(name, files) or _files_of(current_id(name), files)
    if len(found) == 1:
        return found[0]
    if found:
        both = " and ".join(_id_place(path) for path, _home in found[:2])
        raise ScenarioError(f'the id "{shown(name)}" is in {both}; rename one of them')
    for problem in problems:
        if problem.line == 0:
            raise ScenarioError(str(problem))
    cure = instead(name, [path.stem for path, _home in files])
    raise ScenarioError(f'no scenario "{shown(name)}"; {cure} (see `chaosops scenarios list`)')
