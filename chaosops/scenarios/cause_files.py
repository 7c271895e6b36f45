"""Reads and checks cause files, and how a situation uses them."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from chaosops.env.models import FailureType
from chaosops.env.models.topology import Topology
from chaosops.scenarios.agent_policies import StandingPolicy, departed
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.checks.following import check_followers
from chaosops.scenarios.checks.moves import check_cause_moves
from chaosops.scenarios.fitting import placements
from chaosops.scenarios.problems import FieldPath, Problem, Wrong, instead, listed, shown
from chaosops.scenarios.situation import CastSpec
from chaosops.scenarios.validation import validate
from chaosops.scenarios.yaml_source import read_document

_TAXONOMY: Final = tuple(FailureType)
_LONGEST_NAME: Final = 40
_TOO_CLOSE: Final = 0.9
_DIFFER: Final = "A name of your own has to differ more, or to be the cause's id"


class CauseFile(NamedTuple):
    """A cause file that was read; `cause` is None if it has problems."""

    cause: Cause | None
    says: str
    problems: tuple[Problem, ...]


@cache
def _policy_adapter() -> TypeAdapter[StandingPolicy]:
    return TypeAdapter(StandingPolicy)


def read_cause(path: Path, known: Mapping[str, Path]) -> CauseFile:
    """Read one cause file.

    Args:
        known: All cause files by id, which twins are looked up in.
    """
    document = read_document(path)
    data = document.data
    if data is None:
        return CauseFile(None, "", document.problems)
    cause, wrong = validate(Cause, data)
    wrong = [*_check_names(path, data, known), *_check_diagnosis(data, known), *wrong]
    wrong += [] if cause is None else check_cause_moves(cause)
    problems = (*document.problems, *(document.problem(item) for item in wrong))
    says = json.dumps(data, sort_keys=True, separators=(",", ":"))
    ordered = tuple(sorted(problems, key=lambda problem: problem.line))
    return CauseFile(None if ordered else cause, says, ordered)


def _check_names(path: Path, data: Mapping[str, Any], known: Mapping[str, Path]) -> Iterator[Wrong]:
    name = data.get("id")
    if isinstance(name, str) and name != path.stem:
        words = f'the file\'s name says "{shown(path.stem)}"; make the id and the name the same'
        yield Wrong(("id",), words)
    family = data.get("family")
    if isinstance(family, str) and family != path.absolute().parent.name:
        words = f'its folder says "{shown(path.absolute().parent.name)}"; move it, or rename it'
        yield Wrong(("family",), words)
    twins = data.get("twins")
    for i, twin in enumerate(twins if isinstance(twins, list) else ()):
        if isinstance(twin, str) and twin not in known:
            yield Wrong(("twins", i), f'no cause "{shown(twin)}"; {instead(twin, known)}')


def _check_diagnosis(data: Mapping[str, Any], known: Mapping[str, Path]) -> Iterator[Wrong]:
    """Check that what players name the cause by can't be taken for another one."""
    given, own_id = data.get("failure_type"), data.get("id")
    if given is None and own_id in _TAXONOMY:
        words = (
            f'"{own_id}" is a built-in failure type; add "failure_type: {own_id}" if the cause is '
            "of that type, or rename the cause"
        )
        yield Wrong(("id",), words)
    name = own_id if given is None else given
    at = "id" if given is None else "failure_type"
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return
    taken = {as_read(kind): f'the built-in failure type "{kind}"' for kind in FailureType}
    if name not in _TAXONOMY:
        if (other := taken.get(as_read(name))) is not None:
            yield Wrong((at,), f"it reads like {other}; use that, or another name")
        elif given is not None and given != own_id and given in known:
            yield Wrong((at,), f'another cause has the id "{given}"; use another name')
        elif given is not None and given != own_id:
            close = difflib.get_close_matches(given, _TAXONOMY, 1, _TOO_CLOSE)
            if close:
                words = f'no failure type "{given}"; did you mean "{close[0]}"? {_DIFFER}'
                yield Wrong((at,), words)
    aliases = data.get("aliases")
    for i, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if isinstance(alias, str) and as_read(alias[:_LONGEST_NAME]) in taken:
            other = taken[as_read(alias[:_LONGEST_NAME])]
            yield Wrong(("aliases", i), f"it reads like {other}; use another alias")


def as_read(name: str) -> str:
    """Return a name as it reads: in lower case, with blanks between its words."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def named_causes(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the causes that a situation names, as far as they are valid names."""
    for _path, name in _named_in(data):
        yield name


