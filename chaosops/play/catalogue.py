"""The list of incidents, with the player's progress in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.env.models.roles import ROLES
from chaosops.play.daily import Daily
from chaosops.play.formatting import MUTED, ROLE_NAMES, bar, shown, signed
from chaosops.play.recommended import Recommendation, recommended
from chaosops.play.stars import STARS, Star, shape_of
from chaosops.play.styled import CatalogueLine, StyledText, Words
from chaosops.scenarios.summaries import ScenarioSummary

if TYPE_CHECKING:
    from chaosops.play.fleet_sketch import SketchedService
    from chaosops.play.lessons.listing import LessonPath
    from chaosops.play.lessons.path import Lesson
    from chaosops.play.progress import Best, Progress
    from chaosops.recording.library import RecordingSummary

RESUME: Final = "resume"
DAILY: Final = "daily"
SHIFT: Final = "shift"
NEXT: Final = "next"
PLAY: Final = "play:"
"""The prefix of the name of an incident's line, before the id."""

COLUMNS: Final = "stars  met  incident"
"""The names of the columns of an incident's line."""
_CAUSES: Final = 7
_ELSEWHERE: Final = (
    "No finished game in the folder of your recordings yet; games in another folder "
    "(--recordings) count there."
)
_RECENT: Final = 8
"""How many of the last games are told."""


