"""A shift as lines of text: its incidents, what is told between them, and its end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from chaosops.agents.registry import Policies
from chaosops.play.farewell import where_it_is
from chaosops.play.formatting import ROLE_NAMES, shown
from chaosops.play.game_requests import resumed_roster
from chaosops.play.plain_dialect import sentence
from chaosops.play.session import Session
from chaosops.play.settings import Settings
from chaosops.play.setup import roster_of
from chaosops.play.shifts.files import ShiftFileError
from chaosops.play.shifts.ratings import EXPLAINED
from chaosops.play.shifts.results import result_of_game
from chaosops.play.shifts.shift import Shift, command_of
from chaosops.play.shifts.words import Between, between, end_of, opening_line
from chaosops.recording.resume import Resumed
from chaosops.version import __version__
from tui.plain.consent import ask_once, player_of
from tui.plain.console import LEAVE, Console, IdleInputError
from tui.plain.debrief import tell_debrief
from tui.plain.front_end import plain_ui
from tui.plain.game import PlainGame
from tui.plain.guide import seat_line
from tui.plain.reference import looked_up
from tui.plain.spelled import spelled


class PlainShift:
    """Plays a shift until it is over, or the player leaves."""

    def __init__(
        self, console: Console, shift: Shift, settings: Settings, policies: Policies | None
    ) -> None:
        """Take a shift as it stands.

        Args:
            policies: Makes the policies by name; see `roster_of`.
        """
        self._console, self._shift = console, shift
        self._settings, self._policies = settings, policies
        self._last: Session | None = None

    def play(self) -> None:
        """Play what is left of the shift.

        Raises:
            ChaosOpsError: An incident can't be loaded or continued.
        """
        shift, console = self._shift, self._console
        resumed = shift.take_up()
        console.say(f"ChaosOps {__version__}. {opening_line(shift)}.")
        while not shift.state.is_over:
            if shift.state.must_choose and not self._choose():
                console.say(f"The shift is saved. To continue: {command_of(shift, plain=True)}")
                return
            if not self._incident(resumed):
                return
            resumed = None
        self._tell_end()

    def _incident(self, resumed: Resumed | None) -> bool:
        """Play an incident; return whether it is over."""
        shift, console = self._shift, self._console
        session = self._session(resumed)
        console.gap()
        count = len(shift.incidents)
        title = shown(session.scenario.title)
        console.say(f"Incident {shift.number + 1} of {count}: {title}.", seat_line(session))
        console.say("Type help for the commands, menu for your actions, quit to save and leave.")
        if resumed is None:
            self._saved(lambda: shift.begin(session.recording))
        leaves = command_of(shift, plain=True)
        settings = self._settings
        try:
            if session.trouble:
                console.say(f"Note: {shown(session.trouble, 400)}")
            game = PlainGame(session, console, coach=settings.coach, curtain=settings.curtain)
            if not game.play():
                console.say(where_it_is(session, command=leaves))
                return False
        except (KeyboardInterrupt, IdleInputError):
            console.gap()
            if not session.done:
                console.say(where_it_is(session, command=leaves))
            raise
        finally:
            session.close()
            if session.done:
                result = result_of_game(session, session.recording)
                self._saved(lambda: shift.finish(result))
        self._last = session
        ask_once(console, session)
        return True

    def _session(self, resumed: Resumed | None) -> Session:
        shift = self._shift
        if resumed is not None:
            scenario = resumed.stepper.scenario
            roster = resumed_roster(resumed, self._policies)
        else:
            scenario = shift.scenario()
            roster = roster_of(shift.state.setup, scenario, self._policies)
        return Session(
            scenario,
            roster,
            recordings=shift.recordings,
            ui=plain_ui(),
            player=player_of(self._console),
            resumed=resumed,
        )

    def _saved(self, step: Callable[[], None]) -> None:
        """Take a step of the shift; if it can't be saved, say so, and go on."""
        try:
            step()
        except ShiftFileError as error:
            self._console.say(f"Note: {error}")

    def _choose(self) -> bool:
        """Tell what the last incident came to, and ask what to improve; False if they leave."""
        console = self._console
        told = between(self._shift)
        self._tell_between(told)
        many = len(told.offers)
        while (line := console.ask(f"Which action item? 1 to {many}:")) is not None:
            if line.lower() in LEAVE:
                return False
            if (found := looked_up(line)) is not None:
                console.say(*found)
            elif line.lower() == "debrief":
                self._debrief()
            elif line.isdecimal() and 1 <= int(line[:3]) <= many:
                offer = told.offers[int(line[:3]) - 1]
                self._saved(partial(self._shift.choose, offer.improvement))
                console.progressed()
                console.say(f"{offer.name}: it holds for the next incident.")
                return True
            else:
                console.say(
                    f"Type a number from 1 to {many}, debrief for all of the last incident's "
                    "debrief, or quit to save and leave."
                )
        return False

    def _tell_between(self, told: Between) -> None:
        console = self._console
        console.gap()
        console.say(f"Incident {told.over} of {told.incidents} is over.")
        console.say(*(f"- {spelled(line)}." for line in told.cost))
        console.say(f"What it was: {sentence(told.learned.truth)}")
        console.say(f"The lesson: {sentence(told.learned.lesson)}")
        console.say("Choose an action item; it changes the fleet for the next incident:")
        for number, offer in enumerate(told.offers, 1):
            console.say(f"- {number} {offer.name}: {offer.effect}.")
        coming = told.next_page
        console.say(f"The next page: {coming.title}. {sentence(coming.page)}")

    def _debrief(self) -> None:
        if self._last is None:
            self._console.say(
                "That incident was played earlier: step through its recording with "
                "'chaosops recordings list' and 'chaosops replay'."
            )
        else:
            tell_debrief(self._console, self._last)

    def _tell_end(self) -> None:
        console = self._console
        end = end_of(self._shift)
        console.gap()
        console.say(f"{end.headline}.")
        console.say(*(f"- {spelled(line)}." for line in end.incidents))
        for seat in end.ratings:
            console.say(
                f"Rating of {ROLE_NAMES[seat.role]}: {seat.rating} of 100, and {seat.mean} over "
                "the newest shifts."
            )
        if end.ratings:
            console.say(EXPLAINED)
        console.say(f"The code of this shift, for somebody else: chaosops shift {end.code}")
        console.say(f"To share: {', '.join(map(spelled, end.share))}")