def _named_in(data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    """Yield the causes that casts and their followers name, each with the path to its name."""
    for i, spec in _records(data, "casts"):
        if isinstance(spec.get("cause"), str):
            yield ("casts", i, "cause"), spec["cause"]
        for k, follower in _records(spec, "follows"):
            if isinstance(follower.get("cause"), str):
                yield ("casts", i, "follows", k, "cause"), follower["cause"]


def check_situation(
    data: Mapping[str, Any],
    topology: Topology | None,
    causes: Mapping[str, CauseFile],
    known: Iterable[str],
) -> list[Wrong]:
    """Check the names in a situation: of its page, causes and places."""
    return list(_wrong_names(data, topology, causes, tuple(known)))


def _wrong_names(
    data: Mapping[str, Any],
    topology: Topology | None,
    causes: Mapping[str, CauseFile],
    known: tuple[str, ...],
) -> Iterator[Wrong]:
    page = data.get("page")
    if topology is not None and isinstance(page, str) and page not in topology.pages:
        words = f'{topology.id} has no page "{shown(page)}"; {instead(page, topology.pages)}'
        yield Wrong(("page",), words)
    if topology is not None:
        yield from _wrong_services(data, topology)
    for path, name in _named_in(data):
        file = causes.get(name)
        if file is None:
            yield Wrong(path, f'no cause "{shown(name)}"; {instead(name, known)}')
        elif file.cause is None:
            yield Wrong(path, f"the file is broken: {file.problems[0]}")
    sound = {name: file.cause for name, file in causes.items() if file.cause is not None}
    for i, spec in _records(data, "casts"):
        cause = sound.get(str(spec.get("cause")))
        if cause is not None:
            yield from _wrong_agent(data, i, cause)
            if topology is not None:
                yield from _wrong_places(spec, i, cause, topology)
        if topology is not None and spec.get("follows"):
            checked, _wrong = validate(CastSpec, spec)
            if checked is not None:
                yield from check_followers(("casts", i), checked, sound, topology)


def _wrong_agent(data: Mapping[str, Any], i: int, cause: Cause) -> Iterator[Wrong]:
    if cause.agent is None:
        return
    agents = data.get("automation")
    found = [
        agent
        for agent in (agents if isinstance(agents, list) else ())
        if isinstance(agent, dict) and agent.get("name") == cause.agent
    ]
    if not found or "standing" not in found[0]:
        words = f'{cause.id} needs an agent "{cause.agent}" with a policy under "standing"; add it'
        yield Wrong(("casts", i, "cause"), words)
        return
    try:
        standing = _policy_adapter().validate_python(found[0]["standing"])
    except ValidationError:
        return  # the situation's own problem
    try:
        departed(standing, cause.defect)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        words = f"{cause.id} cannot change the policy of {cause.agent}: {name}: {first['msg']}"
        yield Wrong(("casts", i, "cause"), words)


def _wrong_services(data: Mapping[str, Any], topology: Topology) -> Iterator[Wrong]:
    """Yield decoys, acts and releases at a service that the topology does not have."""
    services = [service.name for service in topology.services]
    named: list[tuple[FieldPath, dict[str, Any], str]] = []
    named += [(("decoys", i, "at"), each, "at") for i, each in _records(data, "decoys")]
    for i, agent in _records(data, "automation"):
        for k, event in _records(agent, "events"):
            named.append((("automation", i, "events", k, "target"), event, "target"))
        for k, release in _records(agent, "releases"):
            named.append((("automation", i, "releases", k, "service"), release, "service"))
    for path, record, key in named:
        name = record.get(key)
        if isinstance(name, str) and name not in services:
            words = f'{topology.id} has no service "{shown(name)}"; {instead(name, services)}'
            yield Wrong(path, words)


def _records(data: Mapping[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    found = data.get(key)
    for i, record in enumerate(found if isinstance(found, list) else ()):
        if isinstance(record, dict):
            yield i, record


def _wrong_places(
    spec: Mapping[str, Any], i: int, cause: Cause, topology: Topology
) -> Iterator[Wrong]:
    fitting = list(placements(cause, topology))
    if not fitting:
        words = f"{cause.id} fits nowhere in {topology.id}; remove it, or use another topology"
        yield Wrong(("casts", i, "cause"), words)
        return
    places = list(dict.fromkeys(spot.place for spot in fitting))
    callers = list(dict.fromkeys(spot.caller for spot in fitting if spot.caller is not None))
    for key, fit in (("places", places), ("callers", callers)):
        names = spec.get(key)
        for k, name in enumerate(names if isinstance(names, list) else ()):
            if isinstance(name, str) and name not in fit:
                where = f"use one of: {listed(fit)}" if fit else f"it needs no '{key}': remove it"
                yield Wrong(
                    ("casts", i, key, k), f'{cause.id} cannot be at "{shown(name)}"; {where}'
                )
