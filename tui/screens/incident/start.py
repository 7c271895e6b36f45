"""Begins a game: opens the incident while something is on the screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import MUTED, shown
from chaosops.play.setup import Setup, crew_of, setup_of
from tui.app import ChaosOpsApp
from tui.widgets.basic.remeasured import Remeasured

if TYPE_CHECKING:
    from chaosops.env.world_sim import Scenario
    from chaosops.play.forks import Fork
    from chaosops.play.seats import Crew
    from chaosops.play.session import Session
    from chaosops.recording.events import Player
    from chaosops.recording.reader import Recording
    from chaosops.recording.resume import Resumed


class Ready(NamedTuple):
    """A game that can begin.

    Attributes:
        resumed: The game to go on with; None for a new one.
        fork: The game whose first turns are taken again; None where it is played from the page.
    """

    scenario: Scenario
    crew: Crew
    resumed: Resumed | None = None
    fork: Fork | None = None


class Order(NamedTuple):
    """A game that is wanted.

    Attributes:
        title: What is shown while it is opened.
        prepare: Opens it, in a thread; raises ChaosOpsError.
        recordings: The folder for the recording; None keeps nothing.
    """

    title: str
    prepare: Callable[[], Ready]
    recordings: Path | None


def new_game(
    title: str, load: Callable[[], Scenario], setup: Setup, recordings: Path | None
) -> Order:
    """A game from its beginning."""

    def prepare() -> Ready:
        scenario = load()
        return Ready(scenario, crew_of(setup, scenario))

    return Order(title, prepare, recordings)


def old_game(title: str, take_up: Callable[[], Resumed], recordings: Path | None) -> Order:
    """A game that was left before its end."""

    def prepare() -> Ready:
        resumed = take_up()
        scenario = resumed.stepper.scenario
        past = resumed.recording
        setup = setup_of(past.header, past.turns, past.notes)
        return Ready(scenario, crew_of(setup, scenario), resumed)

    return Order(title, prepare, recordings)


def forked_game(
    recording: Recording, turn: int, recordings: Path | None, folders: tuple[Path, ...] = ()
) -> Order:
    """A game that begins at a turn of a recorded one; that one stays as it is.

    Args:
        turn: The first one to be played, counted from 0.
        recordings: The folder for the new recording; by default the user's own.
        folders: Where scenarios are, besides the built-in set.
    """

    def prepare() -> Ready:
        from chaosops.play.forks import fork_of

        fork = fork_of(recording, turn, folders)
        writable_folder(folder)
        return Ready(fork.scenario, fork.crew, fork=fork)

    from chaosops.recording.folders import default_folder, writable_folder

    folder = default_folder() if recordings is None else recordings
    return Order(f"{recording.header.current_scenario} from turn {turn + 1}", prepare, folder)


class StartScreen(Remeasured, Screen[None]):
    """Shows what is about to be played, until it is."""

    STAYS_BELOW: ClassVar[bool] = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="start.back", tooltip="Back to the list"),
    ]

    def __init__(self, order: Order, failed: Callable[[str], Screen[None]] | None = None) -> None:
        """A game that is wanted.

        Args:
            failed: Makes the screen to show, with the reason, where it cannot be opened. Without
                one the app ends.
        """
        super().__init__()
        self.title = order.title
        self._order = order
        self._failed = failed
        self._gone = False

    def compose(self) -> ComposeResult:
        """What is played, and that it is coming."""
        with Vertical(id="start"):
            yield Static(Content.styled("ChaosOps", "bold $accent"))
            yield Static(Content.styled(shown(self._order.title, 120), "bold"))
            yield Static(Content.styled("Your pager goes off…", MUTED))

    def on_mount(self) -> None:
        """Let it be seen first."""
        self.call_after_refresh(self._open)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a way back only where this came from somewhere."""
        return action != "back" or self._failed is not None

    def action_back(self) -> None:
        """Do not begin after all."""
        self._gone = True
        if isinstance(self.app, ChaosOpsApp) and self.app.has_home:
            self.app.go_home()
        else:
            self.dismiss()

    @work(thread=True, group="start")
    def _open(self) -> None:
        try:
            ready = self._order.prepare()
        except ChaosOpsError as error:
            self.app.call_from_thread(self._fail, str(error))
            return
        # What the game needs is imported here, while the screen is alive.
        import_module("tui.screens.incident.screen")

        self.app.call_from_thread(self._begin, ready)

    def _fail(self, why: str) -> None:
        app = self.app
        assert isinstance(app, ChaosOpsApp)
        if self._failed is not None:
            app.replace_screen(self._failed(why))
        else:
            app.fail(why)

    def _begin(self, ready: Ready) -> None:
        from tui.screens.incident.screen import IncidentScreen

        app = self.app
        if self._gone or not isinstance(app, ChaosOpsApp):
            return
        player = self._player(app) if ready.crew.people else None
        app.replace_screen(
            IncidentScreen(
                ready.scenario,
                ready.crew,
                self._order.recordings,
                player=player,
                resumed=ready.resumed,
                begin=partial(self._fork, app, ready.fork, player) if ready.fork else None,
            )
        )

    def _player(self, app: ChaosOpsApp) -> Player | None:
        """Who agreed to the use of the game; nobody is asked before it."""
        if app.consents is None or self._order.recordings is None:
            return None
        from chaosops.play.consent_prompt import agreed_player

        try:
            return agreed_player(app.consents())
        except ChaosOpsError as error:
            self.notify(f"{error}. This game names nobody.", severity="warning")
            return None

    def _fork(self, app: ChaosOpsApp, fork: Fork, player: Player | None) -> Session:
        from chaosops.play.session import Session

        return Session(
            fork.scenario,
            fork.crew,
            recordings=self._order.recordings,
            ui=app.played_on,
            player=fork.player(player),
            replayed=fork.replayed,
            notes=fork.notes,
        )
