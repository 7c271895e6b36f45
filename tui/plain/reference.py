"""The glossary as lines of text."""

from __future__ import annotations

from typing import Final

from chaosops.play.formatting import shown
from chaosops.play.reference.book import entry_lines, reference
from chaosops.play.reference.entries import by_family, exactly, fitting, near

COMMAND: Final = "glossary"
"""The command that looks a word up, at every prompt."""


def glossary_lines(words: str) -> list[str]:
    """Explain a signal, an instrument, an action, a cause or a term; without words, list all."""
    entries = reference()
    found = exactly(entries, words) if words.strip() else ()
    if not found:
        found = fitting(entries, words)
        if len(found) > 1:
            lists = by_family(found).items()
            return [f"{family}: {', '.join(e.name for e in some)}." for family, some in lists]
    if not found:
        close = near(entries, words)
        cure = f"Did you mean {' or '.join(close)}?" if close else f"{COMMAND} alone lists all."
        return [f"Nothing fits '{shown(words, 40)}'. {cure}"]
    return [line for entry in found for line in entry_lines(entry)]


def looked_up(line: str) -> list[str] | None:
    """Return what to say to a line that asks for the glossary; None for any other line."""
    word, _, rest = line.strip().partition(" ")
    return glossary_lines(rest) if word.lower() == COMMAND else None