class Listing(NamedTuple):
    """The incidents, the daily one, and the player's progress.

    Attributes:
        incidents: By id, in the order of the list.
        progress: None until the recordings have been read.
        streak: For how many days in a row the daily one was played.
        fleets: The services of each topology, by its name; empty until they have been read.
        path: The lessons; None until they have been read.
        has_results: Whether incidents have columns for what was reached in them; false for who has
            not finished a game yet.
    """

    incidents: Mapping[str, ScenarioSummary]
    daily: Daily | None = None
    progress: Progress | None = None
    streak: int = 0
    has_results: bool = True
    fleets: Mapping[str, Sequence[SketchedService]] = MappingProxyType({})
    path: LessonPath | None = None

    @property
    def columns(self) -> str:
        """The names of the columns of an incident's line."""
        return COLUMNS if self.has_results else ""

    @property
    def unfinished(self) -> RecordingSummary | None:
        """The most recent unfinished game."""
        return next(iter(self.progress.unfinished), None) if self.progress else None

    @property
    def next(self) -> Recommendation | None:
        """What to play next."""
        return recommended(self.incidents.values(), self.progress)

    @property
    def offer(self) -> str:
        """What Enter opens by default: the most recent unfinished game, else the next incident."""
        if self.unfinished is not None:
            return RESUME
        if self.next is not None:
            return NEXT
        return DAILY if self.daily is not None else ""

    def incident(self, line: str) -> ScenarioSummary | None:
        """Return the incident of a line; None if it has none."""
        if line == NEXT:
            return None if self.next is None else self.next.incident
        lesson = self.lesson(line)
        if lesson is not None:
            return self.incidents.get(lesson.scenario)
        return self.incidents.get(line.removeprefix(PLAY)) if line.startswith(PLAY) else None

    def lesson(self, line: str) -> Lesson | None:
        """Return the lesson of a line; None if it has none."""
        return None if self.path is None else self.path.named(line)

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
        if self.next is not None:
            yield CatalogueLine(NEXT, _next_line(self.next))
        if self.daily is not None:
            yield CatalogueLine(DAILY, self._daily_line(self.daily))
        yield CatalogueLine(SHIFT, _SHIFT_LINE)
        level = None
        for seen in self.incidents.values():
            if seen.level is not level:
                level = seen.level
                yield CatalogueLine("", self._heading(level))
            yield CatalogueLine(PLAY + seen.id, self._incident_line(seen))
        if self.path is not None:
            yield from self.path.lines()

    def about(self, line: str) -> list[Words]:
        """Describe the incident or game of a line."""
        if line == RESUME and (left := self.unfinished) is not None:
            return [
                self._game(left),
                (StyledText("Continue your last unfinished game."),),
                (StyledText(shown(left.path.name, 200), MUTED),),
            ]
        if line == SHIFT:
            return list(_ABOUT_SHIFTS)
        lesson = self.lesson(line)
        if lesson is not None and self.path is not None:
            played = self.incidents.get(lesson.scenario)
            title = lesson.scenario if played is None else played.title
            return self.path.about(lesson, title)
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
        if line == NEXT and self.next is not None:
            lines[1] = (StyledText(f"Recommended next, {self.next.why}: ", "bold"), *lines[1])
        if today is not None:
            lines.append(
                (StyledText(f"Today's incident, the same for everyone: seed {today.seed}."),)
            )
        if self.progress is not None:
            lines += self._record(seen.id)
        return lines

    def _record(self, name: str) -> Iterator[Words]:
        """What the player reached in an incident, and what is left to reach."""
        best = self._best(name)
        if best is None:
            yield (StyledText("New: not played to the end yet."),)
        else:
            yield _result(best)
        truths = None if self.progress is None else self.progress.truths.get(name)
        if truths is not None:
            told = f"Causes met: {truths.met} of the {truths.possible} that can be behind it."
            if truths.possible == 1:
                told = "Only one cause can be behind it."
            yield (StyledText(told),)
        yield (StyledText(""),)
        earned = frozenset() if best is None else best.stars
        for star, needs in STARS.items():
            mark = "★" if star in earned else "☆"
            yield (StyledText(f"{mark} {star.value.capitalize()}: ", "bold"), StyledText(needs))

    def _of_line(self, line: str) -> ScenarioSummary | None:
        """Return the incident of a line, the daily and the unfinished one's too, or None."""
        if line == RESUME:
            begun = None if self.unfinished is None else self.unfinished.header
            return None if begun is None else self.incidents.get(begun.current_scenario)
        if line == DAILY:
            return None if self.daily is None else self.daily.incident
        return self.incident(line)

    def fleet_of(self, line: str) -> list[Words]:
        """Describe the fleet of a built-in incident's line; empty if it isn't known."""
        # Not imported at the start of the game: it would delay the list.
        from chaosops.scenarios.folders import builtin_folder

        seen = self._of_line(line)
        if seen is None or not seen.path.absolute().is_relative_to(builtin_folder().absolute()):
            return []
        services = self.fleets.get(seen.topology, ())
        lines: list[Words] = [(StyledText("Its fleet", "bold"),)]
        for each in services:
            name = f"  {each.branch.guides}{each.branch.name}"
            facts = ", ".join((each.kind.value, *each.facts))
            lines.append((StyledText(f"{name:<22} "), StyledText(facts, MUTED)))
        return lines if services else []

    def games_of(self, line: str, most: int = _RECENT) -> list[Words]:
        """Describe the player's games of the incident of a line, the most recent first."""
        seen = self._of_line(line)
        if self.progress is None or seen is None:
            return []
        from chaosops.play.progress import result_of

        lines: list[Words] = []
        for game in self.progress.finished:
            if game.header is not None and game.header.current_scenario == seen.id:
                result = result_of(game)
                won = f"  {shape_of(result.stars)} {signed(result.score):>7}"
                rest = f"  {_end(result)}, seed {game.header.seed}"
                lines.append((StyledText(won), StyledText(rest, MUTED)))
        return [(StyledText("Your games of it", "bold"),), *lines[:most]] if lines else []

    def by_level(self) -> list[Words]:
        """Describe how far the player is in each level: resolved, stars, causes met."""
        lines: list[Words] = [(StyledText("By level", "bold"),)]
        for level in dict.fromkeys(seen.level for seen in self.incidents.values()):
            names = [seen.id for seen in self.incidents.values() if seen.level is level]
            best = [one for name in names if (one := self._best(name)) is not None]
            resolved, stars = sum(one.resolved for one in best), sum(len(one.stars) for one in best)
            most = len(names) * len(Star)
            told = f"{resolved:>2} of {len(names):>2} resolved, ★ {stars:>2} of {most:>2}"
            truths = {} if self.progress is None else self.progress.truths
            known = [truths[name] for name in names if name in truths]
            met = ""
            if known:
                possible = sum(one.possible for one in known)
                met = f", {sum(one.met for one in known)} of {possible} causes met where you played"
            share = bar(resolved / len(names), 10)
            lines.append(
                (
                    StyledText(f"  {level.value:<9}{share} "),
                    StyledText(f"{told}{met}", MUTED),
                )
            )
        return lines

    def for_newcomers(self) -> list[Words]:
        """Say how a game goes to who has not finished one yet; empty for others."""
        if self.progress is None or self.progress.finished:
            return []
        lines: list[Words] = [
            (StyledText("How it goes", "bold"),),
            *((StyledText(f"- {told}", MUTED),) for told in _HOW_IT_GOES),
            (),
            (StyledText("The four seats", "bold"),),
        ]
        for role, spec in ROLES.items():
            name = StyledText(f"{ROLE_NAMES[role]}  ", "bold")
            lines.append((name, StyledText(spec.duty, MUTED)))
        return lines

    def recent(self, most: int = _RECENT) -> list[Words]:
        """Describe the player's last games, the most recent first."""
        if self.progress is None:
            return []
        # Not imported at the start of the game: it would delay the list.
        from chaosops.play.progress import result_of

        games = self.progress.finished[:most]
        lines: list[Words] = []
        for game in games:
            result = result_of(game)
            seed = "" if game.header is None else f", seed {game.header.seed}"
            lines.append((StyledText(self.title_of(game)),))
            lines.append(
                (
                    StyledText(f"  {shape_of(result.stars)} {signed(result.score):>7}"),
                    StyledText(f"  {_end(result)}{seed}", MUTED),
                )
            )
        if not lines:
            return [(StyledText(_ELSEWHERE, MUTED),)]
        return [(StyledText("Your last games", "bold"),), *lines]

    def summary(self) -> str:
        """Sum the player's progress up: incidents resolved, stars and causes met."""
        progress = self.progress
        if progress is None or not progress.best:
            return ""
        best = [progress.best[name] for name in self.incidents if name in progress.best]
        resolved = sum(one.resolved for one in best)
        stars = sum(len(one.stars) for one in best)
        every = len(self.incidents)
        return f"{resolved} of {every} resolved · ★ {stars} of {every * len(Star)}"

    def _best(self, name: str) -> Best | None:
        return self.progress.best.get(name) if self.progress else None

    def _heading(self, level: Difficulty) -> Words:
        names = [seen.id for seen in self.incidents.values() if seen.level is level]
        count = f"{len(names)}"
        if self.progress is not None:
            best = [one for name in names if (one := self._best(name)) is not None]
            resolved = sum(one.resolved for one in best)
            count = f"{resolved} of {len(names)} resolved"
            if stars := sum(len(one.stars) for one in best):
                count += f", ★ {stars} of {len(names) * len(Star)}"
            if new := len(names) - len(best):
                count += f", {new} new"
        return StyledText(f"{level.value.capitalize()}  ", "bold"), StyledText(count, MUTED)

    def _incident_line(self, seen: ScenarioSummary) -> Words:
        title, name = StyledText(shown(seen.title, 120)), StyledText(f"  {seen.id}", MUTED)
        if not self.has_results:
            return StyledText("  "), title, name
        best = self._best(seen.id)
        progress = self.progress
        stars = StyledText("   " if progress is None else "new", MUTED)
        truths = ""
        if progress is not None and best is not None:
            stars = StyledText(shape_of(best.stars), "bold")
            met = progress.truths.get(seen.id)
            truths = "" if met is None else f"{met.met}/{met.possible}"
        return (
            StyledText("  "),
            stars,
            StyledText(f"{truths:>{_CAUSES}}  ", MUTED),
            title,
            name,
        )

    def _daily_line(self, today: Daily) -> Words:
        name = (today.incident.id, today.seed)
        done = ", played" if self.progress and name in self.progress.played else ""
        return (
            StyledText(f"▸ {today.words:<8} ", "bold $accent"),
            StyledText(f"streak {self.streak}  " if self.streak else "", "bold"),
            StyledText(shown(today.incident.title, 120)),
            StyledText(f"  {today.incident.level.value}{done}", MUTED),
        )

    def _game(self, entry: RecordingSummary) -> Words:
        header = entry.header
        where = ""
        if header is not None:
            where = f"  seed {header.seed}, turn {entry.turns + 1} of {header.max_turns}"
        return StyledText(self.title_of(entry)), StyledText(where, MUTED)


