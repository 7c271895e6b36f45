"""The debrief: the result, the cause, and a better line of play."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from typing import Any, ClassVar

from textual import events, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import get_current_worker

from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.evaluation.process_figures import process_figures
from chaosops.play.counterfactuals import Hindsight, hindsight
from chaosops.play.dailies import PlayedDaily, note_daily
from chaosops.play.daily import today_in_utc
from chaosops.play.debrief import ledger, share_line, timeline, turns_of_people
from chaosops.play.deeds import deed_words
from chaosops.play.earned_stars import stars_in, withheld_in
from chaosops.play.follow_ups import follow_ups, told
from chaosops.play.formatting import MUTED, clock, shown, signed
from chaosops.play.outcome import Outcome, outcome
from chaosops.play.rating import Rating
from chaosops.play.replay_model import replay_of_session
from chaosops.play.reveal import revealed, twins_told
from chaosops.play.session import Session
from chaosops.play.stars import shape_of
from chaosops.recording.upkeep import add_note
from tui.game_app import game_app
from tui.screen_requests import OpenGame, OpenReplay
from tui.screens.board_layout import GAME_STYLES, ROOMY_HEIGHT, ROOMY_WIDTH, WIDE_WIDTH
from tui.screens.debrief.pane_specs import LEFT, PANES, PaneSpec
from tui.screens.debrief.rate import RateScreen
from tui.screens.dialogs.ask_consent import ask_consent
from tui.screens.dialogs.help import HelpScreen, explanation_for
from tui.screens.dialogs.jump import JumpScreen
from tui.widgets.basic.lines import Row
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.debrief.panes import (
    DebriefPane,
    beside_rows,
    deed_rows,
    diagnosis_rows,
    gap_rows,
    ledger_rows,
    lesson_rows,
    process_rows,
    progress_rows,
    star_rows,
    sums_rows,
    timeline_rows,
)
from tui.widgets.panes.tabs import PaneTabs, Tab
from tui.widgets.status.key_hints import KeyHints


def _pane(spec: PaneSpec) -> DebriefPane:
    return DebriefPane(spec.name, spec.title, spec.tooltip)


class DebriefScreen(Remeasured, Screen[None]):
    """The debrief of an episode that has ended."""

    CSS_PATH: ClassVar[Any] = list(GAME_STYLES)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "replay", "Replay", id="debrief.replay", tooltip="Step through the game"),
        Binding(
            "a",
            "again",
            "Again",
            id="debrief.again",
            tooltip="The same incident and seed",
        ),
        Binding(
            "k",
            "fork",
            "Fork",
            id="debrief.fork",
            tooltip="Play on from a turn of your choice; the turns before it are replayed",
        ),
        Binding("v", "rate", "Rate", id="debrief.rate", tooltip="Rate the game or add a comment"),
        Binding(
            "s",
            "share",
            "Share",
            id="debrief.share",
            tooltip="Copy the result as one line, and show it; press again to hide it",
        ),
        Binding(
            "p",
            "postmortem",
            "Post-mortem",
            show=False,
            id="debrief.postmortem",
            tooltip="Write the post-mortem as Markdown, with charts, beside the recording",
        ),
        Binding("n", "home", "New game", id="debrief.home", tooltip="Choose another incident"),
        Binding(
            "left_square_bracket",
            "pane(-1)",
            "Previous pane",
            show=False,
            id="debrief.previous_pane",
            tooltip="Show the previous pane",
        ),
        Binding(
            "right_square_bracket",
            "pane(1)",
            "Next pane",
            show=False,
            id="debrief.next_pane",
            tooltip="Show the next pane",
        ),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="debrief.explain",
            tooltip="Explain the focused pane",
        ),
        Binding("q", "app.leave", "Quit", show=False, id="debrief.quit", tooltip="Leave the game"),
    ]

    def __init__(self, session: Session, *, today: Callable[[], date] = today_in_utc) -> None:
        """Create the debrief of a finished session.

        Args:
            today: Returns the day, in UTC, whose incident may have been played.
        """
        super().__init__()
        self._today = today
        self.title = f"Debrief: {shown(session.scenario.title, 80)}"
        self._session = session
        self._people = turns_of_people(session.humans)
        self._roles = frozenset(session.steps[turn].role for turn in self._people)
        self._status = session.observation.view.status
        self._outcome: Outcome = outcome(
            session.steps,
            resolved=session.resolved,
            diagnoses=session.observation.view.diagnoses,
            stars=stars_in(session),
        )
        self._seen: Hindsight | None = None
        self._daily: PlayedDaily | None = None
        self._asked = False
        self._current = "lesson"
        self._folded = True
        self._all_shown = False

    def compose(self) -> ComposeResult:
        """Compose the headline, the score and the lesson, and the rest behind tabs."""
        yield Static(id="end-headline", markup=False)
        yield Static(id="banner", markup=False)
        yield Static(id="end-share", markup=False)
        yield PaneTabs(id="end-tabs-folded")
        with Horizontal(id="end-body"):
            with Vertical(id="end-left"):
                yield from (_pane(spec) for spec in PANES if spec.name in LEFT)
            with Vertical(id="end-right"):
                yield PaneTabs(id="end-tabs")
                yield from (_pane(spec) for spec in PANES if spec.name not in LEFT)
        yield KeyHints()

    def on_mount(self) -> None:
        """Fill the panes, and let the expert play."""
        session = self._session
        scenario, steps, last = session.scenario, session.steps, session.observation
        status = self._status
        self._fill("sums", self._sums())
        views = [*(step.observation.view for step in steps), last.view]
        followed = told(follow_ups(scenario, views), last.view.diagnoses, status)
        facts = ledger(scenario, steps, last)
        reveal = revealed(scenario, last.view, facts)
        twins = twins_told(scenario, steps)
        self._fill("lesson", lesson_rows(scenario.incident.debrief, reveal, twins, followed))
        entries = timeline(scenario, steps, last, self._roles, session.late)
        self._fill("timeline", timeline_rows(entries, status))
        self._fill("evidence", ledger_rows(facts, status))
        self._fill("expert", progress_rows(0.0))
        banner = self.query_one("#banner", Static)
        banner.update(Content(shown(session.trouble, 400)))
        banner.display = bool(session.trouble)
        self._daily = note_daily(session, self._outcome.stars, self._today())
        if self._daily is not None and self._daily.trouble:
            self.notify(f"The streak is not counted: {self._daily.trouble}", severity="warning")
        self._headline()
        self._arrange()
        self.query_one("#lesson").focus()
        self._play_expert()

    def on_resize(self, event: events.Resize) -> None:
        """Put everything behind tabs if there is little room, and nothing if there is much."""
        self._folded = event.size.width < ROOMY_WIDTH or event.size.height < ROOMY_HEIGHT
        self._all_shown = not self._folded and event.size.width >= WIDE_WIDTH
        self._arrange()
        self._headline()

    def on_pane_tabs_chosen(self, message: PaneTabs.Chosen) -> None:
        """Show the pane of the chosen tab."""
        message.stop()
        self._show_pane(message.name)

    def more_commands(self) -> Iterable[SystemCommand]:
        """Yield the panes for the palette."""
        for spec in PANES:
            show = partial(self._show_pane, spec.name)
            yield SystemCommand(f"Debrief: {spec.title}", spec.tooltip, show)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable a new game without a list of incidents, and what needs a recording without."""
        if action == "home":
            return game_app(self).router.has_home
        if action in ("rate", "postmortem"):
            return self._session.recording is not None
        return True

    def action_pane(self, by: int) -> None:
        """Show another pane."""
        names = self._tabbed()
        at = names.index(self._current) if self._current in names else 0
        self._show_pane(names[(at + by) % len(names)])

    def action_replay(self) -> None:
        """Step through the episode."""

        def fork(turn: int) -> None:
            self.app.pop_screen()
            self._play_from(turn)

        replay = replay_of_session(self._session)
        game_app(self).router.open(OpenReplay(replay, closes=True, fork=fork))

    def action_again(self) -> None:
        """Play the same incident and seed again from the start."""
        self._play_from(0)

    def action_fork(self) -> None:
        """Ask for a turn, and play on from there."""
        cost = self._seen.costliest if self._seen else None
        costliest = None if cost is None else cost.turn + 1
        turns = len(self._session.steps)
        title = "Play on from which turn?"
        self.app.push_screen(JumpScreen(turns, title=title, first=costliest), self._forked)

    def action_share(self) -> None:
        """Copy and show the result in one line; hide it the next time."""
        box = self.query_one("#end-share", Static)
        box.display = not box.display
        if not box.display:
            return
        expert = None if self._seen is None else self._seen.expert.score
        scenario = self._session.scenario
        line = share_line(scenario, self._outcome, self._roles, expert, self._daily)
        self.app.copy_to_clipboard(line)
        said = Content.assemble(("Copied, if the terminal allows it: ", MUTED), shown(line, 400))
        box.update(said)

    def action_rate(self) -> None:
        """Ask for a rating."""
        self.app.push_screen(RateScreen(), self._rated)

    @work(thread=True, group="postmortem", exclusive=True, exit_on_error=False)
    def action_postmortem(self) -> None:
        """Write the post-mortem beside the recording."""
        recording = self._session.recording
        if recording is None:
            return
        from chaosops.play.postmortem.files import write_beside
        from chaosops.play.postmortem.played import played_session

        try:
            path = write_beside(played_session(self._session), recording)
        except ChaosOpsError as error:
            self.app.call_from_thread(self.app.notify, f"No post-mortem: {error}", severity="error")
        else:
            said = f"The post-mortem is {path}, with its charts."
            self.app.call_from_thread(self.app.notify, said)

    def action_explain(self) -> None:
        """Explain what has the focus."""
        self.app.push_screen(HelpScreen(explanation_for(self.focused), self))

    def action_home(self) -> None:
        """Choose another incident."""
        router = game_app(self).router
        if not self.asks_before(router.go_home):
            router.go_home()

    def asks_before(self, leave: Callable[[], object]) -> bool:
        """Ask for consent once, after a player's first game; then leave.

        Returns:
            Whether it asks; if not, the caller has to leave.
        """
        if self._asked:
            return False
        self._asked = ask_consent(game_app(self), (self._session,), leave)
        return self._asked

    def _forked(self, turn: int | None) -> None:
        if turn is not None:
            self._play_from(min(max(1, turn), len(self._session.steps)) - 1)

    def _play_from(self, turn: int) -> None:
        if self.asks_before(partial(self._play_from, turn)):
            return
        session = self._session
        game = OpenGame(session.scenario, session.roster, None, begin=partial(session.fork, turn))
        game_app(self).router.replace(game)

    def _rated(self, rating: Rating | None) -> None:
        path = self._session.recording
        if rating is None or path is None:
            return
        try:
            add_note(path, rating.note())
        except RecordingError as error:
            self.notify(f"The rating was not saved: {error}", severity="error")
        else:
            self.notify("The rating was saved with the recording.")

    @work(thread=True, group="expert", exclusive=True, exit_on_error=False)
    def _play_expert(self) -> None:
        worker = get_current_worker()
        session = self._session

        def tick(done: float) -> bool:
            if worker.is_cancelled:
                return False
            self.app.call_from_thread(self._progress, done)
            return True

        seen = hindsight(session.scenario, session.steps, self._people, tick)
        if seen is not None and not worker.is_cancelled:
            self.app.call_from_thread(self._compared, seen)

    def _progress(self, done: float) -> None:
        if self.is_up and self._seen is None:
            self._fill("expert", progress_rows(done))

    def _compared(self, seen: Hindsight) -> None:
        if self.is_up:
            self._seen = seen
            steps, roles = self._session.steps, self._roles
            self._pane("expert").fill(partial(beside_rows, steps, seen, roles))
            self._fill("sums", self._sums())
            self._headline()

    def _sums(self) -> list[Row]:
        blank = Row(Content(""))
        rows = [*sums_rows(self._outcome), blank]
        withheld = withheld_in(self._session)
        if withheld is not None:
            rows += [*star_rows(withheld), blank]
        if self._seen is not None and self._people:
            rows += [*gap_rows(self._seen, self._outcome), blank]
        session = self._session
        diagnoses = diagnosis_rows(self._outcome.diagnoses, self._status, session.scenario)
        deeds = deed_rows(deed_words(session.steps, session.observation.view))
        figures = process_figures(session.scenario, session.steps)
        return [*rows, *diagnoses, blank, *process_rows(figures), blank, *deeds]

    def _headline(self) -> None:
        result, par = self._outcome, self._session.scenario.par
        if result.resolved:
            what = f"✔ Resolved in {result.turns} min"
        else:
            what = f"✖ Not resolved after {result.turns} min"
        style = "bold $success" if result.resolved else "bold $error"
        expert = "expert …" if self._seen is None else f"expert {signed(self._seen.expert.score)}"
        first = Content.assemble(
            (what, style),
            (f" (par {par})" if self.size.width >= ROOMY_WIDTH else "", MUTED),
            ("" if result.stars is None else f"   {shape_of(result.stars)}", "bold"),
            (f"   score {signed(result.score)}", "bold"),
            (f"   {expert}", MUTED),
        )
        path = self._session.recording
        gone = "its recording was deleted" if self._session.log.is_gone else ""
        where = "not recorded" if path is None else gone or f"recording {path.name}"
        second = Content.styled(
            f"{shown(self._status.title, 120)}, paged at {clock(self._status, 0)} UTC, "
            f"{shown(self._session.scenario.label, 80)}, {shown(where, 120)}",
            MUTED,
        )
        width = max(1, self.size.width - 2)
        lines = [first, second.truncate(width, ellipsis=True)]
        self.query_one("#end-headline", Static).update(Content("\n").join(lines))

    def _fill(self, name: str, rows: list[Row]) -> None:
        self._pane(name).fill(lambda width: rows)

    def _pane(self, name: str) -> DebriefPane:
        return self.query_one(f"#{name}", DebriefPane)

    def _show_pane(self, name: str) -> None:
        self._current = name
        self._arrange()
        self._pane(name).focus()

    def _tabbed(self) -> list[str]:
        every = self._folded or self._all_shown
        return [spec.name for spec in PANES if every or spec.name not in LEFT]

    def _arrange(self) -> None:
        if not self.is_mounted:
            return
        self.set_class(self._folded, "-folded")
        self.set_class(self._all_shown, "-wide")
        names = self._tabbed()
        if self._current not in names:
            self._current = names[0]
        titles = {spec.name: spec.title for spec in PANES}
        tabs = tuple(Tab(name, titles[name], None) for name in names)
        for strip in self.query(PaneTabs):
            strip.tabs, strip.current = tabs, self._current
            is_of_folded = strip.id == "end-tabs-folded"
            strip.display = is_of_folded is self._folded and not self._all_shown
        for name, title in titles.items():
            pane = self._pane(name)
            is_beside = self._all_shown or (name in LEFT and not self._folded)
            pane.display = is_beside or name == self._current
            pane.border_title = Content(title) if name in LEFT or self._all_shown else None
        left: Any = self.query_one("#end-left")
        right: Any = self.query_one("#end-right")
        left.display = not self._folded or self._current in LEFT
        right.display = not self._folded or self._current not in LEFT


class ClosingDebriefScreen(DebriefScreen):
    """A debrief above another screen, to which it returns."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="debrief.close", tooltip="Back to the screen below"),
    ]

    def action_close(self) -> None:
        """Return to the screen below."""
        self.app.pop_screen()
