"""`chaosops scenarios`."""

from __future__ import annotations

import click

from chaosops.cli.lazy import Later, LazyGroup

_LOOK = "chaosops.cli.scenarios_look"
_WRITE = "chaosops.cli.scenarios_write"

_COMMANDS = {
    "list": Later(f"{_LOOK}:list_", "List the incidents."),
    "show": Later(f"{_LOOK}:show", "Show what is known of an incident at the page."),
    "new": Later(f"{_WRITE}:new", "Write a new incident file as a starting point."),
    "generate": Later(
        "chaosops.cli.scenarios_generate:generate",
        "Make situations without an author, each proven before it is written.",
    ),
    "schema": Later(f"{_WRITE}:schema", "Print the JSON Schema of incident files."),
    "words": Later("chaosops.cli.scenarios_words:words", "Print what incident files can refer to."),
    "seeds": Later(
        "chaosops.cli.scenarios_seeds:seeds", "Check or write the proven seeds of shifts."
    ),
    "validate": Later(
        "chaosops.cli.scenarios_validate:validate",
        "Check incident files, and prove that incidents are fair.",
    ),
}


@click.group(
    cls=LazyGroup,
    later=_COMMANDS,
    no_args_is_help=False,
    epilog="Example: chaosops scenarios list",
)
def scenarios() -> None:
    """List, show, write and check incidents."""
