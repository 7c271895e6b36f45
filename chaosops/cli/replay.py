"""`chaosops replay`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.options import scenarios_option
from chaosops.cli.recording_options import recordings_option


@click.command(epilog="Example: chaosops replay orders-hang-7-0f3a9c21b7de.jsonl")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--plain", is_flag=True, help="Show lines of text, for screen readers and pipes.")
@recordings_option
@scenarios_option
def replay(file: Path, plain: bool, recordings: Path | None, folders: tuple[Path, ...]) -> int:
    """Step through a recorded game, turn by turn.

    FILE is a recording; the end of each game shows its path. You can play on from any turn; the
    continued game is recorded in a new file.
    """
    from chaosops.cli.game import open_replay

    return open_replay(file, folders=folders, recordings=recordings, plain=plain)
