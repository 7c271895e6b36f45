"""`chaosops class`."""

from __future__ import annotations

import click

from chaosops.cli.lazy import Later, LazyGroup

_COMMANDS = {
    "report": Later("chaosops.cli.class_report:report", "Put the games of a class side by side."),
}


@click.group(
    "class",
    cls=LazyGroup,
    later=_COMMANDS,
    no_args_is_help=False,
    epilog="Example: chaosops class report games --out class.md",
)
def class_() -> None:
    """Help those who teach with incidents."""
