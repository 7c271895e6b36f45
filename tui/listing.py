"""What the home screen lists, and what it says of each line. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from textual.content import Content

from chaosops.env.models import Difficulty
from chaosops.scenarios.summaries import Glance
from tui.daily import Daily
from tui.words import MUTED, shown, signed

if TYPE_CHECKING:
    from chaosops.recording.library import Entry
    from tui.progress import Best, Progress

RESUME: Final = "resume"
DAILY: Final = "daily"
PLAY: Final = "play:"
"""What the name of an incident's line begins with; its id follows."""


class Line(NamedTuple):
    """A line of the list; a heading has no name, and cannot be chosen."""

    name: str
    content: Content


class Listing(NamedTuple):
    """The incidents, the daily one, and what was reached.

    Attributes:
        incidents: By id, in the order of the list.
        progress: None until the recordings were read.
    """

    incidents: Mapping[str, Glance]
    daily: Daily | None = None
    progress: Progress | None = None

    @property
    def unfinished(self) -> Entry | None:
        """The game that was left last."""
        return next(iter(self.progress.unfinished), None) if self.progress else None

    @property
    def offer(self) -> str:
        """What Enter should open where nobody chose: the game left last, else what comes next."""
        if self.unfinished is not None:
            return RESUME
        for name in self.incidents:
            best = self._best(name)
            if best is None or not best.resolved:
                return PLAY + name
        return DAILY if self.daily is not None else ""

    def incident(self, line: str) -> Glance | None:
        """The incident of a line, None where it has none."""
        return self.incidents.get(line.removeprefix(PLAY)) if line.startswith(PLAY) else None

    def title_of(self, entry: Entry) -> str:
        """What a recorded game is called."""
        if entry.header is None:
            return shown(entry.path.name, 120)
        seen = self.incidents.get(entry.header.scenario)
        return shown(seen.title if seen else entry.header.scenario, 120)

    def fresh_seed(self, name: str) -> int:
        """The smallest seed of an incident that was not played to its end."""
        seed = 0
        while self.progress is not None and (name, seed) in self.progress.played:
            seed += 1
        return seed

    def lines(self) -> Iterator[Line]:
        """All lines from the top."""
        if (left := self.unfinished) is not None:
            head = Content.styled("▸ Resume   ", "bold $accent")
            yield Line(RESUME, head + self._game(left))
        if self.daily is not None:
            yield Line(DAILY, self._daily_line(self.daily))
        level = None
        for seen in self.incidents.values():
            if seen.level is not level:
                level = seen.level
                yield Line("", self._heading(level))
            yield Line(PLAY + seen.id, self._incident_line(seen))

    def about(self, line: str) -> list[Content]:
        """What is known of a line."""
        if line == RESUME and (left := self.unfinished) is not None:
            return [
                self._game(left),
                Content("The game you left last goes on where it stopped."),
                Content.styled(shown(left.path.name, 200), MUTED),
            ]
        today = self.daily if line == DAILY else None
        seen = today.incident if today else self.incident(line)
        if seen is None:
            return []
        facts = (
            f"{seen.level.value}, fleet {shown(seen.topology, 40)}, par {seen.par} of "
            f"{seen.max_steps * 4} minutes"
        )
        lines = [Content.styled(shown(seen.title, 120), "bold"), Content.styled(facts, MUTED)]
        if today is not None:
            lines.append(Content(f"Today's incident, for everybody: seed {today.seed}."))
        best = self._best(seen.id)
        if best is not None:
            lines.append(_result(best))
        elif self.progress is not None:
            lines.append(Content("Not played to its end yet."))
        return lines

    def _best(self, name: str) -> Best | None:
        return self.progress.best.get(name) if self.progress else None

    def _heading(self, level: Difficulty) -> Content:
        names = [seen.id for seen in self.incidents.values() if seen.level is level]
        solved = sum(1 for name in names if (best := self._best(name)) and best.resolved)
        count = f"{solved} of {len(names)} resolved" if self.progress else f"{len(names)}"
        return Content.assemble((f"{level.value.capitalize()}  ", "bold"), (count, MUTED))

    def _incident_line(self, seen: Glance) -> Content:
        best = self._best(seen.id)
        stars, score = "   ", " " * 7
        if best is not None:
            stars, score = best.medal.word.split()[0], f"{signed(best.score):>7}"
        return Content.assemble(
            (f" {stars} ", "bold"),
            (f"{score}  ", MUTED),
            shown(seen.title, 120),
            (f"  {seen.id}", MUTED),
        )

    def _daily_line(self, today: Daily) -> Content:
        name = (today.incident.id, today.seed)
        done = ", played" if self.progress and name in self.progress.played else ""
        return Content.assemble(
            (f"▸ {today.words:<8} ", "bold $accent"),
            shown(today.incident.title, 120),
            (f"  {today.incident.level.value}{done}", MUTED),
        )

    def _game(self, entry: Entry) -> Content:
        header = entry.header
        where = ""
        if header is not None:
            where = f"  seed {header.seed}, turn {entry.turns + 1} of {header.max_turns}"
        return Content.assemble(self.title_of(entry), (where, MUTED))


def _result(best: Best) -> Content:
    end = "resolved" if best.resolved else "not resolved"
    games = "1 game" if best.games == 1 else f"{best.games} games"
    return Content(
        f"{best.medal.word}: {end} in {best.turns} min, score {signed(best.score)} ({games})"
    )
