"""`chaosops recordings postmortem`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.options import scenarios_option
from chaosops.output import print_data, say
from chaosops.scenarios.problems import shown_path


@click.command(epilog="Example: chaosops recordings postmortem game.jsonl --out incident.md")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    metavar="FILE.md",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it to this file, with its charts as SVG files beside it.",
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@scenarios_option
def postmortem(file: Path, out: Path | None, force: bool, folders: tuple[Path, ...]) -> None:
    """Write the post-mortem of a played incident as Markdown.

    FILE is a recording. The document tells the impact, the cause, what was known when and by whom,
    what each order did, what went well and badly, what to change, and the timeline. Without --out
    it goes to standard output, without charts. It names the cause.
    """
    if force and out is None:
        raise click.UsageError("--force replaces a file: name it with --out FILE.md")
    if out is not None and out.suffix.lower() != ".md":
        raise click.UsageError(f"--out: '{shown_path(out)}' does not end with .md: add it")
    from chaosops.play.postmortem.files import postmortem_text, write_postmortem
    from chaosops.play.postmortem.played import played_recording

    played = played_recording(file, folders)
    if out is None:
        print_data(postmortem_text(played).removesuffix("\n"))
        return
    for path in write_postmortem(played, out, force=force):
        say(f"wrote {shown_path(path)}")
