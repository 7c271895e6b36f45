"""Differences between a recording and this installation: format, engine, scenario, topology."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from chaosops.env.engine import ENGINE
from chaosops.recording.events import SCHEMA_VERSION, Header
from chaosops.recording.first_edition import FIRST_ENGINE
from chaosops.recording.layout import columns
from chaosops.text_safety import clean
from chaosops.version import __version__

if TYPE_CHECKING:
    from chaosops.scenarios.rendering import ScenarioSource

_HASH = 12
_LONGEST = 40
_MOST = 5


def other_format(header: Mapping[str, Any]) -> str:
    """Explain why a log of another version of the format can't be read, and what to do.

    Args:
        header: As it is in the file, unchecked.
    """
    there = header.get("schema_version")
    what = f"its log format is {_word(str(there))}, but this version reads {SCHEMA_VERSION}"
    is_newer = isinstance(there, int) and there > SCHEMA_VERSION
    return _unreadable(f"header.schema_version: {what}", header, is_newer=is_newer)


def other_columns(header: Header) -> str:
    """Explain the same for a log whose rows have other columns."""
    there, here = header.columns, columns()
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    which = ", ".join(_word(name) for name in names[:_MOST])
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    what = f"the columns of {which}{more} differ from those of this version"
    return _unreadable(f"header.columns: {what}", {"chaosops": header.chaosops}, is_newer=False)


def other_header(problem: str, header: Mapping[str, Any]) -> str:
    """Explain the same for a header by another version of ChaosOps, which this one can't read."""
    return _unreadable(problem, header, is_newer=True)


def writer_of(header: Mapping[str, Any]) -> str:
    """Return the version of ChaosOps that wrote a log; empty if the header doesn't tell."""
    writer = header.get("chaosops")
    return _word(writer) if isinstance(writer, str) else ""


def _unreadable(what: str, header: Mapping[str, Any], *, is_newer: bool) -> str:
    writer = writer_of(header)
    wrote = f"chaosops {writer} wrote it" if writer else "an unknown version of chaosops wrote it"
    with_it = f"with chaosops {writer}" if writer else "with the chaosops that wrote it"
    cure = f"export it {with_it}"
    if is_newer:
        cure = f"update ChaosOps, or {cure}"
    return f"{what}; {wrote}, and this is {__version__}: {cure}"


def is_of_this_version(header: Header) -> bool:
    """Whether this version made a recording, so that it has to reproduce it."""
    return header.chaosops == __version__ and not other_engine(header)


def is_first_edition(header: Header) -> bool:
    """Whether the first edition made a recording: such a header has no engine version."""
    return header.engine in (None, FIRST_ENGINE)


def other_engine(header: Header) -> str:
    """Explain that a recording's frames are from another engine; empty if they aren't."""
    engine = header.engine or FIRST_ENGINE
    if engine == ENGINE:
        return ""
    return (
        f"recorded with engine {engine} of chaosops {_word(header.chaosops)}, but this is engine "
        f"{ENGINE}: you can replay it here; use the recorded version for anything else"
    )


def other_scenario(header: Header, source: ScenarioSource) -> str:
    """Explain which of scenario, topology and engine differ from the recorded ones."""
    now = "" if source.id == header.scenario else f", now {source.id}"
    scenario, topology = (
        f"the scenario {header.scenario}{now}",
        f"its topology {source.topology.id}",
    )
    parts = [
        (scenario, header.incident_sha256, source.incident_hash),
        (topology, header.topology_sha256, source.topology_hash),
    ]
    known = [part for part in parts if part[1] is not None and part[1] != part[2]]
    if not known:
        both = f"{scenario} or {topology}"
        known, parts = [(both, header.scenario_sha256, source.content_hash)], []
    other = [_beside(name, str(there)[:_HASH], here[:_HASH]) for name, there, here in known]
    same = [name for name, there, here in parts if there == here]
    if header.chaosops == __version__:
        same.append(f"chaosops {__version__}")
    else:
        other.append(_beside("chaosops", _word(header.chaosops), __version__))
    unchanged = f", not of {_and(same)}" if same else ""
    return f"another version of {_and(other)}{unchanged}: use the recorded version"


def _beside(name: str, there: str, here: str) -> str:
    return f"{name} (recorded {there}, here {here})"


def _word(text: str) -> str:
    """Return a foreign text, cleaned and shortened, on one line."""
    return " ".join(clean(text).split())[:_LONGEST]


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
