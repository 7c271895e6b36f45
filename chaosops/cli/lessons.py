"""`chaosops lessons`."""

from __future__ import annotations

import click

from chaosops.cli.lazy import Later, LazyGroup

_COMMANDS = {
    "list": Later("chaosops.cli.lessons_look:list_", "List the lessons, and how far you are."),
    "show": Later("chaosops.cli.lessons_look:show", "Show a lesson, or its instructor's sheet."),
}


@click.group(
    cls=LazyGroup,
    later=_COMMANDS,
    no_args_is_help=False,
    epilog="Example: chaosops lessons show 4",
)
def lessons() -> None:
    """Follow a path of lessons, each on one incident.

    A lesson says what to watch for and what to talk about afterwards.
    """