_HOW_IT_GOES: Final = (
    "A turn is a minute. Each seat takes one in turn, and the world moves on, with or without you.",
    "Look first: charts, logs, traces and tables tell causes apart that have the same symptoms.",
    "Name the cause before you order its cure, and fix what the readings show.",
    "Teammates see what you don't: ask them, and share what you found.",
    "It is over once users have been well for some minutes. The debrief says what each turn cost.",
)
"""What a newcomer should know."""

_SHIFT_LINE: Final[Words] = (
    StyledText("▸ Shift    ", "bold $accent"),
    StyledText("Several incidents on one error budget"),
    StyledText("  20 to 25 minutes", MUTED),
)
_ABOUT_SHIFTS: Final[tuple[Words, ...]] = (
    (StyledText("A shift", "bold"),),
    (
        StyledText(
            "Three incidents on one fleet and one error budget, or eight. Between two, an action "
            "item changes the next one. Saved after each step."
        ),
    ),
)


def _next_line(best: Recommendation) -> Words:
    return (
        StyledText("▸ Next     ", "bold $accent"),
        StyledText(shown(best.incident.title, 120)),
        StyledText(f"  {best.why}, {best.incident.level.value}", MUTED),
    )


def _result(best: Best) -> Words:
    games = "1 game" if best.games == 1 else f"{best.games} games"
    won = f"{shape_of(best.stars)} {_end(best)}"
    words = f"{won}, score {signed(best.score)} ({games})"
    return (StyledText(words),)


def _end(best: Best) -> str:
    return f"{'resolved' if best.resolved else 'not resolved'} in {best.turns} min"
