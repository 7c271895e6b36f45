"""`chaosops class report`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.options import scenarios_option
from chaosops.output import print_data, say
from chaosops.scenarios.problems import shown_path


@click.command(epilog="Example: chaosops class report games --out class.md")
@click.argument(
    "directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option(
    "--out",
    metavar="FILE.md",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it to this file, instead of to standard output.",
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@scenarios_option
def report(directory: Path, out: Path | None, force: bool, folders: tuple[Path, ...]) -> None:
    """Put the recorded games in DIR side by side, as Markdown.

    Games of one incident and seed form a table: how each ended, its stars, the looks in order, what
    was believed with which stake, the orders, and the first turn in which the games differ. It
    names the players by their pseudonyms, or by their folders in DIR, and tells the causes.
    """
    if force and out is None:
        raise click.UsageError("--force replaces a file: name it with --out FILE.md")
    from chaosops.play.class_report import class_report
    from chaosops.play.new_files import refuse_existing, write_new

    if out is not None and not force:
        refuse_existing(out)
    made = class_report(directory, folders)
    for reason in made.left_out:
        say(f"left out: {reason}")
    if out is None:
        print_data(made.text.removesuffix("\n"))
        return
    write_new(out, made.text, force=force)
    say(f"wrote {shown_path(out)}, {made.games} game{'' if made.games == 1 else 's'}")
