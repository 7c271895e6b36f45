"""The start screen, which is shown while an incident is opened."""

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
from chaosops.play.game_requests import GameRequest, PreparedGame
from tui.game_app import GameApp, game_app
from tui.player import player_of
from tui.screen_requests import OpenGame, ScreenRequest
from tui.widgets.basic.remeasured import Remeasured

if TYPE_CHECKING:
    from chaosops.play.forks import Fork
    from chaosops.play.session import Session
    from chaosops.recording.events import Player


class StartScreen(Remeasured, Screen[None]):
    """Shows the title of a game until it is open."""

    STAYS_BELOW: ClassVar[bool] = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="start.back", tooltip="Back to the list"),
    ]

    def __init__(
        self, game: GameRequest, failed: Callable[[str], ScreenRequest] | None = None
    ) -> None:
        """Create the screen of a game to open.

        Args:
            failed: What to show, given the reason, if it can't be opened. Without it the app
                ends.
        """
        super().__init__()
        self.title = game.title
        self._game = game
        self._failed = failed
        self._cancelled = False

    def compose(self) -> ComposeResult:
        """Compose the title and a note that the game is being opened."""
        with Vertical(id="start"):
            yield Static(Content.styled("ChaosOps", "bold $accent"))
            yield Static(Content.styled(shown(self._game.title, 120), "bold"))
            yield Static(Content.styled("Your pager goes off…", MUTED))

    def on_mount(self) -> None:
        """Wait for the first paint, then open the game."""
        self.call_after_refresh(self._open)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable going back if there is no screen below."""
        return action != "back" or self._failed is not None

    def action_back(self) -> None:
        """Cancel, and go back."""
        self._cancelled = True
        router = game_app(self).router
        if router.has_home:
            router.go_home()
        else:
            self.dismiss()

    @work(thread=True, group="start")
    def _open(self) -> None:
        try:
            prepared = self._game.prepare()
        except ChaosOpsError as error:
            self.app.call_from_thread(self._fail, str(error))
            return
        game_app(self).router.preload()
        self.app.call_from_thread(self._begin, prepared)

    def _fail(self, why: str) -> None:
        app = game_app(self)
        if self._failed is not None:
            app.router.replace(self._failed(why))
        else:
            app.fail(why)

    def _begin(self, prepared: PreparedGame) -> None:
        if self._cancelled:
            return
        app = game_app(self)
        player = None
        if prepared.roster.people:
            player, trouble = player_of(app, self._game.recordings)
            if trouble:
                self.notify(trouble, severity="warning")
        fork = prepared.fork
        app.router.replace(
            OpenGame(
                prepared.scenario,
                prepared.roster,
                self._game.recordings,
                player=player,
                resumed=prepared.resumed,
                begin=partial(self._fork, app, fork, player) if fork else None,
            )
        )

    def _fork(self, app: GameApp, fork: Fork, player: Player | None) -> Session:
        from chaosops.play.session import Session

        return Session(
            fork.scenario,
            fork.roster,
            recordings=self._game.recordings,
            ui=app.ui,
            player=fork.player(player),
            replayed=fork.replayed,
            notes=fork.notes,
        )
