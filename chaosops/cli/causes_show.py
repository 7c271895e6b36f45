"""`chaosops causes show`."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from chaosops.cli.causes_list import fits_words
from chaosops.cli.options import CauseName, json_option, scenarios_option
from chaosops.errors import ScenarioError
from chaosops.files import is_file
from chaosops.output import columns_of, print_data, say
from chaosops.scenarios.cause_list import full_facts, open_cause, opening_facts

_LABELS: Final[Mapping[str, str]] = {
    "failure_type": "a diagnosis names",
    "aliases": "or, typed",
    "glossary": "definition",
    "fits": "fits at",
    "clears": "any of these clears it",
    "eases": "these ease it",
    "tempts": "these are wrong",
    "telling": "what tells it from its twins",
    "happened": "what happened",
    "same_kind": "a public incident",
}
_WIDTH: Final = 100


@click.command(epilog="Example: chaosops causes show row_lock")
@click.argument("cause", type=CauseName())
@click.option("--brief", is_flag=True, help="Only what you may know before you meet it.")
@json_option
@scenarios_option
def show(cause: str, brief: bool, as_json: bool, folders: tuple[Path, ...]) -> None:
    """Show what a cause does and what helps.

    CAUSE is an id from 'chaosops causes list' or the path of a file. First comes what you may know
    before you meet it: its names, its definition and where it fits. The rest is a spoiler:
    its course, what clears it, what eases it, what only tempts, and the lesson.
    """
    try:
        listed = open_cause(cause, folders)
    except ScenarioError as error:
        if is_file(Path(cause)):
            raise
        raise click.UsageError(str(error)) from error
    known = opening_facts(listed)
    rest = {} if brief else full_facts(listed)
    if as_json:
        print_data(json.dumps(known | rest, indent=2))
        return
    shown = {name: value for name, value in known.items() if name != "built_in"}
    shown["fits"] = fits_words(listed.fits)
    say("\n".join(_sheet(shown)))
    if rest:
        say("\n".join(["", "Spoilers", *_sheet(rest)]))


def _sheet(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield each fact with its label; a list has a line for each item, under its label."""
    width = columns_of(sys.stdout) or _WIDTH
    for name, value in facts.items():
        label = _LABELS.get(name, name.replace("_", " "))
        if value in (None, "", [], ()):
            continue
        text = ", ".join(value) if name in ("aliases", "twins") else value
        if isinstance(text, list):
            yield f"{label}:"
            for item in text:
                yield from _wrapped(f"- {item}", width, "  ", "    ")
        else:
            yield from _wrapped(f"{label}: {' '.join(str(text).split())}", width, "", "  ")


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
