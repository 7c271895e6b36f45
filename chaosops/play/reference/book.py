"""The whole reference, read once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chaosops.play.reference.causes import causes
from chaosops.play.reference.entries import GlossaryEntry
from chaosops.play.reference.tables import actions, instruments, signals, terms


def reference(folders: Sequence[Path] = ()) -> tuple[GlossaryEntry, ...]:
    """Return every entry, by what it is about and by family. It takes some tenths of a second.

    It is the same for every incident, so it gives nothing away about the one at hand.

    Args:
        folders: Where causes are, besides the built-in set.
    """
    return (*signals(), *instruments(), *actions(), *causes(folders), *terms())


def entry_lines(entry: GlossaryEntry) -> list[str]:
    """Return an entry as lines of text."""
    also = f" Also: {', '.join(entry.aliases)}." if entry.aliases else ""
    lines = [f"{entry.name} ({entry.family}): {entry.summary}{also}"]
    for fact in entry.facts:
        if len(fact.lines) == 1:
            lines.append(f"{fact.label}: {fact.lines[0]}")
        else:
            lines += [f"{fact.label}:", *(f"- {line}" for line in fact.lines)]
    return lines
