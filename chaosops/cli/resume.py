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
@click.option("--plain", is_flag=True, help="Play as lines of text, for screen readers and pipes.")
@recordings_option
@scenarios_option
def resume(
    file: Path | None, plain: bool, recordings: Path | None, folders: tuple[Path, ...]
) -> int:
    """Resume an unfinished game.

    FILE is its recording; by default, the unfinished game that was started last. An incomplete
    last line, as a power cut leaves it, is removed and reported.
    """
    from chaosops.cli.game import open_resumed

    return open_resumed(file, folders=folders, recordings=recordings, plain=plain)
