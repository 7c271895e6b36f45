"""`chaosops resume`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.options import scenarios_option
from chaosops.cli.recording_options import recordings_option


@click.command(epilog="Example: chaosops resume")
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--plain", is_flag=True, help="As lines of text: for screen readers and pipes.")
@recordings_option
@scenarios_option
def resume(
    file: Path | None, plain: bool, recordings: Path | None, folders: tuple[Path, ...]
) -> int:
    """Go on with a game that was not finished.

    FILE is its recording; without one, the unfinished game that was begun last goes on. A last
    line that was torn off, as a power cut does, is cut off and reported.
    """
    from chaosops.cli.game import open_resumed

    return open_resumed(file, folders=folders, recordings=recordings, plain=plain)
