"""Which incident to play next, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.play.stars import Star
from chaosops.scenarios.summaries import ScenarioSummary

if TYPE_CHECKING:
    from chaosops.play.progress import Progress


class Recommendation(NamedTuple):
    """An incident to play next, and why in some words."""

    incident: ScenarioSummary
    why: str


def recommended(
    incidents: Iterable[ScenarioSummary], progress: Progress | None
) -> Recommendation | None:
    """Return what to play next; None without incidents, or if nothing is left to earn or to meet.

    Level by level: what was never played, then what was not resolved. After that, what lacks the
    most stars, and then what has causes that were not met yet.

    Args:
        incidents: By level.
        progress: None until the recordings have been read.
    """
    known = list(incidents)
    best = {} if progress is None else progress.best
    for level in Difficulty:
        here = [seen for seen in known if seen.level is level]
        for seen in here:
            if seen.id not in best:
                return Recommendation(seen, "new")
        for seen in here:
            if not best[seen.id].resolved:
                return Recommendation(seen, "not resolved yet")
    if progress is None or not known:
        return None
    least = min(known, key=lambda seen: len(best[seen.id].stars))
    stars = len(best[least.id].stars)
    if stars < len(Star):
        return Recommendation(least, f"{stars} of {len(Star)} stars")
    for seen in known:
        truths = progress.truths.get(seen.id)
        if truths is not None and not truths.are_all_met:
            return Recommendation(seen, f"{truths.met} of {truths.possible} causes met")
    return None
