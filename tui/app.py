"""The Textual app: themes, signals, the palette and the way between the screens."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen

from tui.themes import DARK, LIGHT
from tui.words import shown

PACE = 0.3
"""Seconds that each turn of a teammate stays in view."""


class ChaosOpsApp(App[int]):
    """Shows one screen after another; what they show is their business.

    `run` returns the exit code: 0, or 128 + n where signal n ended it, None where it crashed.
    """

    TITLE = "ChaosOps"
    CSS_PATH: ClassVar[Any] = ["styles/board.tcss", "styles/screens.tcss"]
    ENABLE_COMMAND_PALETTE = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+q,ctrl+c",
            "leave",
            "Save and quit",
            key_display="^q",
            priority=True,
            id="app.quit",
            tooltip="Leave; what was played is on disk already",
        ),
        Binding(
            "ctrl+t",
            "toggle_theme",
            "Light or dark",
            show=False,
            id="app.theme",
            tooltip="Change between the light and the dark theme",
        ),
        Binding(
            "ctrl+s",
            "save_picture",
            "Screenshot",
            show=False,
            id="app.screenshot",
            tooltip="Save the screen as an SVG file",
        ),
    ]

    def __init__(
        self,
        first: Callable[[], Screen[Any]],
        *,
        home: Callable[[], Screen[Any]] | None = None,
        pictures: Path | None = None,
        pace: float = PACE,
    ) -> None:
        """An app that opens on a screen.

        Args:
            home: Makes the list of incidents, where the game can be begun anew.
            pictures: Where screenshots go; the current folder by default.
            pace: Seconds that a teammate's turn stays in view; 0 shows only the outcome.
        """
        super().__init__()
        self._first = first
        self._home = home
        self._pictures = pictures
        self.pace = pace
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        if not os.environ.get("TEXTUAL_THEME"):
            self.theme = DARK.name

    def on_mount(self) -> None:
        """Catch the signals that end a terminal session, and open the first screen."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None:
                with suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, self._end_by_signal, int(number))
        self.push_screen(self._first())

    def _end_by_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    @property
    def has_home(self) -> bool:
        """Whether there is a list of incidents to go to."""
        return self._home is not None

    def go_home(self) -> None:
        """Leave the screen for the list of incidents."""
        if self._home is not None:
            self.switch_screen(self._home())

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

    def action_leave(self) -> None:
        """Leave the game. Each turn is on disk already."""
        self.exit(0)

    def action_toggle_theme(self) -> None:
        """Change between the light and the dark theme."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

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
        """Every action that has a key now, and what the screen adds, for the palette."""
        listed: set[str] = set()
        for active in screen.active_bindings.values():
            binding = active.binding
            if not (binding.id and binding.description and active.enabled):
                continue
            if binding.action in listed or binding.id.startswith(("lines.", "tabs.")):
                continue
            listed.add(binding.action)

            def run(action: str = binding.action, where: Any = active.node) -> None:
                self.call_later(self.run_action, action, where)

            yield SystemCommand(binding.description, binding.tooltip, run)
        more = getattr(screen, "more_commands", None)
        if more is not None:
            yield from more()
