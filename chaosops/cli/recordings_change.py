"""`chaosops recordings rate`, `discard`, `compress`, `delete`, `consent` and `withdraw`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from chaosops.cli.errors import FAILURE, SUCCESS, complain, is_terminal
from chaosops.cli.options import Decorated, json_option, scenarios_option
from chaosops.cli.recording_options import paths_argument, places, recordings_option
from chaosops.env.models import MAX_TEXT
from chaosops.errors import RecordingError
from chaosops.output import broken, columns_of, print_data, say, write
from chaosops.recording import library as store
from chaosops.recording import upkeep
from chaosops.recording.consent import INTRODUCTION, WORDS, Agreement, ConsentStore
from chaosops.recording.events import ConsentScope, Note, Workload
from chaosops.recording.times import now_ms
from chaosops.scenarios.problems import shown, shown_path

_SCALES = tuple(Workload.model_fields)
_FILES = click.Path(exists=True, dir_okay=False, path_type=Path)


def _scale_options(command: Decorated) -> Decorated:
    decorated: Any = command
    for name in reversed(_SCALES):
        decorated = click.option(
            f"--{name}",
            metavar="0-100",
            type=click.IntRange(0, 100),
            help=Workload.model_fields[name].description,
        )(decorated)
    done: Decorated = decorated
    return done


@click.command(epilog='Example: chaosops recordings rate game.jsonl --quality 4 --comment "neat"')
@click.argument("file", type=_FILES)
@click.option(
    "--quality",
    metavar="1-5",
    type=click.IntRange(1, 5),
    help="How good an example the game is, from 1 to 5.",
)
@click.option(
    "--comment", metavar="TEXT", help=f"A comment in your own words, up to {MAX_TEXT} characters."
)
@_scale_options
@json_option
def rate(
    file: Path, quality: int | None, comment: str | None, as_json: bool, **scales: int | None
) -> None:
    """Rate a finished recording, or leave a comment.

    The six workload scales (raw NASA-TLX, from 0 to 100) must be given together. A new rating
    replaces the old one; the file keeps both.
    """
    given = {name: value for name, value in scales.items() if value is not None}
    if given and len(given) < len(_SCALES):
        missing = ", ".join(f"--{name}" for name in _SCALES if name not in given)
        raise click.UsageError(f"answer all six workload scales or none: add {missing}")
    if not given and quality is None and comment is None:
        raise click.UsageError("nothing to rate: add --quality, --comment or the six scales")
    if comment is not None and len(comment) > MAX_TEXT:
        raise click.UsageError(f"the comment is longer than {MAX_TEXT} characters: shorten it")
    note = Note(
        at_ms=now_ms(),
        workload=Workload(**given) if given else None,
        quality=quality,
        comment=comment,
    )
    upkeep.add_note(file, note)
    opinion = store.look(file).opinion
    workload = None if opinion.workload is None else opinion.workload.model_dump()
    if as_json:
        print_data(json.dumps(opinion._asdict() | {"path": str(file), "workload": workload}))
    else:
        say(f"rated {shown_path(file)}")


@click.command(epilog="Example: chaosops recordings discard game.jsonl")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_FILES)
@json_option
@scenarios_option
def discard(files: tuple[Path, ...], as_json: bool, folders: tuple[Path, ...]) -> int:
    """Exclude recordings from stats and data sets; the files stay.

    An unfinished game is ended.
    """
    return _each(files, lambda path: upkeep.discard(path, folders), "discarded", as_json)


@click.command(epilog="Example: chaosops recordings compress ~/recordings/*.jsonl")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_FILES)
@json_option
def compress(files: tuple[Path, ...], as_json: bool) -> int:
    """Compress finished recordings: FILE.jsonl becomes FILE.jsonl.gz, which all commands read."""
    return _each(files, upkeep.compress, "compressed", as_json)


@click.command(epilog="Example: chaosops recordings delete game.jsonl --yes")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_FILES)
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@json_option
def delete(files: tuple[Path, ...], yes: bool, as_json: bool) -> int:
    """Delete recordings permanently."""
    _ask(f"Permanently delete {_count(len(files))}?", yes)
    return _each(files, upkeep.delete, "deleted", as_json)


@click.command(epilog="Example: chaosops recordings withdraw 3f9a2c41d0b7e586 --yes")
@click.argument("pseudonym")
@paths_argument
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@json_option
@recordings_option
def withdraw(
    pseudonym: str, paths: tuple[Path, ...], yes: bool, as_json: bool, recordings: Path | None
) -> int:
    """Delete all recordings of a pseudonym, and list them.

    PATH is a file or a folder; by default, your recordings are searched. The exit code is 1 if a
    file can't be deleted or searched. Data sets that were exported earlier are not changed: export
    them again.
    """
    _ask(f"Permanently delete all recordings of {shown(pseudonym)}?", yes)
    done = upkeep.withdraw(places(paths, recordings), pseudonym)
    return _report([done], as_json)


@click.command(epilog="Example: chaosops recordings consent --give actions")
@click.option(
    "--give",
    "scopes",
    multiple=True,
    type=click.Choice([scope.value for scope in ConsentScope]),
    help="Agree to the use of your actions, or also of your own words. Repeatable.",
)
@click.option(
    "--withdraw",
    "take_back",
    is_flag=True,
    help="Withdraw your consent; your recordings are deleted.",
)
@click.option("--yes", is_flag=True, help="Don't ask before recordings are deleted.")
@json_option
@recordings_option
def consent(
    scopes: tuple[str, ...], take_back: bool, yes: bool, as_json: bool, recordings: Path | None
) -> int:
    """Show, give or withdraw consent to the use of your games as data.

    You can play without consent. It applies to games that you start after giving it.
    """
    answers = ConsentStore()
    if scopes and take_back:
        raise click.UsageError("--give and --withdraw can't be combined: choose one")
    if take_back:
        _ask("Withdraw your consent and permanently delete your recordings?", yes)
        found, names = places((), recordings), answers.withdraw()
        status = _report([upkeep.withdraw(found, name) for name in names], as_json)
        if names and not as_json:
            say("Exports on this computer also skip your games in other folders. To delete those:")
            for name in names:
                say(f"  chaosops recordings withdraw {name} DIR")
        return status
    if scopes:
        answers.give(ConsentScope(scope) for scope in scopes)
    _show(answers.current, as_json)
    return SUCCESS


def _ask(question: str, yes: bool) -> None:
    """Ask for confirmation before something is deleted."""
    if yes:
        return
    if not is_terminal(sys.stdin):
        raise click.UsageError("cannot ask for confirmation without a terminal; use --yes")
    write(sys.stderr, broken(f"{question} [y/N]: ", columns_of(sys.stderr)))
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise click.Abort


def _show(agreement: Agreement | None, as_json: bool) -> None:
    if as_json:
        found = None if agreement is None else agreement.model_dump(mode="json")
        print_data(json.dumps({"consent": found}))
        return
    say(f"{INTRODUCTION}\n", hanging=0)
    for scope, words in WORDS.items():
        mark = "x" if agreement is not None and scope in agreement.scopes else " "
        say(f"[{mark}] {scope.value}: {words}")
    if agreement is not None:
        say(f"\nYou have agreed. Your pseudonym is {agreement.pseudonym}.")
    else:
        say("\nYou have not agreed. To agree: chaosops recordings consent --give actions")


def _each(files: Sequence[Path], act: Callable[[Path], object], done: str, as_json: bool) -> int:
    """Apply `act` to each file, and report the files it fails for."""
    rows = []
    for path in files:
        try:
            act(path)
        except RecordingError as error:
            complain(str(error))
            rows.append({"path": str(path), "done": False, "problem": str(error)})
        else:
            rows.append({"path": str(path), "done": True, "problem": None})
            if not as_json:
                say(f"{done} {shown_path(path)}")
    if as_json:
        print_data(json.dumps(rows))
    return SUCCESS if all(row["done"] for row in rows) else FAILURE


def _report(withdrawals: Sequence[upkeep.Withdrawal], as_json: bool) -> int:
    removed = [path for done in withdrawals for path in done.removed]
    left = {file.path: file.why for done in withdrawals for file in done.left}
    if as_json:
        print_data(
            json.dumps(
                {
                    "removed": [str(path) for path in removed],
                    "left": [{"path": str(path), "why": why} for path, why in left.items()],
                }
            )
        )
    else:
        for path in removed:
            say(f"deleted {shown_path(path)}")
        say(f"{_count(len(removed))} deleted")
    for path, why in left.items():
        complain(f"{path} was not deleted: {why}")
    return FAILURE if left else SUCCESS


def _count(number: int) -> str:
    return f"{number} recording{'' if number == 1 else 's'}"
