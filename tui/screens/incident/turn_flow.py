"""The flow of a game's turns: whose turn it is, and who sees what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual.screen import ModalScreen

from chaosops.agents.policies import pass_turn
from chaosops.env.models import AgentRole, ChaosOpsAction, Status
from chaosops.errors import ChaosOpsError
from chaosops.play.passing import PassingOn
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.readings import KnownFinding, known_findings
from chaosops.play.session import Session, StaleTurn
from chaosops.play.shot_clock import Pace, clock_words
from chaosops.recording.events import SeatKind
from tui.game_app import game_app
from tui.screen_requests import GameCourse, OpenDebrief, OpenFindings
from tui.screens.incident.coach import Coaching
from tui.screens.incident.copilot import CopilotRequests
from tui.screens.incident.handover import Answer, HandoverScreen
from tui.screens.incident.layout import IncidentLayout
from tui.screens.incident.pause import PauseScreen
from tui.screens.incident.seats import SeatChange
from tui.screens.incident.teammates import Teammates
from tui.widgets.panes.board import Board
from tui.widgets.picker.picker import Picker
from tui.widgets.status.header import IncidentHeader

_TICK: Final = 0.25


class TurnFlow:
    """Waits for people, asks policies, and ends the game.

    Attributes:
        session: The game.
        pace: How long the others' turns stay in view.
        teammates: Asks the policies.
        coaching: The tutorial's coach.
    """

    def __init__(
        self,
        layout: IncidentLayout,
        session: Session,
        *,
        coached: bool,
        course: GameCourse | None = None,
    ) -> None:
        """Create the flow of a game that has not begun on the screen.

        Args:
            coached: Whether the coach is shown.
            course: What the game is part of; None if it stands alone.
        """
        self._layout, self.session, self._course = layout, session, course
        self.pace = Pace(game_app(layout).pace)
        self.teammates = Teammates(layout, session, self.pace, self.show_shared)
        self.coaching = Coaching(layout, session, wanted=coached)
        self._copilot = CopilotRequests(layout, session, self.show_shared)
        self._passing: PassingOn | None = None
        self._stopped_for = ""
        self._viewer: AgentRole | None = None
        """The role whose view a person saw last."""

    def begin(self) -> None:
        """Begin the first turn, and start the shot clock."""
        if self.session.roster.shot_clock:
            self._layout.set_interval(_TICK, self._tick)
        self.show_shared()
        self.advance()

    def advance(self) -> None:
        """Wait for a person, ask a policy, or end the game."""
        session = self.session
        self._layout.refresh_bindings()
        if session.done:
            self._end()
        elif self._passes_again():
            self._pass()
        elif not session.waits_for_person:
            self.coaching.show()
            self._layout.run_worker(self._play_teammates(), group="teammates", exclusive=True)
        elif not self._needs_curtain():
            self._begin_turn()
        else:
            self._layout.hide_view()
            box = HandoverScreen(session.role, lambda: session.timing.now)
            self._layout.app.push_screen(box, self._handed_over)

    def submit(self, turn: int, action: ChaosOpsAction, thought: Thought) -> None:
        """Take a person's turn."""
        try:
            self.session.submit(turn, action, thought)
        except StaleTurn as stale:
            self._layout.notify(str(stale))
            return
        self._open_result()

    @property
    def is_passing_on(self) -> bool:
        """Whether the next turn of a person passes if nothing happens until then."""
        return self._passing is not None

    def pass_on(self, turn: int) -> None:
        """Pass a person's turn, and the next ones of the same role until something happens."""
        if turn == self.session.turn and self.session.waits_for_person:
            self._passing = PassingOn(self.session.observation.view)
            self._pass()

    def stop_passing(self) -> None:
        """Let the person decide in their next turn."""
        self._passing = None
        self._layout.notify("You'll be asked in your next turn.")
        self._layout.refresh_bindings()

    def _passes_again(self) -> bool:
        """Whether the turn passes since nothing has happened; otherwise, note what has."""
        session, passing = self.session, self._passing
        if passing is None or passing.role is not session.role or not session.waits_for_person:
            return False
        why = passing.stops(session.observation.view)
        if why:
            self._passing, self._stopped_for = None, why
        return not why

    def _pass(self) -> None:
        session = self.session
        self.submit(session.turn, pass_turn(session.observation, session.role), UNSAID)

    def reseat(self, change: SeatChange | None) -> None:
        """Change who sits in a seat, from the next decision on."""
        session = self.session
        if change is None or session.done:
            return
        was_waiting = session.waits_for_person
        try:
            if change.kind is SeatKind.HUMAN:
                session.seats.take_over(change.role)
            elif change.kind is SeatKind.COPILOT:
                session.seats.set_copilot(change.role, change.policy)
            else:
                session.seats.hand_back(change.role, change.policy)
        except ChaosOpsError as error:
            self._layout.notify(str(error), severity="error")
            return
        if self._passing is not None and self._passing.role is change.role:
            self._passing = None
        self.show_shared()
        if change.role is not session.role:
            return
        if self.teammates.waits:
            self.teammates.give_up()
        elif was_waiting:
            self.advance()

    def pause(self) -> None:
        """Hide the board and stop the clocks until the player resumes the game."""
        self.session.timing.pause()
        self.pace.pause()
        self._layout.app.push_screen(PauseScreen(), self._go_on)

    def _go_on(self, result: bool | None) -> None:
        self.session.timing.go_on()
        self.pace.go_on()

    def open_findings(
        self,
        known: tuple[KnownFinding, ...],
        at: int,
        status: Status,
        closed: Callable[[], None] | None = None,
    ) -> None:
        """Show a finding, and record what the person views.

        Args:
            closed: Called when it is closed.
        """
        session, viewer = self.session, self._viewer
        game_app(self._layout).router.open(
            OpenFindings(
                known,
                at,
                status,
                watch=lambda watched: session.timing.watch(viewer, watched),
                helped=session.timing.help_opened,
            ),
            None if closed is None else lambda _: closed(),
        )

    def show_shared(self) -> None:
        """Show what everyone may see, and what policies see if there is nobody to hide it from."""
        session = self.session
        people = sorted(session.roster.people)
        self._layout.show_shared(session, self._viewer or next(iter(people), None))
        if not people and not session.done and self._layout.has_all_parts:
            self._viewer = None
            self._layout.show_watched(session)

    def _open_result(self) -> None:
        """Show what an investigation found, in the turn in which it was asked for.

        Teammates play behind it. If another person comes next, they wait until it is closed:
        they must not see it.
        """
        session = self.session
        before = session.steps[-1].observation.view
        view = session.view_of(before.role)
        newest = len(view.findings) - 1
        if newest < len(before.findings) or session.done:
            self._turn_over()
            return
        alone = len(session.roster.people) == 1
        closed = None if alone else self._turn_over
        self.open_findings(known_findings(view), newest, view.status, closed)
        if alone:
            self._turn_over()

    def _turn_over(self) -> None:
        self._copilot.give_up()
        self.show_shared()
        self.advance()

    def _tick(self) -> None:
        """Show how much time is left, and pass when it is up."""
        session, layout = self.session, self._layout
        is_ticking = session.waits_for_person and session.timing.on_view and layout.has_all_parts
        if not is_ticking:
            return
        left = session.roster.shot_clock - session.timing.seconds
        layout.query_one(IncidentHeader).tell_time(clock_words(left))
        if left > 0:
            return
        self._drop_boxes()
        layout.query_one(Picker).flow.close("")
        session.time_out(session.turn)
        layout.notify("Time's up: the turn passed.", severity="warning")
        self._turn_over()

    def _drop_boxes(self) -> None:
        """Close what is open above the game."""
        app = self._layout.app
        while app.screen is not self._layout and isinstance(app.screen, ModalScreen):
            app.pop_screen()

    def _end(self) -> None:
        self._drop_boxes()
        session, course = self.session, self._course
        over = OpenDebrief(session) if course is None else course.ended(session)
        game_app(self._layout).router.replace(over)

    def _needs_curtain(self) -> bool:
        """Whether another person may take this turn, who must not see the last one's view."""
        session = self.session
        if not game_app(self._layout).curtain:
            return False
        if self._viewer is None:
            return len(session.roster.people) > 1
        return self._viewer is not session.role

    def _handed_over(self, answer: Answer | None) -> None:
        if answer == "alone":
            game_app(self._layout).curtain = False
            self._layout.notify("The curtain is off; turn it back on in the settings.")
        if self._layout.is_up:
            self._begin_turn()

    def _begin_turn(self) -> None:
        session, layout = self.session, self._layout
        if not layout.has_all_parts:
            return
        self._viewer = session.role
        self.show_shared()
        layout.show_turn(session)
        session.timing.shown()
        session.timing.panes_opened(layout.query_one(Board).open_panes())
        self.coaching.show()
        self._copilot.ask()
        if self._stopped_for:
            layout.notify(self._stopped_for)
            self._stopped_for = ""
        layout.refresh_bindings()

    async def _play_teammates(self) -> None:
        if self._layout.has_all_parts:
            await self.teammates.play()
            if self._layout.has_all_parts:
                self.advance()
