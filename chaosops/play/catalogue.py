"""The list of incidents, with the player's progress in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.play.daily import Daily
from chaosops.play.formatting import MUTED, shown, signed
from chaosops.play.stars import shape_of
from chaosops.scenarios.summaries import ScenarioSummary

if TYPE_CHECKING:
    from chaosops.play.progress import Best, Progress
    from chaosops.recording.library import RecordingSummary

RESUME: Final = "resume"
DAILY: Final = "daily"
PLAY: Final = "play:"
"""The prefix of the name of an incident's line, before the id."""


class StyledText(NamedTuple):
    """A piece of a line with its style on a screen."""

    text: str
    style: str = ""


Words = tuple[StyledText, ...]


class CatalogueLine(NamedTuple):
    """A line of the list; a heading has no name and can't be chosen."""

    name: str
    words: Words


class Listing(NamedTuple):
    """The incidents, the daily one, and the player's progress.

    Attributes:
        incidents: By id, in the order of the list.
        progress: None until the recordings have been read.
    """

    incidents: Mapping[str, ScenarioSummary]
    daily: Daily | None = None
    progress: Progress | None = None

    @property
    def unfinished(self) -> RecordingSummary | None:
        """The most recent unfinished game."""
        return next(iter(self.progress.unfinished), None) if self.progress else None

    @property
    def offer(self) -> str:
        """What Enter opens by default: the most recent unfinished game, else the next incident."""
        if self.unfinished is not None:
            return RESUME
        for name in self.incidents:
            best = self._best(name)
            if best is None or not best.resolved:
                return PLAY + name
        return DAILY if self.daily is not None else ""

    def incident(self, line: str) -> ScenarioSummary | None:
        """Return the incident of a line; None if it has none."""
        return self.incidents.get(line.removeprefix(PLAY)) if line.startswith(PLAY) else None

    def title_of(self, entry: RecordingSummary) -> str:
        """Return the title of a recorded game."""
        if entry.header is None:
            return shown(entry.path.name, 120)
        name = entry.header.current_scenario
        seen = self.incidents.get(name)
        return shown(seen.title if seen else name, 120)

    def fresh_seed(self, name: str) -> int:
        """Return the smallest seed of an incident that was not played to its end."""
        seed = 0
        while self.progress is not None and (name, seed) in self.progress.played:
            seed += 1
        return seed

    def lines(self) -> Iterator[CatalogueLine]:
        """Yield all lines from the top."""
        if (left := self.unfinished) is not None:
            head = StyledText("▸ Resume   ", "bold $accent")
            yield CatalogueLine(RESUME, (head, *self._game(left)))
        if self.daily is not None:
            yield CatalogueLine(DAILY, self._daily_line(self.daily))
        level = None
        for seen in self.incidents.values():
            if seen.level is not level:
                level = seen.level
                yield CatalogueLine("", self._heading(level))
            yield CatalogueLine(PLAY + seen.id, self._incident_line(seen))

    def about(self, line: str) -> list[Words]:
        """Describe the incident or game of a line."""
        if line == RESUME and (left := self.unfinished) is not None:
            return [
                self._game(left),
                (StyledText("Continue your last unfinished game."),),
                (StyledText(shown(left.path.name, 200), MUTED),),
            ]
        today = self.daily if line == DAILY else None
        seen = today.incident if today else self.incident(line)
        if seen is None:
            return []
        facts = (
            f"{seen.level.value}, fleet {shown(seen.topology, 40)}, par {seen.par} of "
            f"{seen.max_steps * 4} minutes"
        )
        lines: list[Words] = [
            (StyledText(shown(seen.title, 120), "bold"),),
            (StyledText(facts, MUTED),),
        ]
        if today is not None:
            lines.append(
                (StyledText(f"Today's incident, the same for everyone: seed {today.seed}."),)
            )
        best = self._best(seen.id)
        if best is not None:
            lines.append(_result(best))
        elif self.progress is not None:
            lines.append((StyledText("Not completed yet."),))
        return lines

    def _best(self, name: str) -> Best | None:
        return self.progress.best.get(name) if self.progress else None

    def _heading(self, level: Difficulty) -> Words:
        names = [seen.id for seen in self.incidents.values() if seen.level is level]
        solved = sum(1 for name in names if (best := self._best(name)) and best.resolved)
        count = f"{solved} of {len(names)} resolved" if self.progress else f"{len(names)}"
        return StyledText(f"{level.value.capitalize()}  ", "bold"), StyledText(count, MUTED)

    def _incident_line(self, seen: ScenarioSummary) -> Words:
        best = self._best(seen.id)
        stars, score = "   ", " " * 7
        if best is not None:
            stars, score = shape_of(best.stars), f"{signed(best.score):>7}"
        return (
            StyledText(f" {stars} ", "bold"),
            StyledText(f"{score}  ", MUTED),
            StyledText(shown(seen.title, 120)),
            StyledText(f"  {seen.id}", MUTED),
        )

    def _daily_line(self, today: Daily) -> Words:
        name = (today.incident.id, today.seed)
        done = ", played" if self.progress and name in self.progress.played else ""
        return (
            StyledText(f"▸ {today.words:<8} ", "bold $accent"),
            StyledText(shown(today.incident.title, 120)),
            StyledText(f"  {today.incident.level.value}{done}", MUTED),
        )

    def _game(self, entry: RecordingSummary) -> Words:
        header = entry.header
        where = ""
        if header is not None:
            where = f"  seed {header.seed}, turn {entry.turns + 1} of {header.max_turns}"
        return StyledText(self.title_of(entry)), StyledText(where, MUTED)


def _result(best: Best) -> Words:
    end = "resolved" if best.resolved else "not resolved"
    games = "1 game" if best.games == 1 else f"{best.games} games"
    won = f"{shape_of(best.stars)} {end} in {best.turns} min"
    words = f"{won}, score {signed(best.score)} ({games})"
    return (StyledText(words),)
