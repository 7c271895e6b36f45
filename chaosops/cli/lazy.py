"""A command group that imports a command only when it runs."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click


class Later(NamedTuple):
    """A command to import later: its place as `module:attribute`, and its line in the help."""

    place: str
    help: str


class LazyGroup(click.Group):
    """A group that shows its help and usage errors without importing its commands."""

    def __init__(self, *args: Any, later: Mapping[str, Later], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which they were given."""
        return list(self._later)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        later = self._later.get(cmd_name)
        if later is None:
            return None
        module, attribute = later.place.split(":")
        command = getattr(importlib.import_module(module), attribute)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest one with a similar name."""
        if args and args[0] not in self._later and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], self._later, 1)
            cure = (
                f"did you mean '{close[0]}'?" if close else f"choose from {', '.join(self._later)}"
            )
            ctx.fail(f"no command '{args[0]}': {cure}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, later.help) for name, later in self._later.items()])
