"""The interface of the app for its screens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widget import Widget

from chaosops.agents.registry import Policies
from chaosops.play.formatting import shown
from chaosops.play.settings import SettingsFile
from tui.router import Router, ScreenFactory

if TYPE_CHECKING:
    from chaosops.recording.consent import ConsentStore
    from chaosops.recording.events import Ui


class GameApp(App[int]):
    """The base of the app, with the player's settings and a router.

    Attributes:
        preferences: The player's settings.
        consents: Makes the store of the player's consent; None if nobody is asked.
        recordings: The folder of the recordings; None to keep nothing.
        policies: Makes policies by name.
        own_keys: Changed keys by the id of a binding.
        router: Opens other screens.
        failure: Why the app ended on its own, for its caller; empty if it didn't.
        farewell: What to print once the terminal is restored; may be empty.
    """

    def __init__(
        self,
        factory: ScreenFactory,
        *,
        home: Callable[[], Screen[Any]] | None = None,
        pace: float | None = None,
        preferences: SettingsFile | None = None,
        consents: Callable[[], ConsentStore] | None = None,
        recordings: Path | None = None,
        policies: Policies | None = None,
    ) -> None:
        """Create an app without a screen.

        Args:
            factory: Makes the screens.
            home: Makes the list of incidents, to start over.
            pace: Overrides the pace in the settings.
            preferences: By default the built-in ones, which are not saved.
            policies: By default, makes all but those of a family.
        """
        super().__init__()
        self.router = Router(self, factory, home)
        self.preferences = preferences or SettingsFile()
        self.consents = consents
        self.recordings = recordings
        self.policies = policies or Policies()
        self.own_keys: dict[str, str] = {}
        self.failure = ""
        self.farewell = ""
        self._own_pace = pace
        self._own_curtain: bool | None = None

    @property
    def pace(self) -> float:
        """The seconds for which a teammate's turn stays in view; 0 shows only the outcome."""
        own = self._own_pace
        return self.preferences.settings.pace_seconds if own is None else own

    @property
    def curtain(self) -> bool:
        """Whether the board is hidden between two seats that people play."""
        own = self._own_curtain
        return self.preferences.settings.curtain if own is None else own

    @curtain.setter
    def curtain(self, wanted: bool) -> None:
        self._own_curtain = None
        if wanted is not self.preferences.settings.curtain:
            self.change_settings(curtain=wanted)

    def use_curtain_once(self, wanted: bool) -> None:
        """Set whether the board is hidden between seats, without saving that."""
        self._own_curtain = wanted

    def change_settings(self, **changes: Any) -> None:
        """Apply and save new settings; show problems."""
        trouble = self.preferences.change(**changes)
        if trouble:
            self.notify(trouble, severity="warning")

    def use_keys(self, keys: dict[str, str]) -> None:
        """Set other keys for bindings, and update labels.

        Args:
            keys: Checked keys by the id of a binding.
        """
        self.own_keys = dict(keys)
        self.set_keymap(keys)
        for screen in self.screen_stack:
            for node in (screen, *screen.walk_children(Widget)):
                renew = getattr(node, "keys_changed", None)
                if renew is not None:
                    renew()

    @property
    def ui(self) -> Ui:
        """The user interface, for the recording."""
        from chaosops.recording.events import Ui
        from chaosops.version import __version__

        return Ui(
            name="chaosops-tui",
            version=__version__,
            columns=self.size.width,
            rows=self.size.height,
            theme=self.theme,
        )

    def fail(self, why: str) -> None:
        """End the app because it can't do what it was started for."""
        self.failure = why
        self.exit(1, return_code=1)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notice. Its text is cleaned, and never read as markup."""
        super().notify(
            shown(message, 400), title=title, severity=severity, timeout=timeout, markup=False
        )


def game_app(node: DOMNode) -> GameApp:
    """Return the app that shows a screen or a widget of the game."""
    app = node.app
    assert isinstance(app, GameApp)
    return app
