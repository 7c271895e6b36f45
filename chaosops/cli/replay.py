"""`chaosops replay`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from chaosops.cli.options import scenarios_option
from chaosops.cli.recording_options import recordings_option
from chaosops.scenarios.problems import shown

_SIZE = re.compile(r"(\d{1,4})[xX](\d{1,4})")
_LEAST = (20, 5)
_MOST = (500, 200)


class TerminalSize(click.ParamType[tuple[int, int]]):
    """The size of a terminal, as `120x40`: columns and lines."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return columns and lines."""
        if isinstance(value, tuple):
            return value
        found = _SIZE.fullmatch(str(value))
        if found is None:
            self.fail(f"'{shown(value)}' is not a size: write it as 120x40", param, ctx)
        size = int(found[1]), int(found[2])
        if not all(low <= n <= high for low, n, high in zip(_LEAST, size, _MOST, strict=True)):
            self.fail(
                f"{found[0]} is not possible: choose from 20x5 to 500x200, such as 120x40",
                param,
                ctx,
            )
        return size


@click.command(epilog="Example: chaosops replay sign-in-errors-7-0f3a9c21b7de.jsonl")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--plain", is_flag=True, help="Show lines of text, for screen readers and pipes.")
@click.option(
    "--cast",
    metavar="OUT.cast",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the replay to a file for asciinema instead of showing it.",
)
@click.option(
    "--size",
    metavar="COLUMNSxLINES",
    type=TerminalSize(),
    help="With --cast: the size of the terminal, by default 120x40.",
)
@click.option(
    "--seconds",
    metavar="N",
    type=click.FloatRange(0.05, 60),
    help="With --cast: how long each turn is shown, by default 1.5.",
)
@click.option("--force", is_flag=True, help="With --cast: replace the file if it exists.")
@recordings_option
@scenarios_option
def replay(
    file: Path,
    plain: bool,
    cast: Path | None,
    size: tuple[int, int] | None,
    seconds: float | None,
    force: bool,
    recordings: Path | None,
    folders: tuple[Path, ...],
) -> int:
    """Step through a recorded game, turn by turn.

    FILE is a recording; the end of each game shows its path. You can play on from any turn; the
    continued game is recorded in a new file.

    --cast writes the whole replay to a file that 'asciinema play' shows, as the screen or, with
    --plain, as lines of text.
    """
    from chaosops.cli.game import open_replay, write_cast

    if cast is None:
        given = {"--size": size is not None, "--seconds": seconds is not None, "--force": force}
        for name, is_given in given.items():
            if is_given:
                raise click.UsageError(f"{name} is for a cast: add --cast OUT.cast")
        return open_replay(file, folders=folders, recordings=recordings, plain=plain)
    return write_cast(
        file,
        cast,
        size=size or (120, 40),
        seconds=1.5 if seconds is None else seconds,
        plain=plain,
        force=force,
        folders=folders,
    )
