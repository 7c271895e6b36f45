"""The incident screen: handles the keys of a game, and the events of its panes and picker."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import SystemCommand
from textual.binding import BindingType

from chaosops.env.world_sim import Scenario
from chaosops.play.coach import is_coached
from chaosops.play.farewell import where_it_is
from chaosops.play.formatting import shown
from chaosops.play.glossary import explained_causes
from chaosops.play.in_force import in_force, told
from chaosops.play.seats import Roster
from chaosops.play.session import Session
from chaosops.play.turn_digest import turn_digest
from chaosops.recording.events import Player, Ui
from tui.game_app import game_app
from tui.screen_requests import GameCourse
from tui.screens.dialogs.help import Explanation, HelpScreen, explanation_for
from tui.screens.incident.case_board import open_case_board
from tui.screens.incident.hint import HintScreen
from tui.screens.incident.keys import INCIDENT_KEYS
from tui.screens.incident.layout import IncidentLayout
from tui.screens.incident.object_menu import open_object_menu
from tui.screens.incident.seats import SeatsScreen
from tui.screens.incident.turn_flow import TurnFlow
from tui.widgets.panes.board import Board
from tui.widgets.panes.findings import FindingsPane
from tui.widgets.panes.object_pane import ObjectPane
from tui.widgets.picker.passing_on import pass_on
from tui.widgets.picker.picker import Picker
from tui.widgets.rewards.log import RewardLog

if TYPE_CHECKING:
    from chaosops.recording.resume import Resumed


class IncidentScreen(IncidentLayout):
    """Plays one episode; its `TurnFlow` leads through the turns."""

    BINDINGS: ClassVar[list[BindingType]] = list(INCIDENT_KEYS)

    def __init__(
        self,
        scenario: Scenario,
        roster: Roster,
        recordings: Path | None,
        *,
        player: Player | None = None,
        resumed: Resumed | None = None,
        begin: Callable[[], Session] | None = None,
        course: GameCourse | None = None,
    ) -> None:
        """Create the screen of a game.

        Args:
            recordings: The folder for the recording; None to keep nothing.
            player: Who agreed to the use of the data; None if nobody did.
            resumed: A game to continue.
            begin: Makes the session once the screen is visible, such as a fork of another one;
                by default a new one.
            course: What the game is part of; None if it stands alone.
        """
        super().__init__(roster.seating(), lambda: self.session.timing.now)
        self.title = f"Incident: {shown(scenario.title, 80)}"
        self._scenario, self._roster, self._recordings = scenario, roster, recordings
        self._player, self._resumed = player, resumed
        self._begin, self._course = begin, course
        self._flow: TurnFlow | None = None

    @property
    def session(self) -> Session:
        """The game; available once the screen is mounted."""
        return self.flow.session

    @property
    def flow(self) -> TurnFlow:
        """The flow of its turns; available once the screen is mounted."""
        assert self._flow is not None
        return self._flow

    def on_mount(self) -> None:
        """Begin the episode."""
        app = game_app(self)
        session = self._new_session(app.ui) if self._begin is None else self._begin()
        coached = is_coached(self._scenario) and app.preferences.settings.coach
        course = self._course
        if course is not None:
            course.begun(session)
        self._flow = TurnFlow(self, session, coached=coached, course=course)
        if self._resumed is not None and self._resumed.repaired:
            self.notify(f"Repaired: {self._resumed.repaired}")
        self._flow.begin()

    def _new_session(self, ui: Ui) -> Session:
        return Session(
            self._scenario,
            self._roster,
            recordings=self._recordings,
            ui=ui,
            player=self._player,
            resumed=self._resumed,
        )

    def on_unmount(self) -> None:
        """Close the log, and prepare the message on where it is saved."""
        if self._flow is not None:
            session = self._flow.session
            session.close()
            command = "" if self._course is None else self._course.command
            left = "" if session.done else where_it_is(session, command=command)
            game_app(self).farewell = left

    def on_screen_suspend(self) -> None:
        """Note that what changes below another screen is not visible."""
        if self._flow is not None and self.has_all_parts:
            self.query_one(Picker).flow.cover()

    def on_screen_resume(self) -> None:
        """Note that it is visible from now on."""
        if self._flow is not None and self.has_all_parts:
            self.query_one(Picker).flow.uncover()
            self.refresh_bindings()

    def on_key(self, event: events.Key) -> None:
        """Pass numbers and letters to the picker, wherever the focus is."""
        key = event.character
        if key and self.query_one(Picker).flow.press(key):
            event.stop()
            event.prevent_default()

    def more_commands(self) -> Iterable[SystemCommand]:
        """Yield the picks and the actions of the panes, for the palette."""
        yield from self.query_one(Board).commands()
        yield from self.query_one(RewardLog).commands()
        picker = self.query_one(Picker)
        for pick in picker.flow.picks:
            if not pick.blocked:
                yield SystemCommand(
                    f"{pick.group.capitalize()}: {pick.label}",
                    f"Begin this action (key {pick.key})",
                    partial(picker.flow.begin, pick.key),
                )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable passing for a policy if none is asked, and hints outside a person's turn."""
        flow = self._flow
        if flow is None:
            return False
        if action == "pass_for":
            return flow.teammates.waits
        if action in ("hint", "digest"):
            return flow.session.waits_for_person
        if action == "pass_on":
            return flow.session.waits_for_person or flow.is_passing_on
        if action == "coach":
            return is_coached(self._scenario)
        return True

    def action_pane(self, by: int) -> None:
        """Show another pane."""
        self.query_one(Board).step(by)

    def action_explain(self) -> None:
        """Explain what has the focus."""
        self.session.timing.help_opened()
        causes = explained_causes(self.session.own_causes)
        explanation = explanation_for(self.focused)._replace(causes=causes)
        self.app.push_screen(HelpScreen(explanation, self))

    def glossary_opened(self) -> None:
        """Count that the glossary was opened in this turn."""
        if self._flow is not None:
            self.session.timing.help_opened()

    def action_hint(self) -> None:
        """Offer the hints with their costs."""
        self.app.push_screen(HintScreen(self.session))

    def action_digest(self) -> None:
        """Show everything that has happened since the current role's last turn."""
        session = self.session
        digest = turn_digest(session.steps, session.observation, session.late)
        lines = list(digest.lines)
        view = session.observation.view
        lines += [f"Still in force: {told(item)}" for item in in_force(view)]
        text = "\n".join(f"· {shown(line)}" for line in lines)
        self.app.push_screen(HelpScreen(Explanation(digest.heading, text), None))

    def action_case_board(self) -> None:
        """Open the case board of the selected service, or of the deepest unhealthy one."""
        focused = self.focused
        subject = focused.subject if isinstance(focused, ObjectPane) else ""
        open_case_board(self.query_one(Picker), self.session, subject)

    def action_pass_for(self) -> None:
        """Stop waiting for a policy; its seat passes."""
        self.flow.teammates.pass_for()

    def action_pass_on(self) -> None:
        """Pass until something happens, or stop passing."""
        if self.flow.is_passing_on:
            self.flow.stop_passing()
        else:
            picker = self.query_one(Picker)
            pass_on(picker.flow, picker)

    def action_pause(self) -> None:
        """Hide the board and stop the clocks until the player continues."""
        self.flow.pause()

    def action_fast(self) -> None:
        """Switch fast mode on or off."""
        pace = self.flow.pace
        pace.go_fast(not pace.fast)
        fast = pace.fast
        self.notify(
            "The others' turns are skipped." if fast else "The others' turns are shown one by one."
        )

    def action_coach(self) -> None:
        """Show or hide the coach."""
        coaching = self.flow.coaching
        coaching.wanted = not coaching.wanted
        coaching.show()

    def action_seats(self) -> None:
        """Open the seats."""
        self.app.push_screen(SeatsScreen(self.session.roster), self.flow.reseat)

    @on(Picker.Touched)
    def _on_touched(self) -> None:
        self.session.timing.touched()

    @on(Picker.Refused)
    def _on_refused(self) -> None:
        self.session.timing.refused()

    @on(Board.PanesShown)
    def _on_opened(self) -> None:
        self.session.timing.panes_opened(self.query_one(Board).open_panes())

    @on(Picker.Submitted)
    def _on_submitted(self, message: Picker.Submitted) -> None:
        self.flow.submit(message.turn, message.action, message.thought)

    @on(Picker.PassedOn)
    def _on_passed_on(self, message: Picker.PassedOn) -> None:
        self.flow.pass_on(message.turn)

    @on(ObjectPane.ObjectChosen)
    def _on_object_chosen(self, message: ObjectPane.ObjectChosen) -> None:
        message.stop()
        open_object_menu(self.query_one(Picker), self.session, message.subject)

    @on(FindingsPane.Opened)
    def _on_finding_opened(self, message: FindingsPane.Opened) -> None:
        message.stop()
        self.flow.open_findings(message.known, message.at, message.status)
