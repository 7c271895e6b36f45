"""`chaosops recordings list`, `show` and `fields`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.options import json_option, scenarios_option, tell_new_id
from chaosops.cli.recording_options import (
    filter_options,
    paths_argument,
    places,
    recordings_option,
)
from chaosops.cli.tables import table
from chaosops.output import columns_of, print_data, say
from chaosops.recording.events import Seat, SeatKind
from chaosops.recording.library import Filter, RecordingSummary, find, look
from chaosops.recording.times import local_minute

_COLUMNS = (
    "file",
    "started",
    "scenario",
    "seed",
    "players",
    "outcome",
    "turns",
    "reward",
    "quality",
)
_NUMBERS = (3, 6, 7, 8)


@click.command("list", epilog="Example: chaosops recordings list --outcome resolved --kept")
@paths_argument
@filter_options
@json_option
@recordings_option
@scenarios_option
def list_(
    paths: tuple[Path, ...],
    where: Filter,
    as_json: bool,
    recordings: Path | None,
    folders: tuple[Path, ...],
) -> int:
    """List recordings, sorted by name.

    PATH is a file or a folder; by default, your recordings are listed. Unreadable files are
    reported on stderr, and the exit code is 1.

    With --json, each line is an object for one recording.
    """
    rows: list[list[str]] = [[name.upper() for name in _COLUMNS]]
    problems = 0
    for entry in find(places(paths, recordings), where, folders):
        if as_json:
            print_data(json.dumps(facts(entry)))
        elif not entry.problem:
            rows.append(_row(entry))
            if entry.header is not None:
                tell_new_id(entry.header.scenario, entry.header.current_scenario)
        if entry.problem:
            problems += 1
            complain(f"{entry.path}: {entry.problem}")
    if not as_json:
        say(table(rows, columns_of(sys.stdout), _NUMBERS) if rows[1:] else "no recordings")
    return FAILURE if problems else SUCCESS


@click.command(epilog="Example: chaosops recordings show sign-in-errors-7-0f3a9c21b7de.jsonl")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def show(file: Path, as_json: bool) -> int:
    """Show the details of a recording, without its turns."""
    entry = look(file)
    if entry.problem:
        complain(f"{file}: {entry.problem}")
        return FAILURE
    found = facts(entry)
    if as_json:
        print_data(json.dumps(found, indent=2))
        return SUCCESS
    width = max(map(len, found)) + 2
    for name, value in found.items():
        say(f"{name.replace('_', ' '):<{width}}{_shown(name, value)}")
    return SUCCESS


def _shown(name: str, value: Any) -> str:
    """Format a value on one line; a player's words are quoted, so they can't pass for a field."""
    if value is None:
        return "-"
    is_plain = isinstance(value, str) and name != "comment" and value.isprintable()
    return value if is_plain else json.dumps(value)


@click.command(epilog="Example: chaosops recordings fields > docs/recordings.md")
def fields() -> None:
    """Print a description of the recording format: each field with its type, unit and meaning."""
    from chaosops.recording.reference import page

    print_data(page().removesuffix("\n"))


def facts(entry: RecordingSummary) -> dict[str, Any]:
    """Return the details of a recording as JSON values."""
    header, footer, opinion = entry.header, entry.footer, entry.opinion
    found: dict[str, Any] = {
        "path": str(entry.path),
        "size": entry.size,
        "outcome": entry.outcome.value,
        "problem": entry.problem or None,
        "turns": entry.turns,
    }
    if header is not None:
        found |= {
            "scenario": header.current_scenario,
            "seed": header.seed,
            "difficulty": header.difficulty.value,
            "seats": {
                role.value: seat.model_dump(mode="json") for role, seat in header.seats.items()
            },
            "pseudonym": header.pseudonym,
            "consent": None if header.consent is None else header.consent.model_dump(mode="json"),
            "started_at_ms": header.started_at_ms,
            "chaosops": header.chaosops,
        }
    if footer is not None:
        found |= footer.model_dump(mode="json", exclude={"turns", "submitted"})
    found |= {
        "workload": None if opinion.workload is None else opinion.workload.model_dump(),
        "quality": opinion.quality,
        "comment": opinion.comment,
        "submitted": opinion.submitted,
    }
    return found


def _player(seat: Seat) -> str:
    """Describe who plays a seat: a person, a person with a copilot, or a policy."""
    if seat.kind is SeatKind.COPILOT:
        return f"human with {seat.policy}" if seat.policy else "human with a copilot"
    return SeatKind.HUMAN.value if seat.kind is SeatKind.HUMAN else seat.policy or seat.kind.value


def _row(entry: RecordingSummary) -> list[str]:
    header, footer = entry.header, entry.footer
    if header is None:
        return [entry.path.name, *["-"] * (len(_COLUMNS) - 1)]
    players = ", ".join(sorted({_player(seat) for seat in header.seats.values()}))
    quality = "-" if entry.opinion.quality is None else str(entry.opinion.quality)
    return [
        entry.path.name,
        local_minute(header.started_at_ms),
        header.current_scenario,
        str(header.seed),
        players,
        entry.outcome.value + ("" if entry.opinion.submitted else " (discarded)"),
        str(entry.turns),
        "-" if footer is None else f"{footer.cumulative_reward:.1f}",
        quality,
    ]
