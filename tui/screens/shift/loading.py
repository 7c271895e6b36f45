"""Opens a shift where it stands: the next incident, the choice before it, or its end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import MUTED, shown
from tui.game_app import game_app
from tui.player import player_of
from tui.screen_requests import (
    GameCourse,
    OpenGame,
    OpenNotice,
    OpenShift,
    OpenShiftBetween,
    OpenShiftEnd,
    ScreenRequest,
)
from tui.widgets.basic.remeasured import Remeasured

if TYPE_CHECKING:
    from chaosops.play.seats import Roster
    from chaosops.play.session import Session
    from chaosops.play.shifts.shift import Shift
    from chaosops.recording.resume import Resumed


class ShiftLoadingScreen(Remeasured, Screen[None]):
    """Shown until the next part of a shift is ready."""

    STAYS_BELOW: ClassVar[bool] = True
    TITLE = "Shift"
    CSS_PATH = "../../styles/shift.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="loading.back", tooltip="Back to the list"),
    ]

    def __init__(
        self, take: Callable[[], Shift], sessions: tuple[Session, ...] = (), title: str = ""
    ) -> None:
        """Create the screen.

        Args:
            take: Begins or reopens the shift, in a thread; may raise ChaosOpsError.
            sessions: The games of the shift that were played since the app began.
            title: What is shown of it.
        """
        super().__init__()
        self._take, self._sessions, self._title = take, sessions, title
        self._cancelled = False

    def compose(self) -> ComposeResult:
        """Compose a note that it is being opened."""
        with Vertical(id="shift-start"):
            yield Static(Content.styled("ChaosOps", "bold $accent"))
            yield Static(Content.styled(shown(self._title or "A shift", 120), "bold"))
            yield Static(Content.styled("Handing over…", MUTED))

    def on_mount(self) -> None:
        """Wait for the first paint, then open the shift."""
        self.call_after_refresh(self._open)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable going back if there is no list to go back to."""
        return action != "back" or game_app(self).router.has_home

    def action_back(self) -> None:
        """Cancel, and go back to the list."""
        self._cancelled = True
        game_app(self).router.go_home()

    @work(thread=True, group="shift")
    def _open(self) -> None:
        try:
            next_one = self._next_part()
        except ChaosOpsError as error:
            self.app.call_from_thread(self._fail, str(error))
            return
        game_app(self).router.preload()
        self.app.call_from_thread(self._show, next_one)

    def _next_part(self) -> Callable[[], ScreenRequest]:
        """Return what makes the request for the shift's next part; read what it needs."""
        from chaosops.play.game_requests import resumed_roster
        from chaosops.play.setup import roster_of
        from chaosops.play.shifts.words import between

        shift = self._take()
        resumed = shift.take_up()
        state = shift.state
        if state.is_over:
            return lambda: OpenShiftEnd(shift, self._sessions)
        if state.must_choose:
            told = between(shift)
            return lambda: OpenShiftBetween(shift, told, self._sessions)
        policies = game_app(self).policies
        if resumed is not None:
            roster = resumed_roster(resumed, policies)
        else:
            roster = roster_of(state.setup, shift.scenario(), policies)
        return partial(self._game, shift, roster, resumed)

    def _game(self, shift: Shift, roster: Roster, resumed: Resumed | None) -> OpenGame:
        app = game_app(self)
        player, trouble = player_of(app, shift.recordings)
        if trouble:
            app.notify(trouble, severity="warning")
        return OpenGame(
            shift.scenario() if resumed is None else resumed.stepper.scenario,
            roster,
            shift.recordings,
            player=player if roster.people else None,
            resumed=resumed,
            course=self._course(shift, is_new=resumed is None),
        )

    def _course(self, shift: Shift, *, is_new: bool) -> GameCourse:
        """Return what follows the game: it is noted as begun, and as over."""
        from chaosops.play.shifts.results import result_of_game
        from chaosops.play.shifts.shift import command_of

        app, sessions = game_app(self), self._sessions

        def saved(step: Callable[[], None]) -> None:
            try:
                step()
            except ChaosOpsError as error:
                app.notify(str(error), severity="error", timeout=15)

        def begun(session: Session) -> None:
            if is_new:
                saved(lambda: shift.begin(session.recording))

        def ended(session: Session) -> ScreenRequest:
            saved(lambda: shift.finish(result_of_game(session, session.recording)))
            return OpenShift(lambda: shift, (*sessions, session), "The incident is over")

        return GameCourse(begun, ended, command_of(shift))

    def _show(self, made: Callable[[], ScreenRequest]) -> None:
        if not self._cancelled and self.is_up:
            game_app(self).router.replace(made())

    def _fail(self, why: str) -> None:
        app = game_app(self)
        if self._cancelled:
            return
        if app.router.has_home and len(app.screen_stack) > 1:
            app.router.go_home()
            app.router.open(OpenNotice("Can't play the shift", why))
        else:
            app.fail(why)
