"""`chaosops completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from chaosops.output import print_data

_SHELLS = ("bash", "zsh", "fish")


@click.command(epilog='Example: eval "$(chaosops completion bash)"')
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a shell script that completes chaosops commands and options."""
    kind = get_completion_class(shell)
    root = context.find_root()
    if kind is not None:
        script = kind(root.command, {}, "chaosops", "_CHAOSOPS_COMPLETE")
        print_data(script.source_template % script.source_vars())
