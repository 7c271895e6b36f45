"""What came of the incidents of past days, and the streak: a file beside the recordings."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import date, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from chaosops.files import read_bytes, replace_file, why
from chaosops.play.daily import daily_of, days_of
from chaosops.play.formatting import shown
from chaosops.play.turn_glyphs import TurnGlyph, glyphs_of
from chaosops.recording.events import REPLAYED
from chaosops.recording.parts import StarName
from chaosops.recording.turn_sources import PEOPLE
from chaosops.scenarios.problems import shown_path
from chaosops.scenarios.summaries import scenario_summaries

if TYPE_CHECKING:
    from chaosops.play.session import Session
    from chaosops.play.stars import Star

_FILE: Final = "dailies.json"
_MOST_BYTES: Final = 2**22
_GLYPHS: Final = "".join(TurnGlyph)


class DailyResult(BaseModel):
    """What came of the first game of a day's incident.

    Attributes:
        budget: The error budget left, in percent.
        glyphs: See `glyphs_of`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    resolved: bool
    stars: tuple[StarName, ...]
    budget: Annotated[int, Field(ge=0, le=100)]
    glyphs: Annotated[str, StringConstraints(pattern=f"^[{_GLYPHS}]*$", max_length=1_000)]


class _DaysFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal[1] = 1
    days: dict[date, DailyResult] = Field(default_factory=dict)


class Dailies(NamedTuple):
    """The days that were played.

    Attributes:
        trouble: Why the file can't be read; empty if it can, or if there is none.
    """

    days: Mapping[date, DailyResult] = MappingProxyType({})
    trouble: str = ""

    def streak(self, today: date) -> int:
        """Return for how many days in a row the incident was played, up to today or yesterday."""
        day = today if today in self.days else today - timedelta(days=1)
        count = 0
        while day in self.days:
            count, day = count + 1, day - timedelta(days=1)
        return count


class PlayedDaily(NamedTuple):
    """A game of a day's incident, and what came of it.

    Attributes:
        is_first: Whether it is the first one of that day, which counts.
        trouble: Why it couldn't be noted; empty if it was.
    """

    day: date
    result: DailyResult
    streak: int
    is_first: bool = True
    trouble: str = ""


def read_dailies(recordings: Path) -> Dailies:
    """Read what came of the days' incidents; a file that was edited by hand may be wrong.

    Args:
        recordings: The folder of the recordings.
    """
    path = recordings / _FILE
    try:
        data = json.loads(read_bytes(path, _MOST_BYTES))
        return Dailies(_DaysFile.model_validate_json(json.dumps(data)).days)
    except FileNotFoundError:
        return Dailies()
    except OSError as error:
        return Dailies(trouble=f"cannot read {shown_path(path)}: {why(error)}")
    except json.JSONDecodeError as error:
        where, what = f":{error.lineno}", f"it is not JSON ({error.msg})"
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        said = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        where, what = "", f"{'.'.join(map(str, first['loc']))}: {said}"
    except (ValueError, RecursionError):
        where, what = "", "it is not JSON text in UTF-8"
    cure = "correct it, or remove the file to begin another streak"
    return Dailies(trouble=f"{shown_path(path)}{where}: {shown(what, 300)}; {cure}")


def note_daily(session: Session, stars: Collection[Star] | None, today: date) -> PlayedDaily | None:
    """Note a finished game if it was the incident of the day; None if it wasn't.

    The first game of a day counts. A fork of another game, an incident of a shift, and a game in
    which nobody took a turn are never noted.

    Args:
        stars: What people earned in it; None if nobody played.
    """
    scenario, path = session.scenario, session.recording
    forked = any(part.policy == REPLAYED for part in session.humans)
    if not session.done or stars is None or forked or scenario.carryover is not None:
        return None
    day = daily_of(scenario.id, scenario.seed, scenario_summaries(), days_of(today))
    if day is None:
        return None
    last = session.observation.view
    own = {turn for turn, part in enumerate(session.humans) if part.source in PEOPLE}
    result = DailyResult(
        resolved=session.resolved,
        stars=tuple(star.value for star in sorted(stars)),
        budget=last.status.budget,
        glyphs=glyphs_of(session.steps, last, own),
    )
    if path is None:
        return PlayedDaily(day, result, 1)
    known = read_dailies(path.parent)
    if known.trouble:
        return PlayedDaily(day, result, 1, trouble=known.trouble)
    if day in known.days:
        return PlayedDaily(day, known.days[day], known.streak(day), is_first=False)
    days = dict(sorted({**known.days, day: result}.items()))
    trouble = ""
    try:
        replace_file(path.parent / _FILE, _DaysFile(days=days).model_dump_json(indent=1) + "\n")
    except OSError as error:
        trouble = f"the day was not noted in {shown_path(path.parent / _FILE)}: {why(error)}"
    return PlayedDaily(day, result, Dailies(days).streak(day), trouble=trouble)
