"""Summaries of incidents: enough for a list, without checking their files.

The list of incidents is the first thing that a player sees, and reading and checking all files
would delay it by a third of a second. The loader checks everything before a game.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from chaosops.env.models import Difficulty
from chaosops.files import is_file, open_file
from chaosops.scenarios.renamed_ids import current_id
from chaosops.text_safety import clean

_HEAD = 4_096
"""Bytes at the beginning of a file, which are mostly enough."""
_MOST_BYTES = 1 << 20
"""The largest file that the loader takes."""
_WANTED = frozenset(("title", "level", "topology", "par", "max_steps"))
_FACT = re.compile(rf"^({'|'.join(sorted(_WANTED))}): *(.+?)\s*$", re.MULTILINE)
_LEVELS = tuple(Difficulty)
_MOST = 5_000
"""The most files that are read in one folder; the loader refuses far larger folders."""


class ScenarioSummary(NamedTuple):
    """The summary of an incident file.

    Attributes:
        id: The file's name without its ending.
        par: The turns within which resolving it earns the bonus.
        max_steps: Rounds of the four roles.
    """

    path: Path
    id: str
    title: str
    level: Difficulty
    topology: str
    par: int
    max_steps: int


def summary_of(path: Path) -> ScenarioSummary | None:
    """Return the summary of an incident file; None if it can't be read from it."""
    try:
        facts = _facts(path)
    except OSError:
        return None
    try:
        return ScenarioSummary(
            path,
            path.stem,
            clean(facts["title"]),
            Difficulty(facts["level"]),
            facts["topology"],
            int(facts["par"]),
            int(facts["max_steps"]),
        )
    except (KeyError, ValueError):
        return None


def scenario_summaries(folders: Sequence[Path] = ()) -> list[ScenarioSummary]:
    """Return the summaries of all incidents, by level and then by id.

    Args:
        folders: The user's scenario folders, besides the built-in one.
    """
    found: dict[str, ScenarioSummary] = {}
    for path in _files(folders):
        seen = summary_of(path)
        if seen is not None:
            found.setdefault(seen.id, seen)
    return in_order(found.values())


def in_order(incidents: Iterable[ScenarioSummary]) -> list[ScenarioSummary]:
    """Sort by level and then by id."""
    return sorted(incidents, key=lambda seen: (_LEVELS.index(seen.level), seen.id))


def file_of(name: str, folders: Sequence[Path] = ()) -> Path | None:
    """Return the file of an incident by its id or its path; None if there is none, or several.

    A former id works as well.

    The loader checks whether it can be played.
    """
    if "/" in name or os.sep in name or name.endswith((".yaml", ".yml")):
        path = Path(name)
        return path if is_file(path) else None
    found: dict[str, dict[str, Path]] = {name: {}, current_id(name): {}}
    for path in _files(folders):
        if path.stem in found:
            found[path.stem][os.path.realpath(path)] = path
    files = found[name] or found[current_id(name)]
    return next(iter(files.values())) if len(files) == 1 else None


def builtin_home() -> Path | None:
    """Return the folder of the built-in incidents; None if it is missing."""
    package = Path(__file__).resolve().parent.parent
    places = (package / "data" / "scenarios", package.parent / "scenarios")
    return next((folder for folder in places if folder.is_dir()), None)


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    builtin = builtin_home()
    for home in (*folders, *([builtin] if builtin else [])):
        left = _MOST
        for place, inner, names in os.walk(home):
            inner[:] = sorted(name for name in inner if name[0] != "." and name != "topologies")
            for name in sorted(names):
                if name[0] != "." and name.endswith((".yaml", ".yml")):
                    left -= 1
                    if left < 0:
                        return
                    yield Path(place, name)


def _facts(path: Path) -> dict[str, str]:
    """Read the facts in a file, mostly from its first lines."""
    with open_file(path) as file:
        raw = file.read(_HEAD)
        if len(raw) == _HEAD:
            # A line that is cut off would be read as if it were complete.
            facts = _facts_in(raw[: raw.rfind(b"\n") + 1])
            if facts.keys() >= _WANTED:
                return facts
            raw += file.read(_MOST_BYTES - _HEAD)
    return _facts_in(raw)


def _facts_in(raw: bytes) -> dict[str, str]:
    text = raw.decode("utf-8-sig", errors="replace")
    return {name: _plain(value) for name, value in _FACT.findall(text)}


def _plain(value: str) -> str:
    """Return a YAML scalar of one line as text."""
    if value.startswith('"'):
        import json

        with suppress(ValueError):
            return str(json.loads(value))
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return re.sub(r"\s+#.*$", "", value)
