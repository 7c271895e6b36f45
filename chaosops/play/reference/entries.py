"""The entries of the reference, and finding them by a word."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from chaosops.play.formatting import shown


class EntryKind(StrEnum):
    """What an entry of the reference is about."""

    TERM = "term"
    SIGNAL = "signal"
    INSTRUMENT = "instrument"
    ACTION = "action"
    CAUSE = "cause"


class EntryFact(NamedTuple):
    """Something to know about an entry, with a label; it may have several lines."""

    label: str
    lines: tuple[str, ...]


class GlossaryEntry(NamedTuple):
    """An entry of the reference.

    Attributes:
        family: The heading that it stands under.
        aliases: Other names to find it by.
        summary: What it is, in a sentence or two.
    """

    kind: EntryKind
    family: str
    name: str
    aliases: tuple[str, ...]
    summary: str
    facts: tuple[EntryFact, ...] = ()

    @property
    def key(self) -> str:
        """An id that no other entry has."""
        return f"{self.kind.value} {self.family} {self.name}"


def facts(*pairs: tuple[str, Iterable[str]]) -> tuple[EntryFact, ...]:
    """Return the facts that have something to say, each line once."""
    found = ((label, tuple(dict.fromkeys(filter(None, lines)))) for label, lines in pairs)
    return tuple(EntryFact(label, lines) for label, lines in found if lines)


def normal(text: str) -> str:
    """Return a text in the form in which words are compared."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def fitting(entries: Sequence[GlossaryEntry], words: str) -> tuple[GlossaryEntry, ...]:
    """Return the entries that fit some words, the best first; all of them without words.

    Names come before other names, and those before texts that have all the words somewhere.
    """
    wanted = normal(words)
    if not wanted:
        return tuple(entries)
    ranked = [(rank, k) for k, entry in enumerate(entries) if (rank := _rank(entry, wanted))]
    return tuple(entries[k] for _, k in sorted(ranked))


def by_family(entries: Iterable[GlossaryEntry]) -> dict[str, list[GlossaryEntry]]:
    """Return entries by family, each family where its first entry is."""
    families: dict[str, list[GlossaryEntry]] = {}
    for entry in entries:
        families.setdefault(entry.family, []).append(entry)
    return families


def exactly(entries: Sequence[GlossaryEntry], words: str) -> tuple[GlossaryEntry, ...]:
    """Return the entries of that name, or of that other name if there are none."""
    ranked = fitting(entries, words)
    wanted = normal(words)
    for best in (_NAME, _ALIAS):
        found = tuple(entry for entry in ranked if _rank(entry, wanted) == best)
        if found:
            return found
    return ()


def near(entries: Sequence[GlossaryEntry], words: str, most: int = 3) -> tuple[str, ...]:
    """Return names that are similar to a word that fits nothing."""
    names = {normal(name): name for entry in entries for name in (*entry.aliases, entry.name)}
    close = difflib.get_close_matches(normal(words)[:40], names, most)
    return tuple(dict.fromkeys(shown(names[name], 60) for name in close))


_NAME: Final = 1
_ALIAS: Final = 2
_BEGINS: Final = 3
_WORD: Final = 4
_CONTAINS: Final = 5
_FAMILY: Final = 6
_TEXT: Final = 7


def _rank(entry: GlossaryEntry, wanted: str) -> int:
    """Return how well an entry fits, the lower the better; 0 if it doesn't."""
    name, others = normal(entry.name), [normal(alias) for alias in entry.aliases]
    if name == wanted:
        return _NAME
    if wanted in others:
        return _ALIAS
    if any(each.startswith(wanted) for each in (name, *others)):
        return _BEGINS
    if any(f" {wanted}" in each for each in (name, *others)):
        return _WORD
    if any(wanted in each for each in (name, *others)):
        return _CONTAINS
    if wanted in normal(entry.family):
        return _FAMILY
    text = normal(" ".join((name, *others, entry.summary, *_lines(entry))))
    return _TEXT if all(word in text for word in wanted.split()) else 0


def _lines(entry: GlossaryEntry) -> Iterable[str]:
    return (line for fact in entry.facts for line in fact.lines)
