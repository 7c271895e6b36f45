"""`chaosops recordings export`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chaosops.cli.bar import over
from chaosops.cli.ending import cleared_away
from chaosops.cli.errors import FAILURE, SUCCESS, complain
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
    """The identifier of a licence, in small letters."""

    name = "licence"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The identifier."""
        text = str(value).lower()
        if not re.fullmatch(r"[a-z0-9][a-z0-9.+-]{0,59}", text):
            self.fail(f"'{value}' is no licence identifier, such as cc-by-4.0 or mit", param, ctx)
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
    help="sft: what was seen and what was done. grpo: what was seen, and how to get there again. "
    "rewards: sft with rewards and returns. preference: pairs of actions. episodes: whole games. "
    "Repeatable; each becomes a configuration of the data set.",
)
@click.argument("target", metavar="OUT_DIR", type=click.Path(path_type=Path))
@paths_argument
@glance_filter_options
@click.option(
    "--verified/--unverified",
    "only_verified",
    default=True,
    help="Only games that verify, each simulated again, which is the default; or games as their "
    "files have them, if those can be read to the end and their seals fit. Seals are checksums "
    "and no signatures: they do not prove that nobody changed a game and sealed it again.",
)
@click.option(
    "--forks",
    metavar="N",
    type=click.IntRange(0, 50),
    help="For preference: in each chosen turn, play what was done, what two policies would do and "
    "N more actions to the end, and pair the best with the others.",
)
@click.option(
    "--turn",
    "turns",
    metavar="N",
    multiple=True,
    type=click.IntRange(0),
    help="With --forks: only in this turn, counted from 0. Repeatable.",
)
@click.option(
    "--min-margin",
    metavar="X",
    type=click.FloatRange(0),
    default=0.0,
    help="With --forks: leave out pairs whose returns differ by less.",
)
@click.option(
    "--prompt",
    "style",
    type=click.Choice(_STYLES),
    default=_STYLES[0],
    show_default=True,
    help="full: everything that was in the role's view. compact: what changed and what matters, "
    "in at most about 1,024 tokens with the answer.",
)
@click.option(
    "--history",
    metavar="MINUTES",
    type=click.IntRange(0),
    help="Earlier signals in a full prompt, of the roles that see signals (sre, dev); all that "
    "was seen by default.",
)
@click.option(
    "--test-share",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="About this share of the incidents is for testing.",
)
@click.option(
    "--license",
    "licence",
    metavar="ID",
    type=Licence(),
    default="unknown",
    help="The licence on the data card, such as cc-by-4.0.",
)
@click.option("--parquet", is_flag=True, help="Write Parquet; needs the parquet extra.")
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
    as_json: bool,
    folders: tuple[Path, ...],
    recordings: Path | None,
) -> int:
    """Write a data set for training from recordings.

    OUT_DIR is made, or must be empty; it is there whole, or not at all. PATH is a recording or a
    folder of them, the folder of your recordings by default.

    sft, grpo and rewards have the turns of people; with --source, those of the seats that it
    names, such as --source scripted for policies. A recording of people is used only with their
    consent, and what they wrote only with a consent of its own. An incident is either for
    training or for testing, on every seed.

    Each recording is simulated again before it is used. One that does not verify is left out and
    counted, the first of each kind is named on stderr, and the exit code is 1. Of several
    files with one game, the one with most turns is used.

    With --json, an object is printed: target, rows by file, recordings used, how many of them are
    verified, and how many were left out, by reason; left_out_of has the same of turns and
    episodes, by format.
    """
    from chaosops.datasets.dataset import Request, write_data_set
    from chaosops.datasets.episode import Wanted
    from chaosops.recording.consent import ConsentStore
    from chaosops.recording.library import find, games, recording_files

    if (turns or min_margin) and forks is None:
        raise click.UsageError("--turn and --min-margin choose among forks: add --forks N")
    if history is not None and style != PromptStyle.FULL:
        raise click.UsageError("--history is for full prompts: leave it or --prompt out")
    wanted = Wanted(
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
    )
    files = recording_files(places(paths, recordings))
    entries = games(over(find(files), len(files), "reading"), where)
    with cleared_away():
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
