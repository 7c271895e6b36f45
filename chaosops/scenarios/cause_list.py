"""Finds causes, and describes them for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from chaosops.env.models.topology import Topology
from chaosops.errors import ScenarioError
from chaosops.scenarios.cause import At, Cause, CauseEffect, CauseMove
from chaosops.scenarios.cause_parameters import MEANINGS
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.fitting import placements
from chaosops.scenarios.folders import builtin_folder, cause_files, is_cause, topology_files
from chaosops.scenarios.own_causes import in_general
from chaosops.scenarios.problems import Problem, instead, shown
from chaosops.scenarios.rendering import file_error
from chaosops.scenarios.schema import Bound

PARTS: Final[Mapping[At, str]] = {
    At.PLACE: "the service",
    At.CALLER: "its caller",
    At.ENTRY: "the entry service",
    At.STORE: "the store that it keeps connections to",
    At.CONSUMER: "its consumer",
    At.CACHE: "the cache that is asked before it",
}
"""The parts of services in words."""


class ListedCause(NamedTuple):
    """A cause with its file and the places where it fits on the built-in topologies.

    Attributes:
        fits: The services by topology, without topologies where it fits nowhere.
    """

    path: Path
    cause: Cause
    fits: Mapping[str, tuple[str, ...]]

    @property
    def is_built_in(self) -> bool:
        """Whether it is of the built-in set."""
        return self.path.absolute().is_relative_to(builtin_folder().absolute())


def built_in_topologies(reader: FileReader) -> list[Topology]:
    """Return the built-in topologies, as they are in situations."""
    found = (reader.topology(path).topology for path in topology_files(()))
    return [topology.in_situations() for topology in found if topology is not None]


def list_causes(folders: Sequence[Path]) -> tuple[list[ListedCause], list[Problem]]:
    """Return all sound causes by family and id, and the problems of the others."""
    reader = FileReader(folders)
    topologies = built_in_topologies(reader)
    found: list[ListedCause] = []
    problems: list[Problem] = []
    for path in cause_files(folders).values():
        file = reader.cause(path)
        problems += file.problems
        if file.cause is not None:
            found.append(ListedCause(path, file.cause, _fits(file.cause, topologies)))
    found.sort(key=lambda listed: (listed.cause.family, listed.cause.id))
    return found, problems


def sound_causes(near: Path) -> tuple[Cause, ...]:
    """Return the sound causes of the built-in set, and of the scenario folder of a situation file.

    Args:
        near: The situation file.
    """
    home = near.absolute().parents[1]
    reader = FileReader(())
    files = (reader.cause(path).cause for path in cause_files((home,)).values())
    return tuple(cause for cause in files if cause is not None)


def open_cause(id_or_path: str, folders: Sequence[Path]) -> ListedCause:
    """Return the cause with an id, or in a file.

    Raises:
        ScenarioError: There is none, or its file is broken.
    """
    reader = FileReader(folders)
    path = Path(id_or_path)
    if "/" not in id_or_path and path.suffix != ".yaml":
        files = cause_files(folders)
        if id_or_path not in files:
            cure = instead(id_or_path, files)
            raise ScenarioError(
                f'no cause "{shown(id_or_path)}"; {cure} (see `chaosops causes list`)'
            )
        path = files[id_or_path]
    elif not is_cause(path):
        raise ScenarioError(misplaced(path))
    file = reader.cause(path)
    if file.cause is None:
        raise file_error(path, file.problems)
    return ListedCause(path, file.cause, _fits(file.cause, built_in_topologies(reader)))


def misplaced(path: Path) -> str:
    """Explain that a file is not where causes are, and where it belongs."""
    return (
        f"{shown(str(path), 1000)} is not in a folder of causes; move it to causes/FAMILY/ID.yaml "
        "of your scenario folder"
    )


def _fits(cause: Cause, topologies: Sequence[Topology]) -> dict[str, tuple[str, ...]]:
    fits = {
        topology.id: tuple(dict.fromkeys(spot.place for spot in placements(cause, topology)))
        for topology in topologies
    }
    return {name: places for name, places in fits.items() if places}


def opening_facts(listed: ListedCause) -> dict[str, Any]:
    """Return what is known of a cause before it is met: its names, and where it may be."""
    cause = listed.cause
    return {
        "id": cause.id,
        "family": cause.family,
        "failure_type": str(cause.diagnosis),
        "aliases": list(cause.aliases),
        "glossary": in_general(cause.glossary),
        "twins": list(cause.twins),
        "fits": {name: list(places) for name, places in listed.fits.items()},
        "file": str(listed.path),
        "built_in": listed.is_built_in,
    }


def full_facts(listed: ListedCause) -> dict[str, Any]:
    """Return what happens, what helps, and what to learn from it."""
    cause = listed.cause
    return {
        "trigger": cause.trigger.value,
        "agent": cause.agent,
        "course": list(_course(cause)),
        "clears": [_with_return(move) for move in cause.clears],
        "eases": [_with_time(move) for move in cause.eases],
        "tempts": [_with_reason(move) for move in cause.tempts],
        "telling": [f"{item.source.value}: {in_general(item.text)}" for item in cause.telling],
        "happened": in_general(cause.happened),
        "lesson": in_general(cause.lesson),
        "same_kind": cause.same_kind,
    }


def move_words(move: CauseMove) -> str:
    """Return an action in words: "scale the service (replicas at least 6)"."""
    args = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in move.args.items()]
    return f"{move.action.words} {PARTS[move.at]}" + (f" ({', '.join(args)})" if args else "")


def _value(value: int | str | Bound) -> str:
    if not isinstance(value, Bound):
        return str(value)
    bounds = (("at least", value.at_least), ("at most", value.at_most))
    return " and ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)


def _with_return(move: CauseMove) -> str:
    back = "" if move.returns is None else f", and it comes back after {move.returns} min"
    return move_words(move) + back


def _with_time(move: CauseMove) -> str:
    rest = "" if move.remains == 1.0 else f", {move.remains:.0%} of it remains"
    return move_words(move) + rest + ("" if move.minutes is None else f" for {move.minutes} min")


def _with_reason(move: CauseMove) -> str:
    return move_words(move) + ("" if move.why is None else f": {in_general(move.why)}")


def _course(cause: Cause) -> Iterator[str]:
    course = cause.course
    yield f"it begins {_span(course.onset)} min before the page"
    for effect in cause.effects:
        how = f"{effect.value:g}" if effect.drive is None else "as strong as the level requires"
        later = f", {effect.after} min later" if effect.after else ""
        spells = f", {effect.lasts} min of every {effect.every}" if effect.every else ""
        yield f"{_effect_words(effect)}: {how}{later}{spells}"
    if course.pause is not None:
        yield f"it pauses in minute {course.pause[0]} for {course.pause[1]} min"
    if course.rollout is not None:
        yield f"it comes with a new {course.rollout.of.value}, instance by instance"
    if course.hard is not None:
        text = in_general(course.hard.text)
        yield f"if nobody stops it until minute {_span(course.hard.minutes)}: {text}"


def _effect_words(effect: CauseEffect) -> str:
    """Return what an effect is, with the names of its part and its parameter."""
    names = f"{effect.part} {effect.parameter}"
    meaning = MEANINGS.get(effect.part, {}).get(effect.parameter)
    return f"{PARTS[effect.at]}: {f'{meaning} ({names})' if meaning else names}"


def _span(span: tuple[int, int]) -> str:
    low, high = span
    return str(low) if low == high else f"{low} to {high}"
