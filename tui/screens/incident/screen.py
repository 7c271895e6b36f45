"""The incident screen: the board, the picker and the reward log around one session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.screen import ModalScreen

from chaosops.agents.policies import Policy, expert_policy
from chaosops.env.models import AgentRole, Status
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.play.action_form.suggestions import proposals_to
from chaosops.play.background_policy import Question
from chaosops.play.coach import advise, is_coached, is_guided
from chaosops.play.farewell import where_it_is
from chaosops.play.formatting import shown
from chaosops.play.in_force import told as in_force
from chaosops.play.in_force import undoable_first
from chaosops.play.readings import Known, known_findings
from chaosops.play.seats import Crew
from chaosops.play.session import Session, StaleTurn
from chaosops.play.shot_clock import Pace, clock_words
from chaosops.play.turn_digest import news
from chaosops.recording.events import Player, SeatKind, Ui
from tui.game_app import game_app
from tui.screen_requests import OpenDebrief, OpenFindings
from tui.screens.dialogs.help import Explanation, HelpScreen, explanation_for
from tui.screens.incident.handover import Answer, HandoverScreen
from tui.screens.incident.hint import HintScreen
from tui.screens.incident.keys import INCIDENT_KEYS
from tui.screens.incident.layout import IncidentFace
from tui.screens.incident.pause import PauseScreen
from tui.screens.incident.seats import SeatChange, SeatsScreen
from tui.screens.incident.teammates import Teammates
from tui.widgets.panes.board import Board
from tui.widgets.panes.findings import FindingsPane
from tui.widgets.picker.picker import Picker
from tui.widgets.rewards.log import RewardLog
from tui.widgets.status.header import IncidentHeader

if TYPE_CHECKING:
    from chaosops.recording.resume import Resumed

_TICK: Final = 0.25


class IncidentScreen(IncidentFace):
    """Plays one episode: waits for people, asks policies, shows what comes of it."""

    BINDINGS: ClassVar[list[BindingType]] = list(INCIDENT_KEYS)

    def __init__(
        self,
        scenario: Scenario,
        crew: Crew,
        recordings: Path | None,
        *,
        player: Player | None = None,
        resumed: Resumed | None = None,
        begin: Callable[[], Session] | None = None,
    ) -> None:
        """A game to be played.

        Args:
            recordings: The folder for the recording; None keeps nothing.
            player: Who agreed to the use of the data; None where nobody did.
            resumed: A game to go on with.
            begin: Makes the session once the screen is there, such as a fork of another one;
                by default a new one.
        """
        super().__init__(crew.seating(), lambda: self.session.now)
        self.title = f"Incident: {shown(scenario.title, 80)}"
        self._scenario, self._crew, self._recordings = scenario, crew, recordings
        self._player, self._resumed = player, resumed
        self._begin = begin
        self._session: Session | None = None
        self._last_person: AgentRole | None = None
        self._teammates: Teammates | None = None
        self._copilot: Question | None = None
        self._pace = Pace(0.0)
        self._coaching = is_coached(scenario)
        self._expert: Policy | None = None

    @property
    def session(self) -> Session:
        """The game; there once the screen is mounted."""
        assert self._session is not None
        return self._session

    def on_mount(self) -> None:
        """Begin the episode."""
        app = game_app(self)
        self._pace = Pace(app.pace)
        self._session = self._new_session(app.played_on) if self._begin is None else self._begin()
        self._teammates = Teammates(self, self._session, self._pace, self._show_shared)
        if self.session.crew.shot_clock:
            self.set_interval(_TICK, self._tick)
        if self._resumed is not None and self._resumed.repaired:
            self.notify(f"Repaired: {self._resumed.repaired}")
        self._coaching = self._coaching and app.preferences.settings.coach
        self._show_shared()
        self._next()

    def _new_session(self, ui: Ui) -> Session:
        return Session(
            self._scenario,
            self._crew,
            recordings=self._recordings,
            ui=ui,
            player=self._player,
            resumed=self._resumed,
        )

    def on_unmount(self) -> None:
        """Close the log, and say where it is once the terminal is given back."""
        if self._session is not None:
            self._session.close()
            session = self._session
            game_app(self).farewell = "" if session.done else where_it_is(session)

    def on_screen_suspend(self) -> None:
        """What comes up below something else is not seen yet."""
        if self._session is not None and self.stands:
            self.query_one(Picker).cover()

    def on_screen_resume(self) -> None:
        """It is seen from now on."""
        if self._session is not None and self.stands:
            self.query_one(Picker).uncover()

    def on_key(self, event: events.Key) -> None:
        """Numbers and letters pick, wherever the focus is."""
        key = event.character
        if key and self.query_one(Picker).press(key):
            event.stop()
            event.prevent_default()

    def more_commands(self) -> Iterable[SystemCommand]:
        """What can be picked now, and done with the panes, for the palette."""
        yield from self.query_one(Board).commands()
        yield from self.query_one(RewardLog).commands()
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
            return self._teammates is not None and self._teammates.waits
        if action in ("hint", "news"):
            return self._session is not None and self._session.waits_for_person
        if action == "coach":
            return is_coached(self._scenario)
        return True

    def action_pane(self, by: int) -> None:
        """Show another pane."""
        self.query_one(Board).step(by)

    def action_explain(self) -> None:
        """Explain what has the focus."""
        self.session.help_opened()
        self.app.push_screen(HelpScreen(explanation_for(self.focused), self))

    def action_hint(self) -> None:
        """Offer the hints with their prices."""
        self.app.push_screen(HintScreen(self.session))

    def action_news(self) -> None:
        """Show all that has happened since the last turn of the role whose turn it is."""
        session = self.session
        told = news(session.steps, session.observation, session.late)
        lines = list(told.lines)
        view = session.observation.view
        lines += [f"Still in force: {in_force(item, view)}" for item in undoable_first(view)]
        text = "\n".join(f"· {shown(line)}" for line in lines)
        self.app.push_screen(HelpScreen(Explanation(told.heading, text), None))

    def action_pass_for(self) -> None:
        """Stop waiting for a policy; its seat passes."""
        if self._teammates is not None:
            self._teammates.pass_for()

    def action_pause(self) -> None:
        """Hide the board and stop the clocks until somebody goes on."""
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
        if self._teammates is not None and self._teammates.waits:
            self._teammates.give_up()
        elif was:
            self._next()

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
            self.session.submit(message.turn, message.action, message.thought)
        except StaleTurn as stale:
            self.notify(str(stale))
            return
        self._open_look()

    def _open_look(self) -> None:
        """Show what a look showed, in the turn in which it was taken.

        Teammates play behind it. Where another person comes next, they wait until it is closed:
        what it shows is not for them.
        """
        session = self.session
        before = session.steps[-1].observation.view
        view = session.view_of(before.role)
        newest = len(view.findings) - 1
        is_new = newest >= len(before.findings) and not session.done
        if not is_new or view.findings[newest].reading is None:
            self._turn_over()
            return
        alone = len(session.crew.people) == 1
        then = None if alone else self._turn_over
        self._open_findings(known_findings(view), newest, view.status, then)
        if alone:
            self._turn_over()

    @on(FindingsPane.Opened)
    def _on_finding_opened(self, message: FindingsPane.Opened) -> None:
        message.stop()
        self._open_findings(message.known, message.at, message.status)

    def _open_findings(
        self,
        known: tuple[Known, ...],
        at: int,
        status: Status,
        then: Callable[[], None] | None = None,
    ) -> None:
        session, viewer = self.session, self._last_person
        game_app(self).router.open(
            OpenFindings(
                known,
                at,
                status,
                watch=lambda watched: session.watch(viewer, watched),
                helped=session.help_opened,
            ),
            None if then is None else lambda _: then(),
        )

    def _turn_over(self) -> None:
        if self._copilot is not None:
            self._copilot.give_up()
        self._show_shared()
        self._next()

    def _tick(self) -> None:
        """Show how much time is left, and pass when there is none."""
        session = self.session
        is_ticking = session.waits_for_person and session.on_view and self.stands
        if not is_ticking:
            return
        left = session.crew.shot_clock - session.seconds
        self.query_one(IncidentHeader).tell_time(clock_words(left))
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
        elif not self._needs_curtain():
            self._begin_turn()
        else:
            self.hide_view()
            box = HandoverScreen(session.role, lambda: session.now)
            self.app.push_screen(box, self._handed_over)

    def _end(self) -> None:
        self._drop_boxes()
        game_app(self).router.replace(OpenDebrief(self.session))

    def _needs_curtain(self) -> bool:
        """Whether somebody else may sit down for this turn, who must not see the last one's."""
        session = self.session
        if not game_app(self).curtain:
            return False
        if self._last_person is None:
            return len(session.crew.people) > 1
        return self._last_person is not session.role

    def _handed_over(self, answer: Answer | None) -> None:
        if answer == "alone":
            game_app(self).curtain = False
            self.notify("No curtain between your seats any more; the settings bring it back.")
        if self.is_up:
            self._begin_turn()

    def _begin_turn(self) -> None:
        if not self.stands:
            return
        session = self.session
        self._last_person = session.role
        self._show_shared()
        self.show_turn(session)
        session.shown()
        session.panes_opened(self.query_one(Board).open_panes())
        self._show_coach()
        self._ask_copilot()
        self.refresh_bindings()

    def _show_coach(self) -> None:
        session = self.session
        if not self._coaching or not session.waits_for_person:
            self.show_advice(None)
            return
        if self._expert is None:
            self._expert = expert_policy(self._scenario.seed)
        guided = is_guided(self._scenario)
        self.show_advice(
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
        if self.stands and self._teammates is not None:
            await self._teammates.play()
            if self.stands:
                self._next()

    def _show_shared(self) -> None:
        """Show what all may see; what policies see too, with nobody to keep secrets from."""
        session = self.session
        people = sorted(session.crew.people)
        self.show_shared(session, self._last_person or next(iter(people), None))
        if not people and not session.done and self.stands:
            self._last_person = None
            self.show_watched(session)
