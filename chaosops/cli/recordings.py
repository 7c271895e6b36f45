"""`chaosops recordings`."""

from __future__ import annotations

import click

from chaosops.cli.lazy import Later, LazyGroup

_LOOK = "chaosops.cli.recordings_look"
_CHANGE = "chaosops.cli.recordings_change"

_COMMANDS = {
    "list": Later(f"{_LOOK}:list_", "List recordings."),
    "show": Later(f"{_LOOK}:show", "Show what is known of a recording."),
    "verify": Later("chaosops.cli.recordings_verify:verify", "Prove recordings by simulation."),
    "stats": Later("chaosops.cli.recordings_stats:stats", "Compare people with policies."),
    "export": Later("chaosops.cli.recordings_export:export", "Write data sets for training."),
    "rate": Later(f"{_CHANGE}:rate", "Rate a recording, or leave a comment."),
    "discard": Later(f"{_CHANGE}:discard", "Keep recordings and use them for nothing."),
    "compress": Later(f"{_CHANGE}:compress", "Pack finished recordings."),
    "delete": Later(f"{_CHANGE}:delete", "Remove recordings."),
    "consent": Later(f"{_CHANGE}:consent", "Agree to the use of your games, or take it back."),
    "withdraw": Later(f"{_CHANGE}:withdraw", "Remove everything of a pseudonym."),
    "fields": Later(f"{_LOOK}:fields", "Print the description of the format."),
}


@click.group(
    cls=LazyGroup,
    later=_COMMANDS,
    no_args_is_help=False,
    epilog="Example: chaosops recordings list",
)
def recordings() -> None:
    """List, prove, rate, export and remove what was played.

    Recordings are in your data folder, or in the one that --recordings names.
    """
