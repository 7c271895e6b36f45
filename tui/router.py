"""The router: opens the screens that other screens request, and returns to the home screen."""

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
        """Make the requested screen."""

    def preload(self) -> None:
        """Import ahead of time what a game needs. Any thread may call it."""


class Router:
    """Opens screens above or in place of the current one."""

    def __init__(
        self,
        app: App[Any],
        factory: ScreenFactory,
        home: Callable[[], Screen[Any]] | None,
    ) -> None:
        """Create the router of an app.

        Args:
            home: Makes the list of incidents; None if there is none to return to.
        """
        self._app, self._factory, self._home = app, factory, home

    def preload(self) -> None:
        """Import ahead of time what a game needs. Any thread may call it."""
        self._factory.preload()

    def open(self, request: ScreenRequest, closed: Callable[[Any], None] | None = None) -> None:
        """Show a screen above the current one.

        Args:
            closed: Called with the screen's result when it is closed.
        """
        self._app.push_screen(self._factory.make(request), closed)

    def open_once(self, request: ScreenRequest) -> None:
        """Show a screen above the current one, unless one of its kind is open."""
        screen = self._factory.make(request)
        if not any(type(other) is type(screen) for other in self._app.screen_stack):
            self._app.push_screen(screen)

    def replace(self, request: ScreenRequest) -> None:
        """Show a screen in place of the current one."""
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
        """Put a screen in place of the current one, or above it if it is the only one."""
        if len(self._app.screen_stack) > 1:
            self._app.switch_screen(screen)
        else:
            self._app.push_screen(screen)
