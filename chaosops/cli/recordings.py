"""`chaosops recordings`."""

from __future__ import annotations

import click

from chaosops.cli.lazy import Later, LazyGroup

_LOOK = "chaosops.cli.recordings_look"
_CHANGE = "chaosops.cli.recordings_change"

_COMMANDS = {
    "list": Later(f"{_LOOK}:list_", "List recordings."),
    "show": Later(f"{_LOOK}:show", "Show the details of a recording."),
    "verify": Later("chaosops.cli.recordings_verify:verify", "Verify recordings by simulation."),
    "stats": Later("chaosops.cli.recordings_stats:stats", "Compare people with policies."),
    "export": Later("chaosops.cli.recordings_export:export", "Write data sets for training."),
    "postmortem": Later(
        "chaosops.cli.recordings_postmortem:postmortem",
        "Write the post-mortem of a played incident.",
    ),
    "rate": Later(f"{_CHANGE}:rate", "Rate a recording, or leave a comment."),
    "discard": Later(f"{_CHANGE}:discard", "Exclude recordings from stats and data sets."),
    "compress": Later(f"{_CHANGE}:compress", "Compress finished recordings."),
    "delete": Later(f"{_CHANGE}:delete", "Delete recordings."),
    "consent": Later(f"{_CHANGE}:consent", "Show, give or withdraw your consent to data use."),
    "withdraw": Later(f"{_CHANGE}:withdraw", "Delete all recordings of a pseudonym."),
    "fields": Later(f"{_LOOK}:fields", "Print a description of the recording format."),
}


@click.group(
    cls=LazyGroup,
    later=_COMMANDS,
    no_args_is_help=False,
    epilog="Example: chaosops recordings list",
)
def recordings() -> None:
    """List, verify, rate, export and delete recorded games.

    Recordings are in your data folder, or in the one that --recordings names.
    """
