"""The incident screen: the board, the picker and the reward log around one session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widgets import Footer, Static

from chaosops.agents.policies import expert_policy
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.recording.events import Player, SeatKind, Ui
from chaosops.recording.resume import Resumed
from chaosops.version import __version__
from tui.app import ChaosOpsApp
from tui.asking import Question
from tui.coach import advise, is_coached, is_guided
from tui.news import news
from tui.offers import proposals_to
from tui.pace import Pace, clock_words
from tui.screens.incident_keys import INCIDENT_KEYS
from tui.screens.layout import GAME_STYLES, fold_for
from tui.screens.seats import SeatChange, SeatsScreen
from tui.session import Crew, Session, StaleTurn
from tui.widgets.board import Board
from tui.widgets.coach_line import CoachLine
from tui.widgets.header import IncidentHeader
from tui.widgets.picker import Picker
from tui.widgets.reward_detail import RewardDetail
from tui.widgets.reward_log import RewardLog
from tui.words import ROLE_NAMES, shown

_SLOW_AFTER = 8.0
_TICK = 0.25


_PARTS = ("#banner", "IncidentHeader", "Board", "CoachLine", "Picker", "OfferLines", "RewardLog")


class IncidentScreen(Screen[None]):
    """Plays one episode: waits for people, asks policies, shows what comes of it."""

    CSS_PATH: ClassVar[Any] = list(GAME_STYLES)

    BINDINGS: ClassVar[list[BindingType]] = list(INCIDENT_KEYS)

    def __init__(
        self,
        scenario: Scenario,
        crew: Crew,
        recordings: Path | None,
        *,
        shot_clock: int | None = None,
        player: Player | None = None,
        resumed: Resumed | None = None,
        begin: Callable[[], Session] | None = None,
    ) -> None:
        """A game to be played.

        Args:
            recordings: The folder for the recording; None keeps nothing.
            shot_clock: Seconds that a person has for a turn; None for as long as they like.
            player: Who agreed to the use of the data; None where nobody did.
            resumed: A game to go on with.
            begin: Makes the session once the screen is there, such as a fork of another one;
                by default a new one.
        """
        super().__init__()
        self.title = f"Incident: {shown(scenario.title, 80)}"
        self._scenario, self._crew, self._recordings = scenario, crew, recordings
        self._shot_clock, self._player, self._resumed = shot_clock, player, resumed
        self._begin = begin
        self._session: Session | None = None
        self._last_person: AgentRole | None = None
        self._question: Question | None = None
        self._copilot: Question | None = None
        self._slow: Timer | None = None
        self._pace = Pace(0.0)
        self._coaching = is_coached(scenario)
        self._expert = expert_policy(scenario.seed)

    @property
    def session(self) -> Session:
        """The game; there once the screen is mounted."""
        assert self._session is not None
        return self._session

    def compose(self) -> ComposeResult:
        """Header, banner, board and picker, reward log, footer."""
        yield IncidentHeader(self._crew.seating())
        yield Static(id="banner", markup=False)
        yield CoachLine()
        with Horizontal(id="body"):
            yield Board()
            yield Picker()
        with Horizontal(id="rewards"):
            yield RewardLog()
            yield RewardDetail()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin the episode."""
        self._pace = Pace(self.app.pace if isinstance(self.app, ChaosOpsApp) else 0.0)
        self._session = self._begin() if self._begin is not None else self._new_session()
        if self._shot_clock is not None:
            self.set_interval(_TICK, self._tick)
        if self._resumed is not None and self._resumed.repaired:
            self.notify(f"Repaired: {self._resumed.repaired}")
        if isinstance(self.app, ChaosOpsApp) and not self.app.preferences.settings.coach:
            self._coaching = False
        self._show_shared()
        self._next()

    def _new_session(self) -> Session:
        size = self.app.size
        ui = Ui(
            name="chaosops-tui",
            version=__version__,
            columns=size.width,
            rows=size.height,
            theme=self.app.theme,
        )
        return Session(
            self._scenario,
            self._crew,
            recordings=self._recordings,
            ui=ui,
            player=self._player,
            resumed=self._resumed,
        )

    def on_unmount(self) -> None:
        """Close the log."""
        if self._session is not None:
            self._session.close()

    def on_resize(self, event: events.Resize) -> None:
        """Fold the board where there is little room."""
        fold_for(self, event.size)

    def on_key(self, event: events.Key) -> None:
        """Numbers and letters pick, wherever the focus is."""
        key = event.character
        if key and self.query_one(Picker).press(key):
            event.stop()
            event.prevent_default()

    def more_commands(self) -> Iterable[SystemCommand]:
        """What can be picked now, for the palette."""
        picker = self.query_one(Picker)
        for pick in picker.picks:
            if not pick.blocked:
                yield SystemCommand(
                    f"{pick.group.capitalize()}: {pick.label}",
                    f"Begin this action (key {pick.key})",
                    partial(picker.begin, pick.key),
                )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Passing for somebody needs somebody to wait for; a hint needs a person's turn."""
        if action == "pass_for":
            return self._question is not None
        if action == "hint":
            return self._session is not None and self._session.waits_for_person
        if action == "coach":
            return is_coached(self._scenario)
        return True

    def action_pane(self, by: int) -> None:
        """Show another pane."""
        self.query_one(Board).step(by)

    def action_explain(self) -> None:
        """Explain what has the focus."""
        from tui.screens.help import HelpScreen, explanation_for

        self.session.help_opened()
        self.app.push_screen(HelpScreen(explanation_for(self.focused), self))

    def action_hint(self) -> None:
        """Offer the hints with their prices."""
        from tui.screens.hint import HintScreen

        self.app.push_screen(HintScreen(self.session))

    def action_pass_for(self) -> None:
        """Stop waiting for a policy; its seat passes."""
        if self._question is not None:
            self._question.give_up()

    def action_pause(self) -> None:
        """Hide the board and stop the clocks until somebody goes on."""
        from tui.screens.pause import PauseScreen

        self.session.pause()
        self._pace.pause()
        self.app.push_screen(PauseScreen(), self._go_on)

    def _go_on(self, result: bool | None) -> None:
        self.session.go_on()
        self._pace.go_on()

    def action_fast(self) -> None:
        """Hurry the others' turns, or no longer."""
        self._pace.go_fast(not self._pace.fast)
        fast = self._pace.fast
        self.notify("The others' turns go by at once." if fast else "The others take their time.")

    def action_coach(self) -> None:
        """Show or hide the coach."""
        self._coaching = not self._coaching
        self._show_coach()

    def action_seats(self) -> None:
        """Ask who is to sit where."""
        self.app.push_screen(SeatsScreen(self.session.crew), self._reseat)

    def _reseat(self, change: SeatChange | None) -> None:
        session = self.session
        if change is None or session.done:
            return
        was = session.waits_for_person
        try:
            if change.kind is SeatKind.HUMAN:
                session.take_over(change.role)
            elif change.kind is SeatKind.COPILOT:
                session.set_copilot(change.role, change.policy)
            else:
                session.hand_back(change.role, change.policy)
        except ChaosOpsError as error:
            self.notify(str(error), severity="error")
            return
        self._show_shared()
        if change.role is not session.role:
            return
        if self._question is not None:
            self._question.give_up()
        elif was:
            self._next()

    @on(RewardLog.Highlighted)
    def _on_turn_highlighted(self, message: RewardLog.Highlighted) -> None:
        self.query_one(RewardDetail).show(message.step, message.viewer)

    @on(Picker.Touched)
    def _on_touched(self) -> None:
        self.session.touched()

    @on(Picker.Refused)
    def _on_refused(self) -> None:
        self.session.refused()

    @on(Board.Opened)
    def _on_opened(self) -> None:
        self.session.panes_opened(self.query_one(Board).open_panes())

    @on(Picker.Submitted)
    def _on_submitted(self, message: Picker.Submitted) -> None:
        try:
            self.session.submit(message.turn, message.action)
        except StaleTurn as stale:
            self.notify(str(stale))
            return
        self._turn_over()

    def _turn_over(self) -> None:
        if self._copilot is not None:
            self._copilot.give_up()
        self._show_shared()
        self._next()

    def _tick(self) -> None:
        """Show how much time is left, and pass when there is none."""
        session = self.session
        is_ticking = session.waits_for_person and session.on_view and self._stands
        if self._shot_clock is None or not is_ticking:
            return
        left = self._shot_clock - session.seconds
        self.query_one(Picker).border_subtitle = Content(clock_words(left))
        if left > 0:
            return
        self._drop_boxes()
        self.query_one(Picker).close("")
        session.time_out(session.turn)
        self.notify("Time is up: the turn passed.", severity="warning")
        self._turn_over()

    def _drop_boxes(self) -> None:
        """Close what is open over the game."""
        while self.app.screen is not self and isinstance(self.app.screen, ModalScreen):
            self.app.pop_screen()

    def _next(self) -> None:
        """Wait for a person, ask a policy, or end."""
        session = self.session
        self.refresh_bindings()
        if session.done:
            self._end()
        elif not session.waits_for_person:
            self._play_teammates()
        elif self._last_person in (None, session.role) and (
            self._last_person is not None or len(session.crew.people) == 1
        ):
            self._begin_turn()
        else:
            from tui.screens.handover import HandoverScreen

            self.query_one(Board).clear()
            self.query_one(Picker).close("")
            self.query_one(CoachLine).show(None)
            self.app.push_screen(HandoverScreen(session.role), self._handed_over)

    def _end(self) -> None:
        from tui.screens.debrief import DebriefScreen

        self._drop_boxes()
        self.app.switch_screen(DebriefScreen(self.session, shot_clock=self._shot_clock))

    def _handed_over(self, result: bool | None) -> None:
        if self.is_attached:
            self._begin_turn()

    @property
    def _stands(self) -> bool:
        """Whether every part is there; when the app closes, parts go before the game stops."""
        return all(self.query(part) for part in _PARTS)

    def _begin_turn(self) -> None:
        if not self._stands:
            return
        session = self.session
        view = session.observation.view
        self._last_person = session.role
        self._show_shared()
        board = self.query_one(Board)
        board.show(view)
        heading, lines = news(session.steps, session.observation)
        picker = self.query_one(Picker)
        picker.open_turn(session.turn, view, session.offers, lines, heading)
        picker.border_subtitle = Content("")
        picker.offer(proposals_to(view))
        session.shown()
        session.panes_opened(board.open_panes())
        self._show_coach()
        self._ask_copilot()
        self.refresh_bindings()

    def _show_coach(self) -> None:
        session = self.session
        line = self.query_one(CoachLine)
        if not self._coaching or not session.waits_for_person:
            line.show(None)
            return
        guided = is_guided(self._scenario)
        line.show(
            advise(session.observation, session.steps, self._expert, session.offers, guided=guided)
        )

    @work(group="copilot", exclusive=True)
    async def _ask_copilot(self) -> None:
        """Let the copilot propose, while the person looks around."""
        session = self.session
        policy = session.copilot()
        if policy is None:
            return
        turn, role = session.turn, session.role
        picker = self.query_one(Picker)
        asked = proposals_to(session.observation.view)
        name = session.crew.copilot_name(role)
        picker.offer(asked, f"copilot {name}")
        question = self._copilot = Question(policy, session.observation, role)
        answer = await question.answer()
        self._copilot = None
        if turn != session.turn:
            return
        offer = session.suggest(turn, answer)
        picker.offer(asked if offer is None else (offer, *asked))
        self._show_shared()

    @work(group="teammates", exclusive=True)
    async def _play_teammates(self) -> None:
        """Ask one policy after another until it is a person's turn, or over."""
        session = self.session
        if not self._stands:
            return
        picker = self.query_one(Picker)
        while not session.done and not session.waits_for_person and self._stands:
            role, turn = session.role, session.turn
            name = session.crew.policy_name(role)
            picker.close(f"{ROLE_NAMES[role]} ({name}) decides.")
            self._show_shared()
            self._watch_along()
            await self._pace.ready()
            self._question = Question(session.policy(), session.observation, role)
            self._watch(role)
            answer = await self._question.answer()
            self._question = None
            self._unwatch()
            await self._pace.ready()
            if session.turn != turn or session.waits_for_person:
                break
            if session.crew.policy_name(role) != name:
                continue
            session.take_answer(turn, answer)
            self._show_shared()
            await self._pace.hold()
        if self._stands:
            self._next()

    def _watch_along(self) -> None:
        """With nobody at the keyboard to keep secrets from, show what the policy sees."""
        if not self.session.crew.people:
            self._last_person = None
            self.query_one(Board).show(self.session.observation.view)

    def _watch(self, role: AgentRole) -> None:
        def slow() -> None:
            text = (
                f"{ROLE_NAMES[role]} has not answered for {_SLOW_AFTER:.0f} s. "
                "x passes for them, t takes the seat."
            )
            if self._stands:
                self.query_one(Picker).close(text)

        self._slow = self.set_timer(_SLOW_AFTER, slow)
        self.refresh_bindings()

    def _unwatch(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None

    def _show_shared(self) -> None:
        """Show what every role may see: the header, the reward log, and any trouble."""
        if not self._stands:
            return
        session = self.session
        acting = None if session.done else session.role
        header = self.query_one(IncidentHeader)
        header.seat(session.crew.seating())
        header.show(session.observation, session.steps, acting)
        viewer = self._last_person or next(iter(sorted(session.crew.people)), None)
        self.query_one(RewardLog).show(session.steps, viewer)
        banner = self.query_one("#banner", Static)
        banner.update(Content(shown(session.trouble, 400)))
        banner.display = bool(session.trouble)
