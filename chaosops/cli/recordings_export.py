"""`chaosops recordings export`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chaosops.cli.bar import over
from chaosops.cli.ending import cleaned_up
from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.jobs import jobs_option
from chaosops.cli.options import json_option, scenarios_option
from chaosops.cli.recording_options import (
    glance_filter_options,
    paths_argument,
    places,
    recordings_option,
)
from chaosops.datasets.reasons import counted
from chaosops.datasets.rows import Format, PromptStyle
from chaosops.output import print_data, say
from chaosops.recording.seal import SEAL_PROVES
from chaosops.scenarios.problems import shown_path

if TYPE_CHECKING:
    from chaosops.datasets.dataset import ExportReport
    from chaosops.recording.library import Filter

_FORMATS = [kind.value for kind in Format]
_STYLES = [style.value for style in PromptStyle]


class Licence(click.ParamType[str]):
    """A licence identifier, in lower case."""

    name = "licence"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the identifier in lower case."""
        text = str(value).lower()
        if not re.fullmatch(r"[a-z0-9][a-z0-9.+-]{0,59}", text):
            self.fail(f"'{value}' is not a licence identifier such as cc-by-4.0 or mit", param, ctx)
        return text


@click.command(
    epilog="Example: chaosops recordings export --format sft --format preference ./decisions"
)
@click.option(
    "--format",
    "formats",
    metavar="FORMAT",
    multiple=True,
    required=True,
    type=click.Choice(_FORMATS),
    help="sft: what a role saw and did. grpo: what it saw, and the actions that lead up to it. "
    "rewards: sft with rewards and returns. preference: pairs of actions. episodes: whole games. "
    "Repeatable; each format becomes a configuration of the data set.",
)
@click.argument("target", metavar="OUT_DIR", type=click.Path(path_type=Path))
@paths_argument
@glance_filter_options
@click.option(
    "--verified/--unverified",
    "only_verified",
    default=True,
    help="By default, only games that verify; each is simulated again. --unverified takes games "
    "whose files are complete and have matching seals. Seals are checksums, not signatures: they "
    "don't show whether someone changed a game and sealed it again.",
)
@click.option(
    "--forks",
    metavar="N",
    type=click.IntRange(0, 50),
    help="For preference: in each selected turn, play the recorded action, those of two policies "
    "and N more to the end, and pair the best with the others.",
)
@click.option(
    "--turn",
    "turns",
    metavar="N",
    multiple=True,
    type=click.IntRange(0),
    help="With --forks: only this turn, counted from 0. Repeatable.",
)
@click.option(
    "--min-margin",
    metavar="X",
    type=click.FloatRange(0),
    default=0.0,
    help="With --forks: skip pairs whose returns differ by less.",
)
@click.option(
    "--prompt",
    "style",
    type=click.Choice(_STYLES),
    default=_STYLES[0],
    show_default=True,
    help="full: everything in the role's view. compact: what changed and what matters, in at most "
    "about 1,024 tokens including the answer.",
)
@click.option(
    "--history",
    metavar="MINUTES",
    type=click.IntRange(0),
    help="Minutes of earlier signals in a full prompt, for the roles that see signals (sre, dev); "
    "all by default.",
)
@click.option(
    "--test-share",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="Approximate share of incidents in the test split.",
)
@click.option(
    "--license",
    "licence",
    metavar="ID",
    type=Licence(),
    default="unknown",
    help="The licence named on the data card, such as cc-by-4.0.",
)
@click.option("--parquet", is_flag=True, help="Write Parquet; needs the parquet extra.")
@jobs_option
@json_option
@scenarios_option
@recordings_option
def export(
    formats: tuple[str, ...],
    target: Path,
    paths: tuple[Path, ...],
    where: Filter,
    only_verified: bool,
    forks: int | None,
    turns: tuple[int, ...],
    min_margin: float,
    style: str,
    history: int | None,
    test_share: float,
    licence: str,
    parquet: bool,
    jobs: int,
    as_json: bool,
    folders: tuple[Path, ...],
    recordings: Path | None,
) -> int:
    """Write a training data set from recordings.

    OUT_DIR must be empty or not exist; it is written completely or not at all. PATH is a recording
    or a folder of recordings, your own by default.

    sft, grpo and rewards contain the turns of people; use --source for others, such as --source
    scripted for policies. Recordings of people are used only with their consent, and their words
    only with separate consent. An incident belongs to either the training or the test split, on
    every seed.

    Each recording is simulated again before it is used. Recordings that don't verify are left out
    and counted, the first of each kind is named on stderr, and the exit code is 1. If several
    files hold the same game, the one with the most turns is used.

    With --json, the output is an object: target, rows by file, the number of recordings used and
    verified, and the number left out, by reason; left_out_of has the same for turns and episodes,
    by format.
    """
    from chaosops.datasets.dataset import Request, write_data_set
    from chaosops.datasets.episode import RowSelection
    from chaosops.recording.consent import ConsentStore
    from chaosops.recording.library import find, games, recording_files

    if (turns or min_margin) and forks is None:
        raise click.UsageError("--turn and --min-margin select among forks: add --forks N")
    if history is not None and style != PromptStyle.FULL:
        raise click.UsageError("--history only applies to full prompts: remove it or --prompt")
    wanted = RowSelection(
        roles=frozenset(where.roles),
        sources=frozenset(where.sources),
        style=PromptStyle(style),
        history=history,
        forks=forks,
        turns=frozenset(turns),
        least_margin=min_margin,
    )
    request = Request(
        target,
        tuple(dict.fromkeys(Format(name) for name in formats)),
        wanted,
        test_share=test_share,
        parquet=parquet,
        folders=folders,
        licence=licence,
        withdrawn=frozenset(ConsentStore().withdrawn),
        verify=only_verified,
        jobs=jobs,
    )
    files = recording_files(places(paths, recordings))
    entries = games(over(find(files), len(files), "reading"), where)
    with cleaned_up():
        report = write_data_set(over(entries, len(entries), "exporting"), request)
    print_data(json.dumps(_as_json(report))) if as_json else say(_lines(report))
    for reason, (path, why) in sorted(report.unsound.items()):
        others = report.left_out[reason] - 1
        more = f", and {others} more" if others else ""
        complain(f"left out {path}{more}: {why}; see 'chaosops recordings verify'")
    return FAILURE if report.unsound else SUCCESS


def _as_json(report: ExportReport) -> dict[str, Any]:
    return {
        "target": str(report.target),
        "rows": dict(report.rows),
        "recordings": report.episodes,
        "verified": report.verified,
        "left_out": dict(report.left_out),
        "left_out_of": {kind: dict(reasons) for kind, reasons in report.left_out_of.items()},
    }


def _lines(report: ExportReport) -> str:
    rows, games = sum(report.rows.values()), counted(report.episodes, "recordings")
    target = shown_path(report.target)
    lines = [f"{target}: {counted(rows, 'rows')} of {games}, {report.verified} verified"]
    lines += [f"  {path}  {count}" for path, count in report.rows.items()]
    if report.verified < report.episodes:
        lines.append(f"  {report.episodes - report.verified} not verified. {SEAL_PROVES}")
    lines += [f"  left out: {_counts(report.left_out)}"] if report.left_out else []
    lines += [f"  left out of {kind}: {_counts(why)}" for kind, why in report.left_out_of.items()]
    return "\n".join(lines)


def _counts(reasons: Mapping[str, int]) -> str:
    return ", ".join(counted(count, why) for why, count in sorted(reasons.items()))
