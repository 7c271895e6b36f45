"""The Textual app: its start and end, its input, its keys and its themes."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import Theme

from chaosops.errors import ChaosOpsError
from chaosops.play.escape_wait import escape_wait
from chaosops.play.settings import SettingsFile
from tui.commands import CommandSearch
from tui.game_app import GameApp
from tui.keys.app import APP_KEYS
from tui.screen_requests import OpenGlossary, OpenSettings
from tui.screens.factory import LazyScreenFactory
from tui.settings_check import SettingsCheck
from tui.terminal.colourless import Colourless
from tui.terminal.input_gate import InputGate
from tui.terminal.signals import SignalWatch
from tui.terminal.title import has_title, title_sequence
from tui.themes import DARK, LIGHT, THEMES, theme_of

if TYPE_CHECKING:
    from chaosops.agents.registry import Policies
    from chaosops.recording.consent import ConsentStore


class ChaosOpsApp(GameApp):
    """Shows one screen after another.

    `run` returns the exit code: 0, or 128 + n if signal n ended it, None if it crashed.

    Attributes:
        commands: The command palette.
        gate: Passes on the player's input, one event after another.
        signals: Ends the app on signals; None to ignore them.
    """

    TITLE = "ChaosOps"
    CSS_PATH: ClassVar[Any] = ["styles/app.tcss", "styles/home.tcss", "styles/start.tcss"]
    ENABLE_COMMAND_PALETTE = True

    BINDINGS: ClassVar[list[BindingType]] = list(APP_KEYS)

    def __init__(
        self,
        first: Callable[[], Screen[Any]],
        *,
        home: Callable[[], Screen[Any]] | None = None,
        pictures: Path | None = None,
        pace: float | None = None,
        preferences: SettingsFile | None = None,
        consents: Callable[[], ConsentStore] | None = None,
        recordings: Path | None = None,
        policies: Policies | None = None,
    ) -> None:
        """Create an app that opens with a screen.

        Args:
            home: Makes the list of incidents, to start over.
            pictures: The folder for screenshots; by default the current one.
            pace: Overrides the pace in the settings.
            preferences: By default the built-in ones, which are not saved.
            policies: By default, makes all but those of a family.
        """
        preferences = preferences or SettingsFile()
        self._forced_theme = os.environ.get("TEXTUAL_THEME", "") in THEMES
        if not self._forced_theme:
            theme, troubles = theme_of(preferences)
            preferences.troubles = (*preferences.troubles, *troubles)
            # Setting a theme later makes Textual parse all styles a second time.
            self.set_reactive(App.theme, theme)
        super().__init__(
            LazyScreenFactory(),
            home=home,
            pace=pace,
            preferences=preferences,
            consents=consents,
            recordings=recordings,
            policies=policies,
        )
        self.commands = CommandSearch(self)
        self.gate = InputGate(self)
        self.signals: SignalWatch | None = None
        self._colourless = (Colourless(),) if self.no_color else ()
        self._first = first
        self._on_top: Screen[Any] | None = None
        self._pictures = pictures

    @property
    def available_themes(self) -> dict[str, Theme]:
        """The themes by name."""
        return {**THEMES, **super().available_themes}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters for everything that is drawn."""
        return self._colourless if self.no_color else super().get_line_filters()

    def get_driver_class(self) -> type[Driver]:
        """Return the driver, which reads the terminal."""
        chosen = super().get_driver_class()
        if sys.platform == "win32":
            return chosen
        from tui.terminal.driver import SafeInputDriver

        return SafeInputDriver if issubclass(SafeInputDriver, chosen) else chosen

    def get_default_screen(self) -> Screen[Any]:
        """Return the first screen if it can stay below all others, which saves a paint."""
        first = self._first()
        if getattr(first, "STAYS_BELOW", False):
            return first
        self._on_top = first
        return super().get_default_screen()

    def on_load(self) -> None:
        """Watch signals from before the terminal is changed."""
        if self.signals is not None:
            self.signals.ask(self._end_by_signal)

    def on_mount(self) -> None:
        """Do everything else once the first screen is visible."""
        self.screen_change_signal.subscribe(self, self._show_title)
        self.theme_changed_signal.subscribe(self, lambda _theme: self._keep_theme())
        if self._on_top is not None:
            self.push_screen(self._on_top)
        else:
            self._show_title(self.screen)
        self.call_after_refresh(self._apply_settings)

    async def on_event(self, event: events.Event) -> None:
        """Handle the player's input in turn, and everything else at once."""
        is_input = isinstance(event, events.InputEvent | events.Paste)
        leaves = isinstance(event, events.Key) and event.key == "ctrl+c"
        if not is_input or event.is_forwarded or leaves:
            await super().on_event(event)
        elif self.gate.admits(event):
            if isinstance(event, events.Key) and self._is_captured(event):
                self.screen._forward_event(event)
            else:
                await super().on_event(event)

    def _is_captured(self, key: events.Key) -> bool:
        """Whether the screen takes a key before any binding does."""
        takes_all = getattr(self.screen, "TAKES_EVERY_KEY", False)
        return takes_all and key.key != "escape"

    def interrupted(self) -> None:
        """Make sure that Ctrl+C ends the app, whatever it is doing. Any thread may call it."""
        if self.signals is not None:
            self.signals.expect_end()

    @property
    def escape_wait(self) -> float:
        """The seconds to wait for the rest of a key sequence."""
        return escape_wait(self.preferences.settings.escape_wait, os.environ)

    def _end_by_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    def action_leave(self) -> None:
        """Leave the game. Each turn is on disk already."""
        for screen in reversed(self.screen_stack):
            asks = getattr(screen, "asks_before", None)
            if asks is not None and asks(self.action_interrupt):
                return
        self.exit(0)

    def action_interrupt(self) -> None:
        """Leave at once, without questions."""
        self.exit(0)

    def action_toggle_theme(self) -> None:
        """Change between the light and the dark theme."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    def action_command_palette(self) -> None:
        """Search everything that can be done now."""
        self.commands.open()

    def action_change_theme(self) -> None:
        """Search the themes."""
        self.commands.open_themes()

    def action_settings(self) -> None:
        """Open the settings, unless they are open."""
        self.router.open_once(OpenSettings())

    def action_glossary(self) -> None:
        """Open the glossary, unless it is open."""
        told = getattr(self.screen, "glossary_opened", None)
        if told is not None:
            told()
        self.router.open_once(OpenGlossary())

    def action_save_picture(self) -> None:
        """Save the screen as an SVG file, and say where."""
        try:
            folder = None if self._pictures is None else str(self._pictures)
            path = self.save_screenshot(path=folder)
        except OSError as error:
            why = error.strerror or str(error)
            self.notify(f"No screenshot: {why}", severity="error")
        else:
            self.notify(f"Screenshot: {path}")

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Yield what the palette lists."""
        return self.commands.listed(screen)

    def _apply_settings(self) -> None:
        if not gc.isenabled():
            # Objects from the start-up stay, so the garbage collector can ignore them.
            gc.freeze()
            gc.enable()
        SettingsCheck(self).begin()

    def use_theme_once(self, name: str) -> None:
        """Set a theme without saving it.

        Raises:
            ChaosOpsError: There is no theme of that name.
        """
        if name not in self.available_themes:
            names = ", ".join(sorted(self.available_themes))
            raise ChaosOpsError(f"no theme '{name}': choose from {names}")
        self._forced_theme = True
        self.theme = name

    def _keep_theme(self) -> None:
        if not self._forced_theme and self.theme != self.preferences.settings.theme:
            self.change_settings(theme=self.theme)

    def _show_title(self, screen: Screen[Any]) -> None:
        """Name the window after the screen."""
        title = screen.title or ""
        if self._driver is not None and not self.is_headless and has_title():
            name = f"{title} - {self.TITLE}" if title else self.TITLE
            self._driver.write(title_sequence(name))
