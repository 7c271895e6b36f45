"""Checks the player's settings once the first screen is visible, and reports problems."""

from __future__ import annotations

from collections.abc import Iterable

from chaosops.play.settings import Trouble
from tui.game_app import GameApp


class SettingsCheck:
    """Applies the player's own keys, and shows the problems of the settings file."""

    def __init__(self, app: GameApp) -> None:
        self._app = app

    def begin(self) -> None:
        """Check the player's keys, if any, which needs an import of every screen."""
        if self._app.preferences.settings.keys:
            self._app.run_worker(self._check_keys, thread=True, group="keys")
        else:
            self._show_troubles()

    def _check_keys(self) -> None:
        from tui.keys.keymap import checked, known_bindings

        preferences = self._app.preferences
        good, refused = checked(preferences.settings.keys, known_bindings())
        troubles = preferences.troubles_with(
            [("keys", item.id, f"{item.message} (the built-in key is used)") for item in refused]
        )
        self._app.call_from_thread(self._keys_checked, good, troubles)

    def _keys_checked(self, good: dict[str, str], troubles: Iterable[Trouble]) -> None:
        self._app.use_keys(good)
        preferences = self._app.preferences
        preferences.troubles = (*preferences.troubles, *troubles)
        self._show_troubles()

    def _show_troubles(self) -> None:
        """Show all problems in one notice: several would cover the screen and each other."""
        troubles = self._app.preferences.troubles
        if troubles:
            several = f"{len(troubles)} problems in {troubles[0].path.name}, see Settings"
            said = str(troubles[0]) if len(troubles) == 1 else several
            self._app.notify(said, title="Settings", severity="warning", timeout=12)
