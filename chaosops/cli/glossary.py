"""`chaosops glossary`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from chaosops.cli.options import json_option, scenarios_option
from chaosops.output import print_data, say
from chaosops.play.reference.book import entry_lines, reference
from chaosops.play.reference.entries import GlossaryEntry, by_family, exactly, fitting, near
from chaosops.scenarios.problems import shown


@click.command(epilog="Example: chaosops glossary row lock")
@click.argument("words", metavar="[WORD]...", nargs=-1)
@json_option
@scenarios_option
def glossary(words: tuple[str, ...], as_json: bool, folders: tuple[Path, ...]) -> None:
    """Explain a signal, an instrument, an action, a cause or a term.

    For a cause: how it looks, what tells it from its twins, what eases it and what ends it. Without
    a word, all names are listed. Words that are no name are searched for in the texts.
    """
    entries = reference(folders)
    wanted = " ".join(words)
    found: Sequence[GlossaryEntry] = exactly(entries, wanted) if wanted.strip() else ()
    listed = not found
    if listed:
        found = fitting(entries, wanted)
    if not found:
        close = near(entries, wanted)
        cure = f"did you mean {' or '.join(close)}?" if close else "see 'chaosops glossary'"
        raise click.UsageError(f"nothing fits '{shown(wanted)}': {cure}")
    if as_json:
        print_data(json.dumps([facts_of(entry) for entry in found], indent=2))
    elif listed and len(found) > 1:
        for family, some in by_family(found).items():
            say(f"{family}: {', '.join(entry.name for entry in some)}")
    else:
        say("\n\n".join("\n".join(entry_lines(entry)) for entry in found))


def facts_of(entry: GlossaryEntry) -> dict[str, object]:
    """Return an entry as JSON values."""
    return {
        "kind": entry.kind.value,
        "family": entry.family,
        "name": entry.name,
        "aliases": list(entry.aliases),
        "summary": entry.summary,
        "facts": {fact.label: list(fact.lines) for fact in entry.facts},
    }
