"""Reads scenario files: situations, causes and topologies, each fully checked."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chaosops.env.models.topology import Topology
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_files import CauseFile, check_situation, named_causes, read_cause
from chaosops.scenarios.checks.former_keys import check_former_keys
from chaosops.scenarios.checks.giveaways import check_giveaways
from chaosops.scenarios.checks.topologies import check_topology
from chaosops.scenarios.drawing import Drawing
from chaosops.scenarios.folders import (
    CAUSES,
    TOPOLOGIES,
    builtin_folder,
    cause_files,
    causes_in,
    homes,
    is_cause,
    is_topology,
)
from chaosops.scenarios.own_causes import own_causes
from chaosops.scenarios.problems import Problem, Wrong, instead, shown
from chaosops.scenarios.rendering import ScenarioSource, merged, placed
from chaosops.scenarios.situation import Situation
from chaosops.scenarios.validation import validate
from chaosops.scenarios.yaml_source import read_document

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class TopologyFile(NamedTuple):
    """A topology that was read, its data, and its problems."""

    topology: Topology | None
    says: str
    problems: tuple[Problem, ...]


class FileReader:
    """Reads files, and each topology only once."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._topologies: dict[Path, TopologyFile] = {}
        self._causes: dict[Path, CauseFile] = {}
        self._near: dict[tuple[Path, ...], Mapping[str, Path]] = {}

    def check(self, path: Path) -> list[Problem]:
        """Return all problems of one file, in the order of its lines."""
        if is_topology(path):
            return list(self.topology(path).problems)
        if is_cause(path):
            return list(self.cause(path).problems)
        return self.incident(path, None)[1]

    def topology(self, path: Path) -> TopologyFile:
        """Read a topology file; `topology` is None if it has problems."""
        if path not in self._topologies:
            self._topologies[path] = _read_topology(path)
        return self._topologies[path]

    def cause(self, path: Path) -> CauseFile:
        """Read a cause file; `cause` is None if it has problems."""
        if path not in self._causes:
            self._causes[path] = read_cause(path, self._cause_files(path.absolute().parents[2:3]))
        return self._causes[path]

    def _cause_files(self, near: Sequence[Path]) -> Mapping[str, Path]:
        """Return every cause file by id; those near the file that names them come first."""
        key = tuple(near)
        if key not in self._near:
            self._near[key] = cause_files((*near, *self._folders))
        return self._near[key]

    def incident(
        self, path: Path, home: Path | None
    ) -> tuple[ScenarioSource | None, list[Problem]]:
        """Read a situation file, with the causes that it names.

        Args:
            home: Its scenario folder; None for a single file.
        """
        document = read_document(path)
        data = document.data
        if data is None:
            return None, list(document.problems)
        if kind := _other_kind(data):
            return None, [Problem(path, 1, "", kind)]
        wrong = _check_id(path, data)
        topology, says, trouble = self._topology_of(path, home, data.get("topology"))
        if trouble:
            wrong.append(Wrong(("topology",), trouble))
        topology = topology and topology.in_situations()
        near = _near(path, home)
        files = self._cause_files(near)
        causes = {name: self.cause(files[name]) for name in named_causes(data) if name in files}
        situation, found = validate(Situation, data)
        former = list(check_former_keys(data))
        told = {item.path for item in former}
        found = [item for item in found if item.path not in told]
        found = merged([*former, *check_situation(data, topology, causes, tuple(files))], found)
        wrong += found
        known = {name: file.cause for name, file in causes.items() if file.cause is not None}
        wrong += check_giveaways(data, known.values())
        problems = [*document.problems, *placed(document, wrong)]
        if situation is None or topology is None or problems:
            return None, sorted(dict.fromkeys(problems), key=lambda problem: problem.line)
        texts = "\n".join(causes[name].says for name in sorted(causes))
        agents = {agent.name for agent in situation.automation}
        own = own_causes([*self._authored(near), *known.values()], topology, agents)
        drawing = Drawing(situation, topology, known, own)
        says = "\n".join([says, texts, *(each.name for each in own)])
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
        return source, []

    def _authored(self, near: Sequence[Path]) -> Iterator[Cause]:
        """Yield the sound causes of a scenario folder of a user."""
        builtin = builtin_folder()
        for folder in near:
            if not folder.is_dir() or folder.samefile(builtin):
                continue
            for file in map(self.cause, causes_in(folder)):
                if file.cause is not None:
                    yield file.cause

    def _topology_of(
        self, path: Path, home: Path | None, name: Any
    ) -> tuple[Topology | None, str, str]:
        """Return the topology that an incident names, its data, and its problems.

        The incident's own folder comes first, so a user's topology never changes a
        built-in incident.
        """
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            return None, "", ""
        near = _near(path, home)
        places = [folder / TOPOLOGIES for folder in (*near, *homes(self._folders))]
        for place in places:
            at = place / f"{name}.yaml"
            if at.is_file():
                topology, says, problems = self.topology(at)
                return topology, says, f"the file is broken: {problems[0]}" if problems else ""
        known = sorted({found.stem for place in places for found in place.glob("*.yaml")})
        return None, "", f'no topology "{name}"; {instead(name, known)}'


def _read_topology(path: Path) -> TopologyFile:
    document = read_document(path)
    data = document.data
    if data is None:
        return TopologyFile(None, "", document.problems)
    topology, wrong = validate(Topology, data)
    wrong = merged(check_topology(data), wrong) + _check_id(path, data)
    problems = sorted(
        (*document.problems, *placed(document, wrong)), key=lambda problem: problem.line
    )
    return TopologyFile(None if problems else topology, _canonical(data), tuple(problems))


def _near(path: Path, home: Path | None) -> Sequence[Path]:
    """Return the folders whose topologies and causes a file names before any others."""
    return path.absolute().parents[:2] if home is None else (home,)


def _check_id(path: Path, data: Mapping[str, Any]) -> list[Wrong]:
    name = data.get("id")
    if not isinstance(name, str) or name == path.stem:
        return []
    words = f'the file\'s name says "{shown(path.stem)}"; make the id and the name the same'
    return [Wrong(("id",), words)]


def _other_kind(data: Mapping[str, Any]) -> str:
    """Explain what a file in the wrong folder is, and where it belongs; empty for an incident."""
    if {"effects", "course"} <= data.keys():
        family = data.get("family")
        name = family if isinstance(family, str) and _NAME.fullmatch(family) else "FAMILY"
        return f"this is a cause; move it into a folder {CAUSES}/{name}"
    if {"services", "entries"} <= data.keys():
        return f"this is a topology; move it into a folder {TOPOLOGIES}"
    return ""


def _canonical(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
