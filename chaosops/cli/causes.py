"""`chaosops causes`."""

from __future__ import annotations

import click

from chaosops.cli.lazy import Later, LazyGroup

_COMMANDS = {
    "list": Later("chaosops.cli.causes_list:list_", "List the causes by family."),
    "show": Later("chaosops.cli.causes_show:show", "Show what a cause does and what helps."),
    "new": Later("chaosops.cli.causes_new:new", "Write a new cause file as a starting point."),
    "validate": Later(
        "chaosops.cli.causes_validate:validate",
        "Check cause files, and try each cause at every place that it fits.",
    ),
}


@click.group(
    cls=LazyGroup,
    later=_COMMANDS,
    no_args_is_help=False,
    epilog="Example: chaosops causes list",
)
def causes() -> None:
    """List, show, write and try causes."""
