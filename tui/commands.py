"""The commands of the palette, and running them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual._callback import invoke
from textual.app import SystemCommand
from textual.dom import DOMNode
from textual.screen import Screen

from tui.game_app import GameApp
from tui.widgets.basic.taken_down import QuietWhenTakenDown


class CommandSearch:
    """Searches everything that can be done now, or the themes."""

    def __init__(self, app: GameApp) -> None:
        self._app = app

    def open(self) -> None:
        """Show the palette, unless it is open."""
        from tui.screens.dialogs.palette import PaletteScreen

        app = self._app
        if not any(isinstance(screen, PaletteScreen) for screen in app.screen_stack):
            screen = app.screen
            commands = app.get_system_commands(screen)
            app.push_screen(PaletteScreen(commands), partial(self._run_for, screen))

    def open_themes(self) -> None:
        """Show a palette of all themes."""
        from tui.screens.dialogs.palette import PaletteScreen

        app = self._app

        def choose(name: str) -> None:
            app.theme = name

        commands = [SystemCommand(name, "", partial(choose, name)) for name in app.available_themes]
        app.push_screen(PaletteScreen(commands, "Themes"), self._run)

    def listed(self, screen: Screen[Any]) -> Iterator[SystemCommand]:
        """Yield every action that has a key now, the themes, and what the screen adds."""
        listed: set[str] = set()
        for active in screen.active_bindings.values():
            binding = active.binding
            if not (binding.id and binding.description and active.enabled):
                continue
            action = binding.action.removeprefix("app.")
            is_aside = binding.id.startswith(("lines.", "tabs.")) or action == "command_palette"
            if action in listed or is_aside:
                continue
            listed.add(action)

            def run(action: str = binding.action, where: Any = active.node) -> None:
                self._app.call_later(self._run_where, action, where)

            yield SystemCommand(binding.description, binding.tooltip, run)
        yield SystemCommand("Theme", "Choose a theme", self.open_themes)
        more = getattr(screen, "more_commands", None)
        if more is not None:
            yield from more()

    async def _run_for(self, screen: Screen[Any], command: SystemCommand | None) -> None:
        """Run a command, unless its screen is gone or closing."""
        if not isinstance(screen, QuietWhenTakenDown) or screen.is_up:
            await self._run(command)

    async def _run(self, command: SystemCommand | None) -> None:
        if command is not None:
            await invoke(command.callback)

    async def _run_where(self, action: str, where: DOMNode) -> None:
        """Run an action, unless its owner is gone."""
        if where is self._app or where.is_attached:
            await self._app.run_action(action, where)
