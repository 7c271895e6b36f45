"""The entries of causes, from their files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from chaosops.env.models import Source
from chaosops.play.formatting import in_words
from chaosops.play.reference.entries import EntryKind, GlossaryEntry, facts
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_list import PARTS, ListedCause, full_facts
from chaosops.scenarios.cause_parameters import MEANINGS
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.own_causes import in_general

_LINES: Final = 3
_ACRONYMS: Final = frozenset({"ai", "cpu", "ddl", "dns", "id"})
_UNKNOWN: Final = re.compile(r"[\d.]*\{[a-z_]+\}")


def causes(folders: Sequence[Path] = ()) -> tuple[GlossaryEntry, ...]:
    """Return the entries of all sound causes, by family and name.

    Args:
        folders: Where causes are, besides the built-in set.
    """
    reader = FileReader(tuple(folders))
    files = cause_files(tuple(folders))
    sound = {name: (path, reader.cause(path).cause) for name, path in files.items()}
    known = {name: (path, cause) for name, (path, cause) in sound.items() if cause is not None}
    all_causes = {name: cause for name, (_, cause) in known.items()}
    entries = [_entry(path, cause, all_causes) for path, cause in known.values()]
    return tuple(sorted(entries, key=lambda entry: (entry.family, entry.name.casefold())))


def _entry(path: Path, cause: Cause, known: Mapping[str, Cause]) -> GlossaryEntry:
    found = full_facts(ListedCause(path, cause, {}))
    diagnosis = _name(str(cause.diagnosis))
    name = _name(cause.id)
    others = (diagnosis, *cause.aliases)
    hard = cause.course.hard
    agent = "" if cause.agent is None else f"The agent behind it: {cause.agent}. Pause it first."
    return GlossaryEntry(
        EntryKind.CAUSE,
        f"Causes: {in_words(cause.family)}",
        name,
        tuple(dict.fromkeys(alias for alias in others if alias != name)),
        in_general(cause.glossary),
        facts(
            ("a diagnosis names", (diagnosis,) if diagnosis != name else ()),
            ("how it looks", _looks(cause)),
            ("what tells it from its twins", map(_general, found["telling"])),
            ("its twins", _twin_lines(cause, known)),
            ("what ends it", (*found["clears"], agent)),
            ("what eases it", found["eases"]),
            ("what doesn't help", found["tempts"]),
            ("if nobody stops it", ("" if hard is None else _general(hard.text),)),
            ("lesson", (_general(cause.lesson),)),
            ("a public incident", (cause.same_kind,)),
        ),
    )


def _name(cause: str) -> str:
    """Return a cause's id in words, with its acronyms as they are written."""
    words = in_words(cause).split()
    return " ".join(word.upper() if word in _ACRONYMS else word for word in words)


def _looks(cause: Cause) -> Iterator[str]:
    """Yield what the cause does to the fleet, and lines that it leaves in logs."""
    for effect in cause.effects[:_LINES]:
        meaning = MEANINGS.get(effect.part, {}).get(effect.parameter, "")
        yield f"{PARTS[effect.at]}: {meaning}" if meaning else ""
    for line in cause.shows.logs[:_LINES]:
        yield f"{line.level.value} in the log of {PARTS[line.at]}: {_general(line.text)}"


class Twin(NamedTuple):
    """A cause that opens like another one, and the clearest reading that tells it.

    Attributes:
        says: What the instrument shows, without what a seed draws.
    """

    name: str
    source: Source
    says: str


def twins_of(cause: Cause, folders: Sequence[Path] = ()) -> tuple[Twin, ...]:
    """Return the twins of a cause that have a sound file.

    Args:
        folders: Where causes are, besides the built-in set.
    """
    reader, files = FileReader(tuple(folders)), cause_files(tuple(folders))
    read = {name: reader.cause(files[name]).cause for name in cause.twins if name in files}
    return tuple(_twins(cause, {name: one for name, one in read.items() if one is not None}))


def _twins(cause: Cause, known: Mapping[str, Cause]) -> Iterator[Twin]:
    for name in cause.twins:
        twin = known.get(name)
        if twin is not None:
            first = twin.telling[0]
            yield Twin(_name(name), first.source, _general(first.text).rstrip("."))


def _twin_lines(cause: Cause, known: Mapping[str, Cause]) -> Iterator[str]:
    for twin in _twins(cause, known):
        yield f"{twin.name}, if {twin.source.value} says: {twin.says}"


def _general(text: str) -> str:
    """Return a text of a cause's file before anything was drawn."""
    return _UNKNOWN.sub("…", in_general(text))
