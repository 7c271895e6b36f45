"""The `chaosops` command, which imports a subcommand only when it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from chaosops.cli.errors import execute
from chaosops.cli.lazy import Later, LazyGroup
from chaosops.env.engine import ENGINE, core
from chaosops.version import __version__

_COMMANDS = {
    "play": Later("chaosops.cli.play:play", "Play an incident in the terminal."),
    "shift": Later("chaosops.cli.shift:shift", "Play several incidents on one error budget."),
    "resume": Later("chaosops.cli.resume:resume", "Resume an unfinished game."),
    "replay": Later("chaosops.cli.replay:replay", "Step through a recorded game."),
    "run": Later("chaosops.cli.run:run", "Let policies play without a screen."),
    "scenarios": Later("chaosops.cli.scenarios:scenarios", "List, show and check incidents."),
    "causes": Later("chaosops.cli.causes:causes", "List, show, write and try causes."),
    "glossary": Later(
        "chaosops.cli.glossary:glossary", "Explain a signal, an action, a cause or a term."
    ),
    "lessons": Later("chaosops.cli.lessons:lessons", "Follow a path of lessons."),
    "class": Later("chaosops.cli.class_:class_", "Report on the games of a class."),
    "calibrate": Later("chaosops.cli.calibrate:calibrate", "Measure how hard the levels are."),
    "evaluate": Later(
        "chaosops.cli.evaluate:evaluate", "Measure whether incidents can be won without skill."
    ),
    "baseline": Later("chaosops.cli.baseline:baseline", "Measure what policies score on a set."),
    "recordings": Later(
        "chaosops.cli.recordings:recordings", "List, verify, rate and export recorded games."
    ),
    "completion": Later("chaosops.cli.completion:completion", "Print a shell completion script."),
}


@click.group(
    cls=LazyGroup,
    later=_COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: chaosops play --help",
)
@click.version_option(
    __version__, prog_name="chaosops", message=f"%(prog)s %(version)s, engine {ENGINE}, {core()}"
)
@click.option("--plain", is_flag=True, help="Play as lines of text, for screen readers and pipes.")
@click.pass_context
def cli(context: click.Context, plain: bool) -> int:
    """Respond to simulated production outages, alone or in a team.

    Without a command, the game opens the list of incidents.
    """
    if context.invoked_subcommand is not None:
        if plain:
            name = context.invoked_subcommand
            raise click.UsageError(f"--plain goes after the command: chaosops {name} ... --plain")
        return 0
    from chaosops.cli.game import open_home

    return open_home(folders=(), recordings=None, plain=plain)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        arguments: The process's own arguments by default.
    """
    sys.exit(execute(cli, arguments, "chaosops"))
