"""The way between the screens: shows what a screen asks for, and finds the way home."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from textual.app import App
from textual.screen import Screen

if TYPE_CHECKING:
    from tui.screen_requests import ScreenRequest

HOME: Final = "home"
"""The id of the screen that a game returns to."""


class ScreenFactory(Protocol):
    """Makes screens."""

    def make(self, request: ScreenRequest) -> Screen[Any]:
        """The screen that is asked for."""

    def preload(self) -> None:
        """Import what a game needs ahead of time. Any thread may call it."""


class Router:
    """Shows screens above each other or in place of each other."""

    def __init__(
        self,
        app: App[Any],
        factory: ScreenFactory,
        home: Callable[[], Screen[Any]] | None,
    ) -> None:
        """A router of an app.

        Args:
            home: Makes the list of incidents; None if there is none to return to.
        """
        self._app, self._factory, self._home = app, factory, home

    def preload(self) -> None:
        """Import what a game needs ahead of time. Any thread may call it."""
        self._factory.preload()

    def open(self, request: ScreenRequest, closed: Callable[[Any], None] | None = None) -> None:
        """Show a screen above the present one.

        Args:
            closed: Is called with the screen's result when it is closed.
        """
        self._app.push_screen(self._factory.make(request), closed)

    def open_once(self, request: ScreenRequest) -> None:
        """Show a screen above the present one, unless one of its kind is open."""
        screen = self._factory.make(request)
        if not any(type(other) is type(screen) for other in self._app.screen_stack):
            self._app.push_screen(screen)

    def replace(self, request: ScreenRequest) -> None:
        """Show a screen in place of the present one."""
        self._replace(self._factory.make(request))

    @property
    def has_home(self) -> bool:
        """Whether there is a list of incidents to return to."""
        return self._home is not None

    def go_home(self) -> None:
        """Leave the screen for the list of incidents."""
        if self._home is None:
            return
        app = self._app
        if any(screen.id == HOME for screen in app.screen_stack):
            while app.screen.id != HOME:
                app.pop_screen()
        else:
            self._replace(self._home())

    def _replace(self, screen: Screen[Any]) -> None:
        """Put a screen in place of the present one, or above it where it is the only one."""
        if len(self._app.screen_stack) > 1:
            self._app.switch_screen(screen)
        else:
            self._app.push_screen(screen)
