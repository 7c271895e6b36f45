"""The files of a post-mortem: the document, and its charts beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from chaosops.errors import ChaosOpsError
from chaosops.play.new_files import refuse_existing, write_new
from chaosops.play.postmortem.charts import availability_chart, signals_chart
from chaosops.play.postmortem.document import document
from chaosops.play.postmortem.impact import signals_of, worst_service
from chaosops.play.postmortem.played import PlayedIncident

SUFFIX: Final = ".md"
_MOST_PLACES: Final = 3
_MOST_COPIES: Final = 100
_UNSAFE: Final = re.compile(r"[^\w.-]+")


def postmortem_text(played: PlayedIncident) -> str:
    """Return the document alone, without charts."""
    return document(played, {})


def write_postmortem(
    played: PlayedIncident, path: Path, *, force: bool = False
) -> tuple[Path, ...]:
    """Write the document and its charts, each of them whole or not at all.

    Args:
        path: The document; the charts are named after it.
        force: Whether files that exist are replaced.

    Returns:
        The files, the document first.

    Raises:
        ChaosOpsError: One of them exists, or can't be written.
    """
    charts = _charts(played, path)
    names = {what: name for what, (name, _svg) in charts.items()}
    files = {path.with_name(name): svg for name, svg in charts.values()}
    # The document comes last, so that it never refers to charts that are not there.
    files[path] = document(played, names)
    if not force:
        for each in files:
            refuse_existing(each)
    for each, text in files.items():
        write_new(each, text, force=force)
    return (path, *(each for each in files if each != path))


def write_beside(played: PlayedIncident, recording: Path) -> Path:
    """Write the post-mortem beside a recording, under a name that is free.

    Raises:
        ChaosOpsError: It can't be written.
    """
    stem = recording.name.removesuffix(".gz").removesuffix(".jsonl")
    for number in range(1, _MOST_COPIES):
        again = "" if number == 1 else f"-{number}"
        path = recording.with_name(f"{stem}-postmortem{again}{SUFFIX}")
        if not (path.exists() or path.is_symlink()):
            write_postmortem(played, path)
            return path
    raise ChaosOpsError(f"there are {_MOST_COPIES - 1} post-mortems of {stem}: delete some of them")


def _charts(played: PlayedIncident, path: Path) -> Mapping[str, tuple[str, str]]:
    """Return name and content of each chart, by what it shows."""
    stem = path.name.removesuffix(SUFFIX)
    found = {
        "Availability over time": (f"{stem}-availability.svg", availability_chart(played)),
    }
    worst = worst_service(played)
    places = played.places or (() if worst is None else (worst,))
    for place in places[:_MOST_PLACES]:
        if signals_of(played.views, place):
            name = f"{stem}-{_UNSAFE.sub('-', place)[:40]}.svg"
            found[f"Signals of {place}"] = (name, signals_chart(played, place))
    return found
