"""`chaosops replay`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(epilog="Example: chaosops replay orders-stall-7-0f3a9c21b7de.jsonl")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--plain", is_flag=True, help="As lines of text: for screen readers and pipes.")
def replay(file: Path, plain: bool) -> int:
    """Step through a recorded episode, turn by turn.

    FILE is a recording, as its path is shown at the end of a game.
    """
    from chaosops.cli.game import open_replay

    return open_replay(file, plain=plain)
