"""The home screen: unfinished games, the incident of the day, and all others by level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize, ScreenResume
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.errors import ChaosOpsError
from chaosops.play.catalogue import DAILY, RESUME, SHIFT, Listing
from chaosops.play.daily import daily, today_in_utc
from chaosops.play.formatting import MUTED, shown
from chaosops.scenarios.summaries import ScenarioSummary, in_order, scenario_summaries
from tui.game_app import game_app
from tui.router import HOME
from tui.screen_requests import OpenBriefing, OpenNotice, OpenRecordings, OpenShiftSetup, OpenStart
from tui.screens.dialogs.explained import Explained
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured

if TYPE_CHECKING:
    from chaosops.play.fleet_sketch import SketchedService
    from chaosops.play.lessons.listing import LessonPath
    from chaosops.play.lessons.path import Lesson
    from chaosops.play.progress import Progress
    from chaosops.play.setup import Setup
    from chaosops.scenarios.rendering import ScenarioSource

_ROOMY = 100
_WIDE = 160
_TALL = 50
_AROUND = 12
"""The lines around the description, and those that wrap."""


class HomeScreen(Explained, Remeasured, Screen[None]):
    """The list of incidents. Progress appears once the recordings have been read."""

    STAYS_BELOW: ClassVar[bool] = True
    TITLE = "Incidents"
    EXPLAINED = (
        "Choose an incident and press {home.play}: the briefing shows what is known, and there you "
        "choose the seats, the seed and the pace. The levels go from a tutorial that explains "
        "each step to incidents with several causes.\n\n"
        "The stars are those of your best game: for the users, the cause, and a clean game (a "
        "briefing says what each needs). 'met' says how many of the causes that can be behind "
        "an incident you have met in finished games: another seed may draw another one. "
        "'new' are incidents that you haven't played to the end. Games that you recorded in "
        "another folder (--recordings) count there, not here. The incident of the day is the "
        "same for everyone, and days in a row make a streak. {home.shift} goes to shifts: several "
        "incidents on one error budget. At the end of the list are lessons: an incident with its "
        "seat and seed, and what to watch for; ● is resolved, and ◐ was played."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "choose",
            "Choose",
            priority=True,
            id="home.play",
            tooltip="Open the selected line",
        ),
        Binding("d", "daily", "Daily", id="home.daily", tooltip="Play the incident of the day"),
        Binding(
            "t",
            "shift",
            "Shift",
            show=False,
            id="home.shift",
            tooltip="Play several incidents in a row",
        ),
        Binding(
            "r", "resume", "Resume", id="home.resume", tooltip="Resume your last unfinished game"
        ),
        Binding(
            "l", "recordings", "Recordings", id="home.recordings", tooltip="Your recorded games"
        ),
        Binding(
            "s", "app.settings", "Settings", id="home.settings", tooltip="Theme, keys and more"
        ),
        Binding(
            "question_mark", "explain", "Explain", id="home.explain", tooltip="Explain this screen"
        ),
        Binding("q", "app.leave", "Quit", show=False, id="home.quit", tooltip="Leave the game"),
    ]

    def __init__(
        self,
        folders: Sequence[Path],
        recordings: Path | None,
        *,
        today: Callable[[], date] = today_in_utc,
    ) -> None:
        """Create the list of the built-in incidents and those in some folders.

        Args:
            recordings: The folder of the recordings; None to keep nothing.
            today: The day whose incident is the daily one.
        """
        super().__init__(id=HOME)
        self._today = today
        self._folders = tuple(folders)
        self._recordings = recordings
        self._listing = Listing({}, has_results=recordings is not None and recordings.exists())
        self._notes: tuple[str, ...] = ()
        self._is_spaced = False
        self._offered = ""

    def compose(self) -> ComposeResult:
        """Compose the title, the list and the description of the highlighted line."""
        with Horizontal(id="home-title"):
            yield Static(
                Content.assemble(
                    ("ChaosOps", "bold $accent"), ("  You are on call. Choose an incident.", MUTED)
                ),
                id="home-name",
            )
            yield Static(id="home-progress", markup=False)
        with Horizontal(id="home-body"):
            self._read_summaries()
            listing = Menu(*self._options(), id="home-list", markup=False, compact=True)
            listing.border_title = Content.styled(self._listing.columns, MUTED)
            yield listing
            yield Static(id="home-about", markup=False)
        yield Static(id="home-note", markup=False)

    def on_mount(self) -> None:
        """Show what the files' first lines tell; do slower work after the first paint."""
        self._highlight("")
        self.query_one(OptionList).focus()
        self.call_after_refresh(self._show_keys)
        self.call_after_refresh(self._read)

    async def _show_keys(self) -> None:
        from tui.widgets.status.key_hints import KeyHints

        if self.is_up:
            await self.mount(KeyHints())

    def on_resize(self, event: Resize) -> None:
        """Describe the line beside the list if there is room, otherwise below it."""
        self.set_class(event.size.width < _ROOMY, "-narrow")
        self.set_class(event.size.width >= _WIDE, "-wide")
        if self._is_spacious is not self._is_spaced:
            self._fill()
        self._describe()
        if self._is_spacious and not self._listing.fleets:
            self._read_fleets()

    @property
    def _is_spacious(self) -> bool:
        """Whether there is room for more than a description."""
        return self.size.width >= _WIDE and self.size.height >= _TALL

    @work(thread=True, group="fleets", exclusive=True)
    def _read_fleets(self) -> None:
        """Read the built-in topologies, for the tree of services beside the list."""
        from chaosops.play.fleet_sketch import sketch
        from chaosops.scenarios.cause_list import built_in_topologies
        from chaosops.scenarios.file_reader import FileReader

        fleets = {one.id: sketch(one) for one in built_in_topologies(FileReader(()))}
        self.app.call_from_thread(self._show_fleets, fleets)

    def _show_fleets(self, fleets: Mapping[str, Sequence[SketchedService]]) -> None:
        if self.is_up:
            self._listing = self._listing._replace(fleets=fleets)
            self._describe()

    @on(ScreenResume)
    def _on_resume(self) -> None:
        """Read the recordings again after a game."""
        if self._listing.progress is not None:
            self._read_summaries()
            self._fill()
            self._read()

    def _read_summaries(self) -> None:
        own = scenario_summaries(self._folders)
        self._listing = self._listing._replace(
            incidents={seen.id: seen for seen in own},
            daily=daily(scenario_summaries() if self._folders else own, self._today()),
        )
        if not own:
            self._notes = ("No incidents found: choose a folder with --scenarios DIR.",)

    @work(thread=True, group="home", exclusive=True)
    def _read(self) -> None:
        """Read the recordings, and check the user's own incidents."""
        from chaosops.play.dailies import Dailies, read_dailies
        from chaosops.play.lessons.listing import LessonPath
        from chaosops.play.lessons.path import lessons, marks_of
        from chaosops.play.progress import NOTHING_YET, read_progress

        known = tuple(self._listing.incidents.values())
        progress, dailies = NOTHING_YET, Dailies()
        if self._recordings is not None:
            progress = read_progress(self._recordings, known)
            dailies = read_dailies(self._recordings)
        known_lessons = lessons()
        path = LessonPath(known_lessons, marks_of(known_lessons, progress.finished))
        own, broken = self._own_incidents()
        if dailies.trouble:
            broken = (*broken, dailies.trouble)
        streak = dailies.streak(self._today())
        self.app.call_from_thread(self._take_in, progress, path, own, broken, streak)
        game_app(self).router.preload()
        if progress.finished:
            self._count_truths(progress)

    def _count_truths(self, progress: Progress) -> None:
        """Count the causes that were met, for which the incidents' files are read."""
        from chaosops.play.truths import truths_met

        games = (game.header for game in progress.finished if game.header is not None)
        counted = progress._replace(truths=truths_met(games, self._folders))
        self.app.call_from_thread(self._show_progress, counted)

    def _own_incidents(self) -> tuple[tuple[ScenarioSummary, ...], tuple[str, ...]]:
        """Return the user's incidents without a summary, and the problems of others."""
        if not self._folders:
            return (), ()
        from chaosops.scenarios.loader import scan

        try:
            found, problems = scan(self._folders)
            missed = (source for source in found if source.id not in self._listing.incidents)
            own = tuple(_summary_of(source) for source in missed)
        except ChaosOpsError as error:
            return (), (str(error),)
        return own, tuple(str(problem) for problem in problems)

    def _take_in(
        self,
        progress: Progress,
        path: LessonPath,
        own: tuple[ScenarioSummary, ...],
        broken: tuple[str, ...],
        streak: int,
    ) -> None:
        if not self.is_up:
            return
        everything = in_order((*self._listing.incidents.values(), *own))
        incidents = {seen.id: seen for seen in everything}
        self._listing = self._listing._replace(incidents=incidents, streak=streak, path=path)
        trouble = (progress.trouble,) if progress.trouble else ()
        self._notes = (*broken, *trouble)
        self._show_progress(progress)
        self.refresh_bindings()

    def _show_progress(self, progress: Progress) -> None:
        if not self.is_up:
            return
        has_results = bool(progress.best)
        self._listing = self._listing._replace(progress=progress, has_results=has_results)
        self._fill()
        summary = Content.styled(self._listing.summary(), MUTED)
        self.query_one("#home-progress", Static).update(summary)

    def _fill(self) -> None:
        listing = self.query_one("#home-list", OptionList)
        before = listing.highlighted_option
        listing.border_title = Content.styled(self._listing.columns, MUTED)
        listing.set_options(self._options())
        self._highlight(before.id or "" if before is not None else "")

    def _options(self) -> list[Option]:
        """Return the lines, with an empty one above each heading if there is much room."""
        self._is_spaced = self._is_spacious
        options: list[Option] = []
        for line in self._listing.lines():
            if self._is_spaced and not line.name:
                options.append(Option("", disabled=True))
            words = Content.assemble(*line.words)
            options.append(Option(words, id=line.name or None, disabled=not line.name))
        return options

    def _highlight(self, before: str) -> None:
        """Restore the highlight, or put it on the next incident by default."""
        listing = self.query_one("#home-list", OptionList)
        ids = [option.id for option in listing.options]
        chosen = before if before in ids else ""
        if chosen in ("", self._offered):
            chosen = self._offered = self._listing.offer
        listing.highlighted = ids.index(chosen) if chosen in ids else None
        self._describe()

    def _chosen(self) -> str:
        option = self.query_one("#home-list", OptionList).highlighted_option
        return option.id or "" if option is not None else ""

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._describe()

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_choose()

    def _describe(self) -> None:
        about = self.query_one("#home-about", Static)
        lines = self._listing.about(self._chosen())
        if self._is_spacious:
            for part in (
                self._listing.fleet_of(self._chosen()),
                self._listing.games_of(self._chosen()),
                self._listing.by_level(),
                self._listing.for_newcomers(),
            ):
                lines += [(), *part] if part else []
            # A game takes two lines; the title and the keys take some.
            room = (self.size.height - len(lines) - _AROUND) // 2
            lines += [(), *self._listing.recent(max(1, room))]
        elif not self.has_class("-narrow"):
            lines += [(), *self._listing.recent()]
        about.update(Content("\n").join(Content.assemble(*words) for words in lines))
        note = self.query_one("#home-note", Static)
        more = f"  (and {len(self._notes) - 1} more)" if len(self._notes) > 1 else ""
        note.update(
            Content.styled(shown(self._notes[0], 400) + more, "bold") if self._notes else ""
        )
        note.display = bool(self._notes)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable resuming if there is no unfinished game."""
        if action == "resume":
            return self._listing.unfinished is not None
        if action == "daily":
            return self._listing.daily is not None
        if action == "shift":
            return self._recordings is not None
        return True

    def action_choose(self) -> None:
        """Open the highlighted line."""
        chosen = self._chosen()
        if chosen == RESUME:
            self.action_resume()
        elif chosen == DAILY:
            self.action_daily()
        elif chosen == SHIFT:
            self.action_shift()
        elif (lesson := self._listing.lesson(chosen)) is not None:
            self._begin_lesson(lesson)
        elif (seen := self._listing.incident(chosen)) is not None:
            self._brief(seen, self._listing.fresh_seed(seen.id))

    def _begin_lesson(self, lesson: Lesson) -> None:
        """Go to the briefing of a lesson's incident, with its seed and the learner's seat."""
        seen = self._listing.incidents.get(lesson.scenario)
        if seen is None:
            self.notify("Its incident isn't in the list.")
        else:
            self._brief(seen, lesson.seed, lesson.setup)

    def action_daily(self) -> None:
        """Go to the briefing of the incident of the day."""
        today = self._listing.daily
        if today is not None:
            self._brief(today.incident, today.seed)

    def action_shift(self) -> None:
        """Set up a shift, or continue one."""
        if self._recordings is not None:
            app = game_app(self)
            setup = app.preferences.settings.setup
            app.router.open(OpenShiftSetup(self._recordings, setup))

    def action_resume(self) -> None:
        """Resume the most recent unfinished game."""
        left = self._listing.unfinished
        if left is None:
            return
        from chaosops.play.game_requests import old_game
        from chaosops.recording.resume import reopen

        take_up = partial(reopen, left.path, self._folders)
        game = old_game(
            self._listing.title_of(left), take_up, self._recordings, game_app(self).policies
        )
        failed = partial(OpenNotice, "Can't resume")
        game_app(self).router.open(OpenStart(game, failed))

    def action_recordings(self) -> None:
        """List the recordings."""
        if self._recordings is not None:
            game_app(self).router.open(OpenRecordings(self._recordings, self._folders))

    def _brief(self, seen: ScenarioSummary, seed: int, setup: Setup | None = None) -> None:
        """Go to a briefing.

        Args:
            setup: Who sits where, this time only; None for the usual setup.
        """
        app = game_app(self)
        seats = setup or app.preferences.settings.setup
        saves = setup is None
        app.router.open(
            OpenBriefing(seen, seed, seats, self._recordings, self._folders, saves=saves)
        )


def _summary_of(source: ScenarioSource) -> ScenarioSummary:
    """Return the summary of an incident whose file doesn't begin with one."""
    incident = source.render(0)
    return ScenarioSummary(
        source.path,
        source.id,
        source.title,
        source.level,
        incident.topology,
        incident.par,
        incident.max_steps,
    )
